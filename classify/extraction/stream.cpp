#include "classify/extraction/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "classify/extraction/changed_images.h"
#include "classify/leaf/stage_time.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

// What a row says of an image that failed, without the path, which stands beside it.
std::string reason(std::string message, const std::string& path) {
  const std::string beginning = printable(path) + ": ";
  if (message.starts_with(beginning)) message.erase(0, beginning.size());
  return message;
}

/// Writes rows, which come in their order, into a store; a block when it is whole.
class BlockWriter {
 public:
  BlockWriter(const FeatureStore& store, std::vector<std::size_t> blocks)
      : store_(store), blocks_(std::move(blocks)) {}

  /// True when the block is whole, and is to be written.
  bool add(StoreRow row, std::span<const float> values) {
    open_.rows.push_back(std::move(row));
    if (values.empty()) {
      open_.values.insert(open_.values.end(), store_.header().columns.size(),
                          std::numeric_limits<float>::quiet_NaN());
    } else {
      open_.values.insert(open_.values.end(), values.begin(), values.end());
    }
    return open_.rows.size() == store_.header().rows_of(blocks_[written_]);
  }
  void write() {
    store_.write_block(blocks_[written_++], open_);
    open_ = {};
  }

 private:
  const FeatureStore& store_;
  std::vector<std::size_t> blocks_;
  std::size_t written_ = 0;
  StoreBlock open_;
};

double processor_seconds(const StreamReport& report) {
  return std::max(1e-9, report.seconds * report.threads);
}

}  // namespace

Shard shard_from_text(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  if (!slash || count.ec != std::errc{} || count.ptr != end || shard.index >= shard.count) {
    throw UsageError("shard '" + text + "' is none; use I/N with 0 <= I < N, such as 0/4");
  }
  return shard;
}

std::vector<std::string> stage_lines(const StreamReport& report) {
  std::vector<std::string> lines;
  for (const StageBusy& stage : report.stages) {
    if (stage.seconds == 0) continue;
    lines.push_back(fmt::format(
        "{:8} {:7.1f} s, {:3.0f} % of {} threads, {:.2f} ms an image", stage_name(stage.stage),
        stage.seconds, 100 * stage.seconds / processor_seconds(report), report.threads,
        1e3 * stage.seconds / static_cast<double>(std::max<std::size_t>(1, report.images))));
  }
  return lines;
}

std::string limit_of(const StreamReport& report) {
  const auto busiest = std::ranges::max_element(report.stages, {}, &StageBusy::seconds);
  if (busiest == report.stages.end() || busiest->seconds == 0) return "nothing";
  return fmt::format("{}, {:.0f} % of {} threads", stage_name(busiest->stage),
                     100 * busiest->seconds / processor_seconds(report), report.threads);
}

StreamReport extract_features(const ImageList& images, const Recipe& recipe,
                              const FeatureStore& store, const Shard& shard,
                              const PlanOptions& options, ProgressStyle style) {
  const StoreHeader& header = store.header();
  std::vector<std::size_t> there, missing;
  std::size_t total = 0;
  for (std::size_t b = shard.index; b < header.blocks(); b += shard.count) {
    (store.has_block(b) ? there : missing).push_back(b);
    if (missing.empty() || missing.back() != b) continue;
    total += header.rows_of(b);
  }
  check_unchanged(store, there, style);
  StreamReport report;
  report.blocks_there = there.size();
  report.threads = thread_count();
  StageLoad load;
  const Stopwatch watch;
  MakerPool<float> makers(recipe.rows, options);
  report.gpus = makers.gpus();
  // Only the last block of a store may be shorter than the others.
  const auto image = [&](std::size_t i) {
    return missing[i / header.block] * header.block + i % header.block;
  };
  BlockWriter writer(store, missing);
  Progress progress("images", total, style);
  StreamOptions stream;
  stream.block = header.block;
  stream.load = &load;
  stream.advance = [&](std::size_t count) { progress.advance(count); };
  stream_rows<float>(recipe.images(total, [&](std::size_t i) { return images.path(image(i)); }),
                     makers, stream, [&](const MadeRows<float>& made) {
                       StoreRow row;
                       row.path = images.path(image(made.index));
                       row.label = images.label(image(made.index));
                       row.file = made.input.digest;
                       if (!made.error.empty()) {
                         row.state = RowState::kFailed;
                         row.warnings = reason(made.error, row.path);
                         ++report.failed;
                       } else {
                         for (const std::string& warning : made.warnings.front()) {
                           row.warnings += (row.warnings.empty() ? "" : "; ") + warning;
                         }
                       }
                       ++report.images;
                       if (writer.add(std::move(row), made.values)) {
                         load.time(Stage::kWrite, [&] { writer.write(); });
                       }
                     });
  store.clear_when_complete();
  report.seconds = watch.seconds();
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    report.stages.push_back({stage, load.seconds(stage)});
  }
  return report;
}

}  // namespace leafglyph
