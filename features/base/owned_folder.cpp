#include "features/base/owned_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/partial.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

// The folders above the files in `names`: "a" and "a/b" of "a/b/c".
std::set<std::string> folders_above(const std::vector<std::string>& names) {
  std::set<std::string> folders;
  for (const std::string& name : names) {
    for (fs::path above = fs::path(name).parent_path(); !above.empty();
         above = above.parent_path()) {
      folders.insert(above.string());
    }
  }
  return folders;
}

std::vector<std::string> files_directly_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::file_type type = entry->symlink_status(error).type();
    if (type == fs::file_type::regular) names.push_back(entry->path().filename().string());
  }
  return names;
}

// A path that leads outside, also through a link, is not a file of the folder, whatever its mark
// says.
bool is_inside(const fs::path& folder, const std::string& name) {
  const fs::path path(name);
  if (path.is_absolute() || std::ranges::count(path, fs::path("..")) > 0) return false;
  for (fs::path above = path.parent_path(); !above.empty(); above = above.parent_path()) {
    if (is_link(folder / above)) return false;
  }
  return true;
}

}  // namespace

OwnedFolder::OwnedFolder(fs::path folder, NamesOf names_of)
    : folder_(std::move(folder)), names_of_(std::move(names_of)) {}

OwnedFolder OwnedFolder::unfinished(fs::path folder) {
  return {std::move(folder), files_directly_in};
}

std::optional<std::string> OwnedFolder::first_other(const fs::path& named) const {
  if (!is_folder(folder_)) throw Error(named.string() + ": is not a folder");
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::recursive_directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    entries.push_back(*entry);
  }
  if (error) fail_with(named, "cannot be inspected", error.value());
  if (entries.empty()) return std::nullopt;
  std::ranges::sort(entries);
  const std::vector<std::string> names = names_of_(folder_);
  const std::set<std::string> files(names.begin(), names.end()), folders = folders_above(names);
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().lexically_relative(folder_).generic_string();
    const fs::file_type type = entry.symlink_status(error).type();
    const bool ours = type == fs::file_type::regular     ? files.contains(name)
                      : type == fs::file_type::directory ? folders.contains(name)
                                                         : false;
    if (!ours) return name;
  }
  return std::nullopt;
}

bool OwnedFolder::remove(Others others) const {
  if (is_link(folder_)) return ::unlink(folder_.c_str()) == 0;
  std::vector<std::string> names = names_of_(folder_);
  std::erase_if(names, [&](const std::string& name) { return !is_inside(folder_, name); });
  std::error_code error;
  const auto unlink = [&](const std::string& name) {
    const fs::path file = folder_ / name;
    if (fs::symlink_status(file, error).type() == fs::file_type::regular) ::unlink(file.c_str());
  };
  const std::string mark = names.empty() ? "" : names.back();
  for (const std::string& name : names) {
    if (name != mark) unlink(name);
  }
  const std::set<std::string> folders = folders_above(names);
  // The innermost first: "a/b" sorts after "a".
  for (auto inner = folders.rbegin(); inner != folders.rend(); ++inner) {
    ::rmdir((folder_ / *inner).c_str());
  }
  const auto left = std::distance(fs::directory_iterator(folder_, error), {});
  if (!mark.empty() && (left <= 1 || others == Others::kGiveUp)) unlink(mark);
  return ::rmdir(folder_.c_str()) == 0;
}

// The next writer, or the next start of the page, removes what a killed process leaves.
void OwnedFolder::remove_at_once() const {
  const auto check = [&](const fs::path& folder) {
    if (is_link(folder)) return;
    const std::optional<std::string> other = OwnedFolder(folder, names_of_).first_other(folder_);
    if (!other) return;
    if (folder != folder_) ::rename(folder.c_str(), folder_.c_str());
    throw Error(folder_.string() + ": holds '" + *other +
                "', which LeafGlyph did not make; move it elsewhere first");
  };
  check(folder_);
  const fs::path away = unused_name(Place(folder_));
  if (::rename(folder_.c_str(), away.c_str()) == 0) {
    check(away);  // something may have been added at the last moment
    OwnedFolder(away, names_of_).remove();
  } else if (errno != EXDEV || !remove()) {  // EXDEV: a folder of an overlay's lower layer
    fail_with(folder_, "cannot be removed", errno);
  }
}

}  // namespace leafglyph
