// The manifest of a model's folder: its files and their digests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/checked_file.h"
#include "features/base/errors.h"

namespace leafglyph {

inline constexpr const char* kModelManifest = "manifest.json";

/// Contents of files, by file name.
using ModelFiles = std::map<std::string, std::string>;
/// The contents of that file. Throws FormatError, naming the file, when the model does not have it.
const std::string& model_file(const ModelFiles& files, const std::filesystem::path& file);

/// A file that grows with the leaves, as it is written: its head, and what follows, piece by piece,
/// where that lies. It is a CheckedFile when it is read; the list of its digests is the file of its
/// name and kDigests.
struct LargeFile {
  std::string head;
  std::vector<std::string_view> rest;

  /// The head and the rest.
  std::vector<std::string_view> pieces() const;
};
using LargeFiles = std::map<std::string, LargeFile>;
inline constexpr std::string_view kDigests = ".sha256";

/// Writes a large file into a folder and returns its size. Throws Error when it cannot be written.
std::uint64_t write_large(const StagedFolder& folder, const std::string& name,
                          const LargeFile& file);

/// Adds the lists of digests of `large` to `files`.
void add_digests(const LargeFiles& large, ModelFiles& files);

/// The manifest of `files`: `facts`, the format and its version, the SHA-256 of every file except
/// those that have a list of digests, and the SHA-256 of all this.
std::string manifest_of(nlohmann::json facts, const ModelFiles& files);

/// A manifest and its files. The digests of the large ones are checked where they are read.
struct CheckedFiles {
  nlohmann::json manifest;
  ModelFiles files;
  std::map<std::string, std::shared_ptr<const CheckedFile>> large;
  std::uint64_t bytes = 0;  ///< of the folder
};
/// The large file of that name. Throws FormatError, naming it, when the model does not have it.
std::shared_ptr<const CheckedFile> large_file(const CheckedFiles& files,
                                              const std::filesystem::path& file);

/// Reads a model. If it is replaced meanwhile, it is read again from the start. Throws InputError
/// when the folder does not exist or a file cannot be read; FormatError when it is not a model or
/// has another version, or when a file is missing or has changed.
CheckedFiles read_model_files(const std::filesystem::path& folder);

/// The names of the manifest and its files, for any format version whose own digest is valid: the
/// files of a model that may be replaced (NamesOf). Empty for any other folder.
std::vector<std::string> names_in_model(const std::filesystem::path& folder);

/// Runs `read` and turns wrong types and missing keys into a FormatError about `file`.
template <class Function>
auto as_format_error(const std::filesystem::path& file, const Function& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    throw FormatError(file.string() + ": damaged, or of another format; train the model again");
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what() + "; train the model again");
  }
}

}  // namespace leafglyph
