#include "classify/serve/training_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "classify/http/page_limits.h"
#include "classify/serve/kept_leaves.h"
#include "classify/serve/waiting_list.h"
#include "classify/serve/zip_archive.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/owned_folder.h"
#include "features/base/text.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

constexpr int kMostServers = 100;  // whose photographs are found again

std::vector<std::string> nothing_replaceable(const fs::path&) { return {}; }

fs::path folder_in(const fs::path& data, int number) {
  return data / (number == 1 ? "waiting" : fmt::format("waiting-{}", number));
}

// Nobody else can read it. It has its mark from the beginning.
void make_marked_folder(const fs::path& folder) {
  StagedFolder staged(folder, nothing_replaceable);
  staged.write(WaitingList::kName, WaitingList::empty_list());
  fs::permissions(staged.path("."), fs::perms::owner_all);
  staged.commit();
}

// Locked, so that no other server takes the same place.
WriteLock new_place_in(const fs::path& data) {
  for (int number = 1;; ++number) {
    const fs::path folder = folder_in(data, number);
    if (is_there(folder) || is_link(folder)) continue;
    std::optional<WriteLock> lock = WriteLock::if_free(folder);
    if (!lock || is_there(folder)) continue;
    make_marked_folder(folder);
    return *std::move(lock);
  }
}

// Not photographs, whatever their extension.
bool is_hidden(const fs::path& path) {
  return std::ranges::any_of(path,
                             [](const fs::path& part) { return is_hidden_name(part.native()); });
}

// The file name to use; empty if the file needs another name.
std::string file_name(std::string_view name) {
  try {
    return is_image_name(fs::path(name)) ? species_folder(name) : "";
  } catch (const UsageError&) {
    return "";
  }
}

