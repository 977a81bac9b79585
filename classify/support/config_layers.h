// Where the values of a configuration stand: in settings, in its file, and in what that is based
// on. Part of config.cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The key that names the file a configuration is based on.
inline constexpr const char* kBaseKey = "base";

/// One file's part of a mapping, or that of the settings.
struct Layer {
  std::string file;
  YAML::Node node;  ///< a mapping

  /// "FILE:LINE", or the file alone where there are no lines.
  std::string place(const YAML::Mark& mark) const;
};

/// The layer of the settings, if there are any, that of `text`, whose file is `name`, and those of
/// its bases: of each key the first one's value holds. Throws what Config::parse throws.
std::vector<Layer> read_layers(std::string_view text, std::string_view name,
                               const std::vector<std::string>& settings);

}  // namespace leafglyph
