#include "classify/serve/training_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "classify/serve/kept_leaves.h"
#include "classify/serve/zip_archive.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

Place place_in(const fs::path& data) { return Place(data / "training"); }

Place made_place_in(const fs::path& data) {
  make_folder(data);
  return place_in(data);
}

// Not photographs, whatever their extension: hidden files, and what macOS adds to archives.
bool is_hidden(const fs::path& path) {
  return std::ranges::any_of(path, [](const fs::path& part) {
    return part.native().starts_with('.') || part == "__MACOSX";
  });
}

// The file name to use; empty if the file needs another name.
std::string file_name(std::string_view name) {
  try {
    return is_image_name(fs::path(name)) ? species_folder(name) : "";
  } catch (const UsageError&) {
    return "";
  }
}

// Not synced to disk, because the folder does not outlive its server.
void write_photograph(const fs::path& file, std::string_view bytes) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (stream) return;
  const int error = errno;
  std::error_code ignored;
  fs::remove(file, ignored);
  fail_with(file, "cannot be written", error);
}

void replace_all(std::string& text, const std::string& old, std::string_view by) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
    text.replace(at, old.size(), by);
    at += by.size();
  }
}

}  // namespace

void SkippedFiles::add(const std::string& name) {
  ++count;
  const std::string shown = printable(name);
  if (names.size() < kMostNames && std::ranges::count(names, shown) == 0) names.push_back(shown);
}

TrainingFolder::TrainingFolder(const fs::path& data)
    : partial_(made_place_in(data), PartialKind::kFolder, 0700) {}

void TrainingFolder::clear_leftovers(const fs::path& data) {
  leafglyph::clear_leftovers(place_in(data));
}

TrainingCounts TrainingFolder::counts() const {
  const std::lock_guard lock(mutex_);
  TrainingCounts counts{photographs_, {}, {}, loose_, others_};
  for (const auto& [species, photographs] : species_) {
    counts.species.push_back(species);
    counts.of_each.push_back(photographs);
  }
  return counts;
}

void TrainingFolder::add(std::string_view species, std::string_view name, std::string_view bytes) {
  const std::string of = species_folder(species);
  const std::lock_guard lock(mutex_);
  if (photographs_ == kMaxTrainingPhotographs || bytes_ + bytes.size() > kMaxTrainingBytes) {
    throw UsageError(fmt::format("a training has at most {} photographs and {} GiB",
                                 kMaxTrainingPhotographs, kMaxTrainingBytes >> 30));
  }
  if (bytes.empty()) throw UsageError("the file is empty");
  const fs::path folder = path() / of;
  make_folder(folder);
  std::string file = file_name(name);
  if (file.empty() || is_there(folder / file)) file = fmt::format("{:05}.jpg", photographs_ + 1);
  write_photograph(folder / file, bytes);
  ++species_[of];
  ++photographs_;
  bytes_ += bytes.size();
}

std::size_t TrainingFolder::add_archive(std::string_view zip) {
  std::size_t added = 0;
  for (ZipArchive archive(zip); archive.next();) {
    throw_if_interrupted();
    const fs::path path{archive.name()};
    if (!path.has_filename()) continue;  // a folder
    const std::string name = path.filename().string();
    // "oak" of "photographs/oak/0001.jpg"
    const std::string species = path.parent_path().filename().string();
    const bool photograph = is_image_name(path) && !is_hidden(path) && archive.size() > 0;
    if (photograph && !species.empty()) {
      add(species, name, archive.read());
      ++added;
      continue;
    }
    const std::lock_guard lock(mutex_);
    (photograph ? loose_ : others_).add(name);
  }
  return added;
}

std::string TrainingFolder::without_path(std::string message) const {
  replace_all(message, path().string() + "/", "");
  replace_all(message, path().string(), "the photographs that were sent");
  return message;
}

}  // namespace leafglyph
