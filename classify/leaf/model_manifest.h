// The manifest of a model's folder: its files and their digests.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {

inline constexpr const char* kModelManifest = "manifest.json";

/// Contents of files, by file name.
using ModelFiles = std::map<std::string, std::string>;
/// The contents of that file. Throws FormatError, naming the file, when the model does not have it.
const std::string& model_file(const ModelFiles& files, const std::filesystem::path& file);

/// A .npy file that is written: its header, and the values where they lie.
struct MatrixFile {
  std::string header;
  std::string_view values;
};
using MatrixFiles = std::map<std::string, MatrixFile>;

/// The manifest of `files` and `matrices`: `facts`, the format and its version, the SHA-256 of
/// every file, and the SHA-256 of all this.
std::string manifest_of(nlohmann::json facts, const ModelFiles& files,
                        const MatrixFiles& matrices = {});

/// A manifest and its files, with their digests checked.
struct CheckedFiles {
  nlohmann::json manifest;
  ModelFiles files;
};

/// Reads a model. If it is replaced meanwhile, it is read again from the start. Throws InputError
/// when the folder does not exist or a file cannot be read; FormatError when it is not a model or
/// has another version, or when a file is missing or has changed.
CheckedFiles read_model_files(const std::filesystem::path& folder);

/// The names of the manifest and its files, for any format version whose own digest is valid: the
/// files of a model that may be replaced. Empty for any other folder.
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
