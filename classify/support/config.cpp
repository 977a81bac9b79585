#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "classify/support/config.h"
#include "classify/support/config_events.h"
#include "classify/support/named_configuration.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/names.h"

namespace leafglyph {

struct Config::State {
  std::string file;           // named in messages about missing keys
  std::string prefix;         // "a.b." for the mapping under a, b
  std::vector<Layer> layers;  // settings, then the file itself, its base, the base's base and so on
  std::set<std::string, std::less<>> known;

  // The layer that decides the value of `key`; none if the key is missing.
  const Layer* layer(std::string_view key) const {
    for (const Layer& candidate : layers) {
      if (candidate.node[std::string(key)].IsDefined()) return &candidate;
    }
    return nullptr;
  }
  YAML::Node value(std::string_view key) const { return layer(key)->node[std::string(key)]; }
};

namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string shown(double value) { return fmt::format("{:g}", value); }

std::string range_text(double lowest, double highest) {
  if (std::isinf(highest)) return shown(lowest) + " or more";
  if (std::isinf(lowest)) return shown(highest) + " or less";
  return "from " + shown(lowest) + " to " + shown(highest);
}

}  // namespace

Config::Config(std::unique_ptr<State> state) : state_(std::move(state)) {}
Config::Config(Config&&) noexcept = default;
Config& Config::operator=(Config&&) noexcept = default;
Config::~Config() = default;

Config Config::load(const std::filesystem::path& path, const std::vector<std::string>& settings) {
  const std::filesystem::path file = find_configuration(path);
  return parse(read_text_file(file, kMaxConfigBytes), file.string(), settings);
}

Config Config::parse(std::string_view text, std::string_view name,
                     const std::vector<std::string>& settings) {
  Config config(std::make_unique<State>());
  config.state_->file = name;
  config.state_->layers = read_layers(text, name, settings);
  config.state_->known.emplace(kBaseKey);
  return config;
}

bool Config::has(std::string_view key) const { return state_->layer(key) != nullptr; }

bool Config::is_overruled(std::string_view key, std::string_view by) const {
  return has(key) && has(by) && state_->layer(by) < state_->layer(key);
}

void Config::fail(std::string_view key, const std::string& what) const {
  const Layer* layer = state_->layer(key);
  const std::string place =
      layer == nullptr ? state_->file : layer->place(layer->node[std::string(key)].Mark());
  throw UsageError(place + ": " + state_->prefix + std::string(key) + ": " + what);
}

std::filesystem::path Config::folder(std::string_view key) const {
  const Layer* layer = state_->layer(key);
  return std::filesystem::path(layer == nullptr ? state_->file : layer->file).parent_path();
}

