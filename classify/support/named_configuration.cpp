#include "classify/support/named_configuration.h"

#include <dlfcn.h>

#include <algorithm>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/names.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// lib/python3/dist-packages/leafglyph is the deepest case.
constexpr int kFoldersAbove = 5;

fs::path folder_above(const fs::path& program) {
  std::error_code unreadable;
  fs::path folder = fs::canonical(program, unreadable).parent_path();
  for (int i = 0; i < kFoldersAbove && folder.has_relative_path(); ++i) {
    fs::path configs = folder / "share" / "leafglyph" / "configs";
    if (is_folder(configs)) return configs;
    folder = folder.parent_path();
  }
  return {};
}

// The name "leaf" for leaf, leaf.yaml and configs/leaf.yaml.
std::string name_in(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (!folder.empty() && folder != "configs") return "";
  return path.extension() == ".yaml" ? path.stem().string() : path.filename().string();
}

}  // namespace

fs::path configuration_folder() {
  // For the program itself, dladdr returns the name by which it was called, which may not be a
  // path.
  Dl_info here{};
  const bool is_known = dladdr(reinterpret_cast<const void*>(&configuration_folder), &here) != 0;
  if (is_known && here.dli_fname != nullptr && fs::path(here.dli_fname).is_absolute()) {
    fs::path folder = folder_above(here.dli_fname);
    if (!folder.empty()) return folder;
  }
  return folder_above("/proc/self/exe");
}

std::vector<std::string> configuration_names() {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (fs::directory_iterator it(configuration_folder(), unreadable), end; !unreadable && it != end;
       it.increment(unreadable)) {
    if (it->path().extension() == ".yaml") names.push_back(it->path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path find_configuration(const fs::path& path) {
  if (is_there(path) && !is_folder(path)) return path;
  const std::string name = name_in(path);
  const std::vector<std::string> names = configuration_names();
  if (std::ranges::count(names, name) > 0) return configuration_folder() / (name + ".yaml");
  // A path that cannot be inspected is refused by its reader, which knows the reason.
  std::error_code unreadable;
  if (fs::status(path, unreadable).type() != fs::file_type::not_found) return path;
  const std::string meant = path.extension() == ".yml" ? path.stem().string() : name;
  throw InputError(path.string() + ": there is no such file and no configuration with that name" +
                   did_you_mean(meant, names) + "; leafglyph config list shows all");
}

}  // namespace leafglyph
