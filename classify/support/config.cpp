#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <ranges>
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
#include "features/base/text.h"

namespace leafglyph {

struct Config::State {
  // A mapping whose keys are visited.
  struct Mapping {
    std::string prefix;  // "a.b." for the mapping under a, b
    // Settings, then the file itself, its base, the base's base and so on.
    std::vector<Layer> layers;
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

  std::string file;  // named in messages about missing keys
  std::vector<Mapping> open;
  std::string needs;  // what keys that do not count need

  Mapping& mapping() { return open.back(); }
};

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
  config.state_->open.push_back({"", read_layers(text, name, settings), {std::string(kBaseKey)}});
  return config;
}

bool Config::has(std::string_view name) const { return state_->mapping().layer(name) != nullptr; }

bool Config::is_overruled(std::string_view name, std::string_view by) const {
  return has(name) && has(by) && state_->mapping().layer(by) < state_->mapping().layer(name);
}

void Config::fail(std::string_view name, const std::string& what) const {
  const State::Mapping& mapping = state_->mapping();
  const Layer* layer = mapping.layer(name);
  const std::string place =
      layer == nullptr ? state_->file : layer->place(layer->node[std::string(name)].Mark());
  throw UsageError(place + ": " + mapping.prefix + std::string(name) + ": " + what);
}

std::filesystem::path Config::folder(std::string_view name) const {
  const Layer* layer = state_->mapping().layer(name);
  return std::filesystem::path(layer == nullptr ? state_->file : layer->file).parent_path();
}

void Config::check(std::string_view name, const std::function<void()>& check) {
  try {
    check();
  } catch (const UsageError& error) {
    fail(name, error.what());
  }
}

namespace {

// Set the value to that of a node, and return whether the node is one.
template <class T>
bool read(const YAML::Node& node, T& value) {
  if (!node.IsScalar()) return false;
  try {
    value = node.as<T>();
    return true;
  } catch (const YAML::Exception&) {
    return false;
  }
}
bool read(const YAML::Node& node, double& value) {
  return read<double>(node, value) && !std::isnan(value);
}
bool read(const YAML::Node& node, std::filesystem::path& value) {
  std::string text;
  const bool is_text = read(node, text);
  value = text;
  return is_text;
}
template <class T>
bool read(const YAML::Node& node, std::vector<T>& values) {
  if (!node.IsSequence()) return false;
  values.resize(node.size());
  for (std::size_t i = 0; i < node.size(); ++i) {
    if (!read(node[i], values[i])) return false;
  }
  return true;
}

}  // namespace

void Config::key(const Key& key) {
  state_->mapping().known.emplace(key.name);
  if (!has(key.name)) return;
  if (!state_->needs.empty()) fail(key.name, "needs " + state_->needs);
  std::visit(
      [&](auto* value) {
        if (!read(state_->mapping().value(key.name), *value)) {
          fail(key.name, "must be " + std::string(kind_of(key)));
        }
      },
      key.value);
  if (const std::string fault = fault_of(key); !fault.empty()) fail(key.name, fault);
  if (auto* const* path = std::get_if<std::filesystem::path*>(&key.value);
      path && !(*path)->empty()) {
    **path = (folder(key.name) / **path).lexically_normal();
  }
}

void Config::group(std::string_view name, const std::function<void()>& keys, bool /*is_written*/) {
  state_->mapping().known.emplace(name);
  State::Mapping child{state_->mapping().prefix + std::string(name) + ".", {}, {}};
  for (const Layer& layer : state_->mapping().layers) {
    const YAML::Node value = layer.node[std::string(name)];
    if (!value.IsDefined()) continue;
    if (!value.IsMap()) fail(name, "must hold keys of its own ('key: value' below it)");
    child.layers.push_back({layer.file, value});
  }
  state_->open.push_back(std::move(child));
  keys();
  finish();
  state_->open.pop_back();
}

void Config::where(bool applies, std::string_view needs, const std::function<void()>& keys) {
  if (!applies) state_->needs = needs;
  keys();
  state_->needs.clear();
}

void Config::entries(std::string_view name, std::size_t /*count*/,
                     const std::function<void(std::size_t)>& resize,
                     const std::function<void(std::size_t)>& entry) {
  state_->mapping().known.emplace(name);
  if (!has(name)) return;
  const Layer& layer = *state_->mapping().layer(name);
  const YAML::Node list = state_->mapping().value(name);
  if (!list.IsSequence()) fail(name, "must be a list ('- ' lines)");
  const std::string file = layer.file, prefix = state_->mapping().prefix + std::string(name);
  resize(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i].IsMap()) fail(name, fmt::format("entry {} holds no keys", i + 1));
    state_->open.push_back({fmt::format("{}[{}].", prefix, i), {{file, list[i]}}, {}});
    entry(i);
    finish();
    state_->open.pop_back();
  }
}

namespace {

// Keys of LeafGlyph 0.1, and where to set that now.
constexpr std::pair<std::string_view, std::string_view> kMovedKeys[] = {
    {"pipeline.wear", "; did you mean 'augmentation'?"},
    {"preparation.source_aspect",
     "; the shape of a data set's photographs belongs in data.source_aspect"}};

std::string meant_key(const std::string& prefix, std::string_view key,
                      std::span<const std::string_view> known) {
  for (const auto& [moved, hint] : kMovedKeys) {
    if (prefix + std::string(key) == moved) return std::string(hint);
  }
  return did_you_mean(key, known);
}

}  // namespace

void Config::finish() const {
  const State::Mapping& mapping = state_->mapping();
  const std::vector<std::string_view> known(mapping.known.begin(), mapping.known.end());
  for (const Layer& layer : mapping.layers) {
    for (const auto& entry : layer.node) {
      const auto key = entry.first.as<std::string>("");
      if (mapping.known.contains(key)) continue;
      fail(key, "is an unknown key; known here: " + list_of(known) +
                    meant_key(mapping.prefix, key, known));
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
  for (const Layer& layer : state_->mapping().layers | std::views::reverse) {
    all = overruled(all, layer.node);
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