namespace {

// A scalar as T; nothing if it is not one.
template <class T>
std::optional<T> scalar(const YAML::Node& node) {
  if (!node.IsScalar()) return std::nullopt;
  try {
    return node.as<T>();
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string Config::text(std::string_view key, std::string_view fallback) {
  state_->known.emplace(key);
  if (!has(key)) return std::string(fallback);
  const auto value = scalar<std::string>(state_->value(key));
  if (!value) fail(key, "must be text");
  return *value;
}

std::string Config::required_text(std::string_view key) {
  state_->known.emplace(key);
  if (!has(key)) fail(key, "is missing; add it");
  return text(key, "");
}

int Config::integer(std::string_view key, int fallback, int lowest, int highest) {
  state_->known.emplace(key);
  if (!has(key)) return fallback;
  const auto value = scalar<int>(state_->value(key));
  if (!value) fail(key, "must be a whole number");
  if (*value < lowest || *value > highest) {
    fail(key, fmt::format("{} is out of range; use {}", *value, range_text(lowest, highest)));
  }
  return *value;
}

double Config::number(std::string_view key, double fallback, double lowest, double highest) {
  state_->known.emplace(key);
  if (!has(key)) return fallback;
  const auto value = scalar<double>(state_->value(key));
  if (!value || std::isnan(*value)) fail(key, "must be a number");
  if (*value < lowest || *value > highest) {
    fail(key, shown(*value) + " is out of range; use " + range_text(lowest, highest));
  }
  return *value;
}

bool Config::flag(std::string_view key, bool fallback) {
  state_->known.emplace(key);
  if (!has(key)) return fallback;
  const auto value = scalar<bool>(state_->value(key));
  if (!value) fail(key, "must be true or false");
  return *value;
}

std::string Config::choice(std::string_view key, std::string_view fallback,
                           const std::vector<std::string>& choices) {
  std::string value = text(key, fallback);
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    fail(key, "'" + value + "' is unknown; use " + list_of(choices) + did_you_mean(value, choices));
  }
  return value;
}

namespace {

template <class T>
std::optional<std::vector<T>> sequence(const YAML::Node& node) {
  if (!node.IsSequence()) return std::nullopt;
  std::vector<T> values;
  for (const auto& element : node) {
    const auto value = scalar<T>(element);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace

std::vector<std::string> Config::texts(std::string_view key,
                                       const std::vector<std::string>& fallback) {
  state_->known.emplace(key);
  if (!has(key)) return fallback;
  auto values = sequence<std::string>(state_->value(key));
  if (!values) fail(key, "must be a list of strings, such as [a, b]");
  return *values;
}

std::vector<int> Config::integers(std::string_view key, const std::vector<int>& fallback,
                                  int lowest, int highest) {
  state_->known.emplace(key);
  if (!has(key)) return fallback;
  auto values = sequence<int>(state_->value(key));
  if (!values) fail(key, "must be a list of whole numbers, such as [1, 2]");
  for (const int value : *values) {
    if (value < lowest || value > highest) {
      fail(key, fmt::format("{} is out of range; use {}", value, range_text(lowest, highest)));
    }
  }
  return *values;
}

std::vector<double> Config::numbers(std::string_view key, const std::vector<double>& fallback,
                                    double lowest, double highest) {
  state_->known.emplace(key);
  if (!has(key)) return fallback;
  auto values = sequence<double>(state_->value(key));
  if (!values) fail(key, "must be a list of numbers, such as [0.1, 2]");
  for (const double value : *values) {
    if (!(value >= lowest && value <= highest)) {
      fail(key, shown(value) + " is out of range; use " + range_text(lowest, highest));
    }
  }
  return *values;
}

std::vector<std::vector<std::string>> Config::text_lists(std::string_view key) {
  state_->known.emplace(key);
  std::vector<std::vector<std::string>> lists;
  if (!has(key)) return lists;
  const YAML::Node value = state_->value(key);
  if (!value.IsSequence()) fail(key, "must be a list of lists, such as [[a, b], [c]]");
  for (const auto& element : value) {
    auto texts = sequence<std::string>(element);
    if (!texts) fail(key, "must be a list of lists, such as [[a, b], [c]]");
    lists.push_back(std::move(*texts));
  }
  return lists;
}

Config Config::child(std::string_view key) {
  state_->known.emplace(key);
  auto state = std::make_unique<State>();
  state->file = state_->file;
  state->prefix = state_->prefix + std::string(key) + ".";
  for (const Layer& layer : state_->layers) {
    const YAML::Node value = layer.node[std::string(key)];
    if (!value.IsDefined()) continue;
    if (!value.IsMap()) fail(key, "must hold keys of its own ('key: value' below it)");
    state->layers.push_back({layer.file, value});
  }
  return Config(std::move(state));
}

std::vector<Config> Config::children(std::string_view key) {
  state_->known.emplace(key);
  std::vector<Config> result;
  const Layer* layer = state_->layer(key);
  if (layer == nullptr) return result;
  const YAML::Node list = layer->node[std::string(key)];
  if (!list.IsSequence()) fail(key, "must be a list ('- ' lines)");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].IsMap()) fail(key, fmt::format("entry {} holds no keys", i + 1));
    auto state = std::make_unique<State>();
    state->file = state_->file;
    state->prefix = fmt::format("{}{}[{}].", state_->prefix, key, i);
    state->layers.push_back({layer->file, list[i]});
    result.push_back(Config(std::move(state)));
  }
  return result;
}

namespace {

// Keys that were renamed after LeafGlyph 0.1, and their new names.
constexpr std::pair<std::string_view, std::string_view> kRenamedKeys[] = {{"wear", "augmentation"}};

std::string meant_key(std::string_view key, const std::vector<std::string>& known) {
  for (const auto& [old_name, name] : kRenamedKeys) {
    if (key == old_name && std::ranges::count(known, name) > 0) {
      return fmt::format("; did you mean '{}'?", name);
    }
  }
  return did_you_mean(key, known);
}

}  // namespace

void Config::finish() const {
  for (const Layer& layer : state_->layers) {
    for (const auto& entry : layer.node) {
      const auto key = entry.first.as<std::string>("");
      if (state_->known.contains(key)) continue;
      std::vector<std::string> known(state_->known.begin(), state_->known.end());
      fail(key, "is an unknown key; known here: " + list_of(known) + meant_key(key, known));
    }
  }
}

namespace {

// The values of `by`, and those of `mapping` where `by` has none.
YAML::Node overruled(const YAML::Node& mapping, const YAML::Node& by) {
  if (!mapping.IsMap() || !by.IsMap()) return by;
  YAML::Node result = YAML::Clone(mapping);
  for (const auto& entry : by) {
    const auto key = entry.first.as<std::string>();
    result[key] = mapping[key].IsDefined() ? overruled(mapping[key], entry.second) : entry.second;
  }
  return result;
}

}  // namespace

std::string Config::yaml() const {
  YAML::Node all(YAML::NodeType::Map);
  for (auto layer = state_->layers.rbegin(); layer != state_->layers.rend(); ++layer) {
    all = overruled(all, layer->node);
  }
  all.remove(kBaseKey);
  YAML::Emitter text;
  text << all;
  return text.c_str() + std::string("\n");
}

namespace {

YAML::Node loaded(const std::string& text, const std::string& file) {
  if (text.size() > kMaxConfigBytes) {
    throw UsageError(fmt::format("{}: is larger than {}, the most that is read of a configuration",
                                 file, bytes_text(kMaxConfigBytes)));
  }
  try {
    ConfigEvents events(file);
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
    return YAML::Load(text);
  } catch (const YAML::Exception& error) {
    throw UsageError(place_in(file, error.mark) + ": is not YAML: " + error.msg);
  }
}

YAML::Node parsed(const std::string& text, const std::string& file) {
  YAML::Node node = loaded(text, file);
  if (node.IsNull()) node = YAML::Node(YAML::NodeType::Map);
  if (!node.IsMap()) {
    throw UsageError(file + ": holds no mapping; write lines of the form 'key: value'");
  }
  return node;
}

// A setting "a.b=value".
struct Setting {
  std::string text;
  std::string key;
  std::string value;

  explicit Setting(const std::string& setting);
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(place() + ": " + what);
  }
  std::string place() const { return std::string(kSettings) + " " + text; }
  /// Whether this setting sets the same key as `other`, or a part of it.
  bool is_within(const Setting& other) const {
    return key == other.key || key.starts_with(other.key + ".");
  }
};

Setting::Setting(const std::string& setting) : text(setting) {
  const std::size_t equals = setting.find('=');
  key = setting.substr(0, equals);
  if (equals == std::string::npos || key.empty()) {
    refuse("write key=value, such as features.order=20");
  }
  if (key == kBaseKey) refuse("base is allowed only in a file");
  value = setting.substr(equals + 1);
}

void add_setting(const Setting& setting, YAML::Node mapping) {
  const YAML::Node value = loaded(setting.value, setting.place());
  std::string_view keys = setting.key;
  try {
    for (std::size_t dot = keys.find('.'); dot != std::string_view::npos; dot = keys.find('.')) {
      mapping.reset(mapping[std::string(keys.substr(0, dot))]);
      keys.remove_prefix(dot + 1);
    }
    mapping[std::string(keys)] = value;
  } catch (const YAML::Exception& error) {
    setting.refuse("is not YAML: " + error.msg);
  }
}

YAML::Node mapping_of(const std::vector<std::string>& settings) {
  YAML::Node mapping(YAML::NodeType::Map);
  std::vector<Setting> before;
  for (const std::string& text : settings) {
    const Setting setting(text);
    for (const Setting& other : before) {
      if (setting.is_within(other) || other.is_within(setting)) {
        setting.refuse(std::string(kSettings) + " " + other.text + " sets that, too; keep one");
      }
    }
    add_setting(setting, mapping);
    before.push_back(setting);
  }
  return mapping;
}

std::filesystem::path base_file(const std::string& file, const std::string& base) {
  const std::filesystem::path beside =
      (std::filesystem::path(file).parent_path() / base).lexically_normal();
  return is_there(beside) ? beside : find_configuration(base);
}

}  // namespace

std::string Layer::place(const YAML::Mark& mark) const { return place_in(file, mark); }

std::vector<Layer> read_layers(std::string_view text, std::string_view name,
                               const std::vector<std::string>& settings) {
  std::vector<Layer> layers;
  if (!settings.empty()) layers.push_back({kSettings, mapping_of(settings)});
  layers.push_back({std::string(name), parsed(std::string(text), std::string(name))});
  while (layers.back().node[kBaseKey].IsDefined()) {
    const YAML::Node base = layers.back().node[kBaseKey];
    const auto at = [&](const std::string& what) {
      return UsageError(layers.back().place(base.Mark()) + ": " + kBaseKey + ": " + what);
    };
    if (!base.IsScalar()) throw at("must be the name of a file");
    if (layers.size() > kMaxConfigBases) {
      throw at(fmt::format("more than {} files follow each other as bases", kMaxConfigBases));
    }
    const std::filesystem::path file = base_file(layers.back().file, base.Scalar());
    for (const Layer& layer : layers) {
      if (std::filesystem::path(layer.file).lexically_normal() == file) {
        throw at("'" + file.string() + "' is its own base by way of other files");
      }
    }
    layers.push_back({file.string(), parsed(read_text_file(file, kMaxConfigBytes), file.string())});
  }
  return layers;
}

}  // namespace leafglyph
