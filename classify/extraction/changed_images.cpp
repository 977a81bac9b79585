#include "classify/extraction/changed_images.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/parallel_for.h"

namespace leafglyph {
namespace {

FileDigest digest_now(const std::string& path) {
  try {
    return digest_of_file(path);
  } catch (const InputError&) {
    return {};
  }
}

std::string how_it_changed(const FileDigest& before, const FileDigest& now) {
  if (now.sha256.empty()) return "can no longer be read";
  if (before.sha256.empty()) return "can be read, and could not be read then";
  if (before.bytes != now.bytes) {
    return fmt::format("has {} bytes, not {}", now.bytes, before.bytes);
  }
  return "has other bytes";
}

}  // namespace

void check_unchanged(const FeatureStore& store, std::span<const std::size_t> blocks,
                     ProgressStyle style) {
  std::size_t total = 0;
  for (const std::size_t b : blocks) total += store.header().rows_of(b);
  Progress progress("images compared", total, style);
  for (const std::size_t b : blocks) {
    const std::vector<StoreRow> rows = store.read_rows(b);
    parallel_for(rows.size(), [&](std::size_t r) {
      const FileDigest now = digest_now(rows[r].path);
      progress.advance();
      if (now == rows[r].file) return;
      throw InputError(fmt::format(
          "{}: has changed since block {} of {} was computed: it {}; name another folder, or "
          "remove {:08}.* there and run again, which computes that block anew",
          rows[r].path, b, store.folder().string(), how_it_changed(rows[r].file, now), b));
    });
  }
}

}  // namespace leafglyph