// Complete under its name or not there, whenever the server ends. Not synced to disk, which would
// take longer than sending a photograph: without power, the last ones have to be sent again.
void write_photograph(const fs::path& file, std::string_view bytes) {
  const fs::path unfinished = file.parent_path() / WaitingList::kUnfinished;
  errno = 0;
  std::ofstream stream(unfinished, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  std::error_code error;
  if (stream) {
    fs::rename(unfinished, file, error);
    if (!error) return;
  }
  const int reason = error ? error.value() : errno;
  fs::remove(unfinished, error);
  fail_with(file, "cannot be written", reason);
}

// "robur" of "Quercus/robur"
std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

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

TrainingFolder::TrainingFolder(const fs::path& data) : TrainingFolder(new_place_in(data)) {}

// Counts what its mark lists and is there.
TrainingFolder::TrainingFolder(WriteLock lock) : lock_(std::move(lock)), list_(path()) {
  const std::vector<std::string> listed =
      WaitingList::photographs_in(path()).value_or(std::vector<std::string>());
  for (const std::string& photograph : std::set(listed.begin(), listed.end())) {
    std::error_code missing;
    const std::uintmax_t size = fs::file_size(path() / photograph, missing);
    if (missing) continue;
    photographs_.insert(photograph);
    ++species_[fs::path(photograph).parent_path().string()];
    bytes_ += size;
  }
}

TrainingFolder::~TrainingFolder() {
  if (!discarded_ && !photographs_.empty()) return;
  try {
    OwnedFolder(path(), WaitingList::names_in).remove(OwnedFolder::Others::kGiveUp);
  } catch (const std::exception&) {  // out of memory, say: it is found again
  }
}

void TrainingFolder::discard() {
  const std::lock_guard lock(mutex_);
  discarded_ = true;
}

std::unique_ptr<TrainingFolder> TrainingFolder::left_in(const fs::path& data) {
  for (int number = 1; number <= kMostServers; ++number) {
    const fs::path place = folder_in(data, number);
    if (!is_folder(place)) continue;
    std::optional<WriteLock> lock = WriteLock::if_free(place);
    if (!lock || !WaitingList::photographs_in(place)) continue;
    std::unique_ptr<TrainingFolder> folder(new TrainingFolder(*std::move(lock)));
    if (!folder->photographs_.empty()) return folder;
  }
  return nullptr;
}

EarlierPhotographs TrainingFolder::earlier_in(const fs::path& data) {
  EarlierPhotographs earlier;
  for (int number = 1; number <= kMostServers; ++number) {
    const fs::path place = folder_in(data, number);
    if (!is_folder(place) || is_there(place / WaitingList::kName)) continue;
    const std::size_t before = earlier.photographs.size();
    for (const std::string& species : names_in_folder(place)) {
      if (!is_folder(place / species)) continue;
      for (const std::string& file : names_in_folder(place / species)) {
        const fs::path photograph = place / species / file;
        if (is_image_name(file) && is_regular(photograph)) {
          earlier.photographs.push_back(photograph);
        }
      }
    }
    if (earlier.photographs.size() > before) earlier.folders.push_back(place);
  }
  return earlier;
}

TrainingCounts TrainingFolder::counts() const {
  const std::lock_guard lock(mutex_);
  TrainingCounts counts{photographs_.size(), {}, {}, loose_, others_};
  for (const auto& [species, photographs] : species_) {
    counts.species.push_back(species);
    counts.of_each.push_back(photographs);
  }
  return counts;
}

void TrainingFolder::add(std::string_view species, std::string_view name, std::string_view bytes) {
  const std::string of = species_folder(species);
  const std::lock_guard lock(mutex_);
  if (photographs_.size() == kMaxTrainingPhotographs || bytes_ + bytes.size() > kMaxTrainingBytes) {
    throw UsageError(fmt::format("a training has at most {} photographs and {} GiB",
                                 kMaxTrainingPhotographs, kMaxTrainingBytes >> 30));
  }
  if (bytes.empty()) throw UsageError("the file is empty");
  const fs::path folder = path() / of;
  make_folder(folder);
  std::string file = file_name(name);
  for (std::size_t number = photographs_.size() + 1; file.empty() || is_there(folder / file);
       ++number) {
    file = fmt::format("{:05}.jpg", number);
  }
  const std::string photograph = of + "/" + file;
  list_.add(photograph);
  write_photograph(folder / file, bytes);
  ++species_[of];
  photographs_.insert(photograph);
  bytes_ += bytes.size();
}

std::size_t TrainingFolder::add_archive(std::string_view zip) {
  std::size_t added = 0;
  for (ZipArchive archive(zip); archive.next();) {
    throw_if_interrupted();
    const fs::path path{archive.name()};
    if (!path.has_filename()) continue;  // a folder
    const std::string name = path.filename().string();
    if (name == kSpeciesNames) {
      add_names(archive.read());
      continue;
    }
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

void TrainingFolder::add_names(std::string_view csv) {
  ForeignTable table(std::string(csv), kSpeciesNames, "name columns");
  CsvReader& reader = table.reader();
  if (!reader.column("folder")) reader.refuse("the first line must name the column folder");
  std::vector<std::string> fields;
  while (reader.next(fields)) continue;
  const std::lock_guard lock(mutex_);
  write_photograph(path() / WaitingList::kSentNames, csv);
}

fs::path TrainingFolder::finish() const {
  const std::lock_guard lock(mutex_);
  for_each_image(path().string(), [&](const std::string& image) {
    const fs::path photograph = fs::path(image).lexically_relative(path());
    if (photographs_.contains(photograph.string())) return;
    throw UsageError("'" + photograph.string() +
                     "' lies among the waiting photographs but was not sent; move it elsewhere "
                     "first");
  });
  if (!is_there(path() / WaitingList::kSentNames)) return {};
  ForeignTable table(read_text_file(path() / WaitingList::kSentNames), kSpeciesNames,
                     "name columns");
  CsvReader& reader = table.reader();
  const std::size_t folder = reader.column("folder").value();
  std::string lines = "folder";
  std::vector<std::size_t> columns = {folder};
  for (const char* name : {"common_name", "scientific_name", "chinese_name"}) {
    const std::optional<std::size_t> column = reader.column(name);
    if (!column) continue;
    lines += "," + std::string(name);
    columns.push_back(*column);
  }
  std::set<std::string> seen;
  std::vector<std::string> fields;
  for (lines += "\n"; reader.next(fields);) {
    fields[folder] = last_name(fields[folder]);
    if (!species_.contains(fields[folder]) || !seen.insert(fields[folder]).second) continue;
    for (const std::size_t column : columns) {
      lines += (column == folder ? "" : ",") + csv_field(fields[column]);
    }
    lines += "\n";
  }
  const fs::path names = path() / WaitingList::kNames;
  write_file(names, lines);
  return names;
}

std::string TrainingFolder::described(std::string description) const {
  replace_all(description, ", from " + last_name(path()), ", from the photographs that were sent");
  return description;
}

std::string TrainingFolder::without_path(std::string message) const {
  replace_all(message, path().string() + "/", "");
  replace_all(message, path().string(), "the photographs that were sent");
  return message;
}

}  // namespace leafglyph
