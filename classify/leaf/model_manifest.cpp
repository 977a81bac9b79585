#include "classify/leaf/model_manifest.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <numeric>

#include "classify/leaf/model_folder.h"
#include "classify/support/sealed_json.h"
#include "features/base/files.h"
#include "features/base/partial.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormatName = "leafglyph-leaf-classifier";
// Format of models whose manifest has no checksum and whose index is FAISS's; it is no longer read.
constexpr const char* kOlderFormatName = "leafglyph-leaf-model";
constexpr int kAttempts = 20;  // at reading a model while others replace it

void check_manifest(const Json& manifest, const std::string& text,
                    const std::filesystem::path& folder) {
  const std::string format = manifest.is_object() ? manifest.value("format", "") : "";
  if (format == kOlderFormatName) {
    throw FormatError(
        folder.string() +
        ": was written by an older LeafGlyph, and this one cannot read it; train again");
  }
  if (format != kFormatName) {
    throw FormatError(folder.string() + ": not a leaf model of LeafGlyph");
  }
  const Json& version = manifest.at("version");
  if (!version.is_number_integer() || version != Json(kModelVersion)) {
    throw FormatError(fmt::format(
        "{}: a model of format version {}, but this LeafGlyph reads version {}: use the "
        "LeafGlyph that wrote it, or train again",
        folder.string(), version.dump(), kModelVersion));
  }
  if (!is_sealed(manifest, text)) {
    throw FormatError((folder / kModelManifest).string() +
                      ": does not match its own checksum; it is damaged or was changed: "
                      "train the model again");
  }
}

// The name of the large file that a list of digests is of; empty for another file.
std::string name_of_large(std::string_view name) {
  return std::string(name.ends_with(kDigests) ? name.substr(0, name.size() - kDigests.size()) : "");
}

FormatError missing(const std::filesystem::path& file) {
  return FormatError(file.string() + ": missing from the model; train it again");
}

CheckedFiles read_checked_files(const Json& manifest, std::size_t manifest_bytes,
                                const std::filesystem::path& folder) {
  CheckedFiles checked{manifest, {}, {}, manifest_bytes};
  for (const auto& [name, checksum] : manifest.at("sha256").items()) {
    const std::filesystem::path file = folder / name;
    if (std::filesystem::path(name).filename() != name || !is_regular(file)) {
      throw missing(file);
    }
    const auto digest = checksum.get<std::string>();
    if (const std::string large = name_of_large(name); !large.empty()) {
      if (!is_regular(folder / large)) throw missing(folder / large);
      checked.large[large] = std::make_shared<const CheckedFile>(folder / large, file, digest,
                                                                 "train the model again");
      checked.bytes += checked.large[large]->size() + checked.large[large]->digests().size();
      continue;
    }
    std::string bytes = read_file(file);
    if (sha256(bytes) != digest) {
      throw FormatError(file.string() +
                        ": does not match its checksum in the manifest; it is "
                        "damaged or was changed: train the model again");
    }
    checked.bytes += bytes.size();
    checked.files[name] = std::move(bytes);
  }
  return checked;
}

CheckedFiles read_once(const std::filesystem::path& folder, const std::string& text) {
  return as_format_error(folder / kModelManifest, [&] {
    const Json manifest = Json::parse(text);
    check_manifest(manifest, text, folder);
    return read_checked_files(manifest, text.size(), folder);
  });
}

// A folder can be replaced between finding it and opening a file in it.
std::string manifest_text(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kModelManifest;
  for (int attempt = 1;; ++attempt) {
    const bool last = attempt == kAttempts;
    if (is_regular(file)) {
      try {
        return read_text_file(file);
      } catch (const InputError&) {
        if (last) throw;
      }
    } else if (last) {
      throw FormatError(folder.string() + ": not a model: it has no " + kModelManifest);
    }
  }
}

}  // namespace

const std::string& model_file(const ModelFiles& files, const std::filesystem::path& file) {
  const auto found = files.find(file.filename().string());
  if (found == files.end()) throw missing(file);
  return found->second;
}

std::shared_ptr<const CheckedFile> large_file(const CheckedFiles& files,
                                              const std::filesystem::path& file) {
  const auto found = files.large.find(file.filename().string());
  if (found == files.large.end()) throw missing(file);
  return found->second;
}

std::vector<std::string_view> LargeFile::pieces() const {
  std::vector<std::string_view> all = {head};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

std::uint64_t write_large(const StagedFolder& folder, const std::string& name,
                          const LargeFile& file) {
  const std::filesystem::path path = folder.path(name);
  const Descriptor opened(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!opened.is_open()) fail_with(path, "cannot be written", errno);
  const std::vector<std::string_view> pieces = file.pieces();
  if (!opened.write(pieces)) fail_with(path, "cannot be written", errno);
  return std::accumulate(
      pieces.begin(), pieces.end(), std::uint64_t{0},
      [](std::uint64_t sum, std::string_view piece) { return sum + piece.size(); });
}

void add_digests(const LargeFiles& large, ModelFiles& files) {
  for (const auto& [name, file] : large) {
    files[name + std::string(kDigests)] = CheckedFile::digests_of(file.pieces());
  }
}

std::string manifest_of(Json facts, const ModelFiles& files) {
  Json checksums = Json::object();
  for (const auto& [name, bytes] : files) {
    if (!files.contains(name + std::string(kDigests))) checksums[name] = sha256(bytes);
  }
  facts["format"] = kFormatName;
  facts["version"] = kModelVersion;
  facts["sha256"] = checksums;
  return sealed_text(std::move(facts));
}

// If the model is replaced, `folder` names another folder. The first one is kept open, so that the
// new one cannot get the same inode number.
CheckedFiles read_model_files(const std::filesystem::path& folder) {
  std::error_code unreadable;
  const auto status = std::filesystem::status(folder, unreadable);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw InputError(folder.string() + ": no such model folder; train one with leaf train");
  }
  if (!std::filesystem::status_known(status)) {
    throw InputError(folder.string() + ": cannot be read: " + unreadable.message());
  }
  for (int attempt = 1;; ++attempt) {
    const Descriptor named(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string text = manifest_text(folder);
    try {
      return read_once(folder, text);
    } catch (const Error&) {
      if ((named.is_open() && named.is_at(folder)) || attempt == kAttempts) throw;
    }
  }
}

std::vector<std::string> names_in_model(const std::filesystem::path& folder) {
  if (!is_regular(folder / kModelManifest)) return {};
  const std::string text = read_text_file(folder / kModelManifest);
  const Json manifest = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!is_sealed(manifest, text) || manifest.value("format", Json()) != Json(kFormatName) ||
      !manifest.contains("sha256")) {
    return {};
  }
  std::vector<std::string> names;
  for (const auto& item : manifest["sha256"].items()) {
    names.push_back(item.key());
    if (std::string large = name_of_large(item.key()); !large.empty()) {
      names.push_back(std::move(large));
    }
  }
  names.emplace_back(kModelManifest);
  return names;
}

}  // namespace leafglyph
