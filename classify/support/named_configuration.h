// The configurations that come with the program, found by their names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leafglyph {

/// The folder share/leafglyph/configs beside or above the program, or beside or above the library
/// that Python loaded, where cmake --install and the build put it. Empty if it does not exist.
std::filesystem::path configuration_folder();

/// "gb2312", "leaf", ... in alphabetical order; none without a folder.
std::vector<std::string> configuration_names();

/// `name` if it is a file; otherwise, if it is "leaf", "leaf.yaml" or "configs/leaf.yaml", the
/// configuration of that name; otherwise `name` unchanged. Throws InputError when neither exists,
/// with a suggestion.
std::filesystem::path find_configuration(const std::filesystem::path& name);

}  // namespace leafglyph
