// The configurations that come with the program, found by their names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The folder share/leafglyph/configs beside or above the program, or what Python loaded: as
/// cmake --install puts it and as the build makes it. Empty where there is none.
std::filesystem::path configuration_folder();

/// "gb2312", "leaf", ... in the order of the alphabet; none without a folder.
std::vector<std::string> configuration_names();

/// `name` where it is a file; else, where it is "leaf", "leaf.yaml" or "configs/leaf.yaml", the
/// configuration of that name; else `name` again. Throws InputError when there is neither, with the
/// name that may have been meant.
std::filesystem::path find_configuration(const std::filesystem::path& name);

}  // namespace leafglyph
