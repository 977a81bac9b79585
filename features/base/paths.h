// What lies at a path, asked without exceptions: those of std::filesystem come where a name is too
// long or a folder may not be looked into, and are no Error.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leafglyph {

/// Each follows links, and is false for what cannot be looked at, whatever the reason; opening it
/// says why.
bool is_there(const std::filesystem::path& path) noexcept;
bool is_folder(const std::filesystem::path& path) noexcept;
bool is_regular(const std::filesystem::path& path) noexcept;

/// Whether the path itself is a link.
bool is_link(const std::filesystem::path& path) noexcept;

/// The names of what lies in a folder, sorted, hidden ones left out. Throws InputError when it
/// cannot be read.
std::vector<std::string> names_in_folder(const std::filesystem::path& folder);

}  // namespace leafglyph
