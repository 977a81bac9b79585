// The control groups of a process: a container or a cluster job has them, with limits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

namespace leafglyph {

enum class GroupVersion { k1, k2 };

/// Calls use(folder, version) for every group that contains the process in the hierarchy of the
/// controller ("memory", "cpu"), from the innermost one outwards. `groups` is a file such as
/// /proc/self/cgroup, `mount` the folder of the hierarchies, such as /sys/fs/cgroup.
void for_each_control_group(
    const std::filesystem::path& groups, const std::filesystem::path& mount,
    std::string_view controller,
    const std::function<void(const std::filesystem::path& folder, GroupVersion version)>& use);

/// The number in a file of a control group; nullopt if the file is missing or has none, such as
/// "max" or -1.
std::optional<std::size_t> number_in_group(const std::filesystem::path& file);

/// How many processors the control groups allow: the smallest quota, in units of one processor. The
/// largest number when no group has a quota.
double processors_of_groups(const std::filesystem::path& groups,
                            const std::filesystem::path& mount);

}  // namespace leafglyph
