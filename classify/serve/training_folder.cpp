#include "classify/serve/training_folder.h"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <stdlib.h>

#include <array>
#include <memory>
#include <vector>

#include "classify/serve/kept_leaves.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/paths.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

struct ZipCloser {
  void operator()(void* zip) const { unzClose(zip); }
};

[[noreturn]] void refuse_archive() {
  throw InputError("the archive is damaged, encrypted or no zip archive");
}

// "oak" of "photographs/oak/0001.jpg"; empty where the file is left out.
std::string species_of(std::string_view name) {
  if (name.ends_with('/')) return "";
  std::string species;
  const fs::path path{name};
  for (const fs::path& part : path) {
    if (part.native().starts_with('.') || part == "__MACOSX") return "";
  }
  return path.parent_path().filename().string();
}

// What a file may be called; empty where it needs another name.
std::string file_name(std::string_view name) {
  try {
    return is_image_name(fs::path(name)) ? species_folder(name) : "";
  } catch (const UsageError&) {
    return "";
  }
}

std::string read_entry(unzFile zip, const unz_file_info64& info) {
  if (info.uncompressed_size > kMaxArchivedBytes) {
    throw InputError(
        fmt::format("a file of the archive has more than {} bytes", kMaxArchivedBytes));
  }
  // Nothing is packed closer than this.
  constexpr std::size_t kDeflateRatio = 1032;
  if (info.uncompressed_size / kDeflateRatio > info.compressed_size) refuse_archive();
  if (unzOpenCurrentFile(zip) != UNZ_OK) refuse_archive();
  std::string bytes(info.uncompressed_size, '\0');
  const int count =
      unzReadCurrentFile(zip, bytes.data(), static_cast<unsigned>(info.uncompressed_size));
  // Closing checks the sum of the bytes; more of them than announced are an error, too.
  char further = 0;
  const bool whole =
      count == static_cast<int>(bytes.size()) && unzReadCurrentFile(zip, &further, 1) == 0;
  if (unzCloseCurrentFile(zip) != UNZ_OK || !whole) refuse_archive();
  return bytes;
}

}  // namespace

TrainingFolder::TrainingFolder() {
  std::string name = (fs::temp_directory_path() / "leafglyph-training-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("no temporary folder can be made: " + name);
  path_ = name;
}

TrainingFolder::~TrainingFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void TrainingFolder::add(std::string_view species, std::string_view name, std::string_view bytes) {
  const fs::path folder = path_ / species_folder(species);
  if (photographs_ == kMaxTrainingPhotographs || bytes_ + bytes.size() > kMaxTrainingBytes) {
    throw UsageError(fmt::format("a training has at most {} photographs and {} GiB",
                                 kMaxTrainingPhotographs, kMaxTrainingBytes >> 30));
  }
  if (bytes.empty()) throw UsageError("no photograph was sent");
  std::string file = file_name(name);
  if (file.empty() || is_there(folder / file)) file = fmt::format("{:05}.jpg", photographs_ + 1);
  FileSeries(folder).write(file, bytes);
  ++photographs_;
  bytes_ += bytes.size();
}

std::size_t TrainingFolder::add_archive(std::string_view zip) {
  const fs::path file = path_ / "archive.zip";
  write_file(file, zip);
  const std::unique_ptr<void, ZipCloser> opened(unzOpen64(file.c_str()));
  fs::remove(file);
  if (!opened) refuse_archive();
  const std::size_t before = photographs_;
  for (int state = unzGoToFirstFile(opened.get()); state != UNZ_END_OF_LIST_OF_FILE;
       state = unzGoToNextFile(opened.get())) {
    unz_file_info64 info{};
    std::vector<char> name(kMaxArchivedName + 1);
    if (state != UNZ_OK ||
        unzGetCurrentFileInfo64(opened.get(), &info, name.data(), kMaxArchivedName, nullptr, 0,
                                nullptr, 0) != UNZ_OK) {
      refuse_archive();
    }
    const std::string species = species_of(name.data());
    if (species.empty() || info.uncompressed_size == 0) continue;
    add(species, fs::path(name.data()).filename().string(), read_entry(opened.get(), info));
  }
  return photographs_ - before;
}

}  // namespace leafglyph
