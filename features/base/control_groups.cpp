#include "features/base/control_groups.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "features/base/lines.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// Whether a list such as "cpu,cpuacct" contains the name.
bool contains(std::string_view list, std::string_view name) {
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

// quota / period; nullopt if there is no quota.
std::optional<double> ratio(std::optional<std::size_t> quota, std::optional<std::size_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<double> quota_of(const fs::path& folder, GroupVersion version) {
  if (version == GroupVersion::k1) {
    return ratio(number_in_group(folder / "cpu.cfs_quota_us"),
                 number_in_group(folder / "cpu.cfs_period_us"));
  }
  std::ifstream stream(folder / "cpu.max");  // "200000 100000" or "max 100000"
  std::size_t quota = 0;
  std::size_t period = 0;
  return stream >> quota >> period ? ratio(quota, period) : std::nullopt;
}

}  // namespace

std::optional<std::size_t> number_in_group(const fs::path& file) {
  std::ifstream stream(file);
  long long number = 0;
  if (!(stream >> number) || number < 0) return std::nullopt;
  return static_cast<std::size_t>(number);
}

void for_each_control_group(const fs::path& groups, const fs::path& mount,
                            std::string_view controller,
                            const std::function<void(const fs::path&, GroupVersion)>& use) {
  std::ifstream stream(groups);
  // number:controllers:path
  for (std::string line; next_line(stream, line, groups.native());) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_second = controllers.empty();
    if (!is_second && !contains(controllers, controller)) continue;
    const fs::path hierarchy = is_second ? mount : mount / controller;
    const GroupVersion version = is_second ? GroupVersion::k2 : GroupVersion::k1;
    // Groups are nested, and each may have a limit. In a container, the path is the one outside the
    // container; the container's own group is then the mount itself.
    fs::path path = fs::path(line.substr(second + 1)).relative_path();
    while (true) {
      use(hierarchy / path, version);
      if (path.empty()) break;
      path = path.parent_path();
    }
  }
}

double processors_of_groups(const fs::path& groups, const fs::path& mount) {
  double least = std::numeric_limits<double>::max();
  for_each_control_group(groups, mount, "cpu", [&](const fs::path& folder, GroupVersion version) {
    if (const auto quota = quota_of(folder, version)) least = std::min(least, *quota);
  });
  return least;
}

}  // namespace leafglyph
