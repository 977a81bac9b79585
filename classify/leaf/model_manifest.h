// The manifest of a model's folder: which files it has, and that they are those which were written.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {

inline constexpr const char* kModelManifest = "manifest.json";

/// Bytes by the names of files.
using ModelFiles = std::map<std::string, std::string>;
/// Those of the file of that name. Throws FormatError, naming it, when the model has none.
const std::string& model_file(const ModelFiles& files, const std::filesystem::path& file);

/// The manifest of `files`: `facts` with the format, its version, the SHA-256 of every file, and
/// that of all this.
std::string manifest_of(nlohmann::json facts, const ModelFiles& files);

/// A manifest and the files that it lists, all of which have the digests that it states.
struct CheckedFiles {
  nlohmann::json manifest;
  ModelFiles files;
};

/// While a model is replaced, files of the old one and the new one meet: then it is read from the
/// start. Throws InputError when there is no such folder or a file cannot be read, FormatError when
/// it is not a model, of another version, or a file is missing or changed.
CheckedFiles read_model_files(const std::filesystem::path& folder);

/// The manifest and what it lists, of any format version, where the manifest holds its own digest:
/// the files of a model that may be replaced. Nothing in any other folder.
std::vector<std::string> names_in_model(const std::filesystem::path& folder);

/// Runs `read`; what a wrong type or a missing key throws becomes a FormatError about `file`.
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
