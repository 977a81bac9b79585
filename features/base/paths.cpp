#include "features/base/paths.h"

#include <algorithm>
#include <system_error>

#include "features/base/errors.h"

namespace leafglyph {
namespace fs = std::filesystem;

namespace {

fs::file_type type_of(const fs::path& path) noexcept {
  std::error_code unreadable;
  return fs::status(path, unreadable).type();
}

}  // namespace

bool is_there(const fs::path& path) noexcept {
  const fs::file_type type = type_of(path);
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

bool is_folder(const fs::path& path) noexcept { return type_of(path) == fs::file_type::directory; }

bool is_regular(const fs::path& path) noexcept { return type_of(path) == fs::file_type::regular; }

bool is_link(const fs::path& path) noexcept {
  std::error_code unreadable;
  return fs::symlink_status(path, unreadable).type() == fs::file_type::symlink;
}

std::vector<std::string> names_in_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (error) {
    throw InputError(folder.string() + ": the folder cannot be read: " + error.message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace leafglyph
