#include "classify/support/config_layers.h"

#include <fmt/format.h>

#include <sstream>

#include "classify/support/config_events.h"
#include "classify/support/named_configuration.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/paths.h"

namespace leafglyph {
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

// A text "a.b=value".
struct Setting {
  std::string text;
  std::string key;
  std::string value;

  explicit Setting(const std::string& setting);
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(place() + ": " + what);
  }
  std::string place() const { return std::string(kSettings) + " " + text; }
  /// Whether this one sets what `other` sets, or part of it.
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
  if (key == kBaseKey) refuse("a base stands in a file");
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
    if (!base.IsScalar()) throw at("has to be the name of a file");
    if (layers.size() > kMaxConfigBases) {
      throw at(fmt::format("more than {} files are each other's base", kMaxConfigBases));
    }
    const std::filesystem::path file = base_file(layers.back().file, base.Scalar());
    for (const Layer& layer : layers) {
      if (std::filesystem::path(layer.file).lexically_normal() == file) {
        throw at("'" + file.string() + "' is in the end its own base");
      }
    }
    layers.push_back({file.string(), parsed(read_text_file(file, kMaxConfigBytes), file.string())});
  }
  return layers;
}

}  // namespace leafglyph
