// Files in memory that readers of files are given, and folders of several of which one is fuzzed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace leafglyph::fuzz {

/// The process's own folder, in memory where there is /dev/shm; it goes with the process.
const std::filesystem::path& scratch_folder();

/// Writes a file there and returns its path.
std::filesystem::path scratch_file(const std::string& name, std::string_view bytes);

/// Bytes by the names of files.
using Files = std::map<std::string, std::string>;
Files files_in(const std::filesystem::path& folder);

/// An input is a byte that says which of the files it stands for, and that file's content.
Files with_fuzzed_file(const Files& files, std::string_view input, std::string* which = nullptr);
/// For each file the input that leaves everything as it is.
std::vector<std::string> inputs_of(const Files& files);

/// Writes the files into a folder of the scratch folder and returns its path.
std::filesystem::path scratch_files(const std::string& folder, const Files& files);

}  // namespace leafglyph::fuzz
