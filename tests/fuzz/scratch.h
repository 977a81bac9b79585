// Files in memory for readers of files, and folders of several files of which one is fuzzed.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph::fuzz {

/// The process's own folder, in memory if there is /dev/shm; removed at the end of the process.
const std::filesystem::path& scratch_folder();

/// Writes a file there and returns its path.
std::filesystem::path scratch_file(const std::string& name, std::string_view bytes);

/// File contents by file name.
using Files = std::map<std::string, std::string>;
Files files_in(const std::filesystem::path& folder);

/// The first byte of an input selects one of the files; the rest is that file's content.
Files with_fuzzed_file(const Files& files, std::string_view input, std::string* which = nullptr);
/// For each file the input that leaves all files unchanged.
std::vector<std::string> inputs_of(const Files& files);

/// Writes the files into a folder of the scratch folder and returns its path.
std::filesystem::path scratch_files(const std::string& folder, const Files& files);

}  // namespace leafglyph::fuzz
