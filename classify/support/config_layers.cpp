#include "classify/support/config_layers.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include <set>
#include <sstream>

#include "classify/support/named_configuration.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/paths.h"

namespace leafglyph {
namespace {

// What the layer of settings is called, which has no lines.
constexpr const char* kSettings = "--set";

std::string place_in(const std::string& file, const YAML::Mark& mark) {
  if (file.starts_with(kSettings) || mark.line < 0) return file;
  return fmt::format("{}:{}", file, mark.line + 1);
}

// Counts what a text nests and repeats before anything of it is kept.
class LimitedEvents : public YAML::EventHandler {
 public:
  explicit LimitedEvents(const std::string& file) : file_(file) {}

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    if (++aliases_ > kMaxConfigAliases) refuse(mark, "aliases", kMaxConfigAliases);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnMapEnd() override { --depth_; }
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}

 private:
  void enter(const YAML::Mark& mark) {
    if (++depth_ > kMaxConfigDepth) refuse(mark, "levels", kMaxConfigDepth);
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, const char* what, int most) const {
    throw UsageError(fmt::format("{}: has more than {} {}; a configuration needs fewer",
                                 place_in(file_, mark), most, what));
  }

  const std::string& file_;
  int depth_ = 0;
  int aliases_ = 0;
};

YAML::Node loaded(const std::string& text, const std::string& file) {
  if (text.size() > kMaxConfigBytes) {
    throw UsageError(fmt::format("{}: is larger than {}, the most that is read of a configuration",
                                 file, bytes_text(kMaxConfigBytes)));
  }
  try {
    LimitedEvents events(file);
    std::istringstream stream(text);
    YAML::Parser(stream).HandleNextDocument(events);
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
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>("");
    if (!seen.insert(key).second) {
      throw UsageError(place_in(file, entry.first.Mark()) + ": " + key +
                       ": stands here twice; keep one");
    }
  }
  return node;
}

// Puts the value of "a.b=value" into a mapping.
void add_setting(const std::string& setting, YAML::Node mapping) {
  const std::size_t equals = setting.find('=');
  const std::string place = std::string(kSettings) + " " + setting;
  const auto refuse = [&](const std::string& what) { throw UsageError(place + ": " + what); };
  std::string_view keys = std::string_view(setting).substr(0, equals);
  if (equals == std::string::npos || keys.empty()) {
    refuse("write key=value, such as features.order=20");
  }
  if (keys == kBaseKey) refuse("a base stands in a file");
  const YAML::Node value = loaded(setting.substr(equals + 1), place);
  try {
    for (std::size_t dot = keys.find('.'); dot != std::string_view::npos; dot = keys.find('.')) {
      mapping.reset(mapping[std::string(keys.substr(0, dot))]);
      keys.remove_prefix(dot + 1);
    }
    mapping[std::string(keys)] = value;
  } catch (const YAML::Exception& error) {
    refuse("is not YAML: " + error.msg);
  }
}

YAML::Node mapping_of(const std::vector<std::string>& settings) {
  YAML::Node mapping(YAML::NodeType::Map);
  for (const std::string& setting : settings) add_setting(setting, mapping);
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
