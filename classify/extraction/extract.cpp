#include "classify/extraction/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "classify/leaf/stage_time.h"
#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// The error of an image that failed, without the path, which its row holds already.
std::string reason(std::string message, const std::string& path) {
  const std::string beginning = printable(path) + ": ";
  if (message.starts_with(beginning)) message.erase(0, beginning.size());
  return message;
}

/// The blocks of a shard.
struct Work {
  std::vector<std::size_t> there;    // blocks that exist already
  std::vector<std::size_t> missing;  // blocks to compute
  std::size_t images = 0;            // number of images in the missing blocks
};

Work work_of(const FeatureStore& store, const Shard& shard) {
  Work work;
  for (std::size_t b = shard.index; b < store.header().blocks(); b += shard.count) {
    if (store.has_block(b)) {
      work.there.push_back(b);
    } else {
      work.missing.push_back(b);
      work.images += store.header().inputs_of(b);
    }
  }
  return work;
}

RowState state_of(PartState state) {
  switch (state) {
    case PartState::kWhole:
      break;
    case PartState::kCut:
      return RowState::kCut;
    case PartState::kOverlapping:
      return RowState::kOverlapping;
    case PartState::kNotALeaf:
      return RowState::kNotALeaf;
  }
  return RowState::kOk;
}

FileDigest digest_now(const std::string& path) {
  try {
    return digest_of_file(path);
  } catch (const InputError&) {
    return {};
  }
}

std::string how_it_changed(const FileDigest& before, const FileDigest& now) {
  if (now.sha256.empty()) return "can no longer be read";
  if (before.sha256.empty()) return "can be read now but could not be read then";
  if (before.bytes != now.bytes) {
    return fmt::format("has {} bytes, not {}", now.bytes, before.bytes);
  }
  return "has other bytes";
}

// Reads the images of existing blocks, on all threads. Throws InputError, with advice, naming the
// first image that differs from the one its row was computed from. What could not be read then must
// still be unreadable. Throws Interrupted.
void check_unchanged(const FeatureStore& store, std::span<const std::size_t> blocks,
                     ProgressStyle style) {
  std::size_t total = 0;
  for (const std::size_t b : blocks) total += store.header().inputs_of(b);
  Progress progress("images compared", total, style);
  for (const std::size_t b : blocks) {
    std::vector<StoreRow> rows = store.read_rows(b);  // one of each image is enough
    const auto same_image = [](const StoreRow& a, const StoreRow& b) { return a.image == b.image; };
    rows.erase(std::unique(rows.begin(), rows.end(), same_image), rows.end());
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

/// The sink of a pipeline: writes each block once its last row has arrived.
class BlockWriter {
 public:
  BlockWriter(const ImageList& images, const FeatureStore& store, const Work& work)
      : images_(images), store_(store), work_(work) {}

  /// Position in the list of the pipeline's image i. Only the last block of a store may be short.
  std::size_t image(std::size_t i) const {
    const std::size_t block = store_.header().block;
    return work_.missing[i / block] * block + i % block;
  }

  void add(const MadeRows<float>& made, StageLoad& load) {
    const StoreHeader& header = store_.header();
    if (made.error.empty() && !made.input.parts.empty()) {
      for (std::size_t i = 0; i < made.input.parts.size(); ++i) add_part(made, i);
      open_.values.insert(open_.values.end(), made.values.begin(), made.values.end());
    } else {
      StoreRow row = row_of(made);
      row.state = made.error.empty() ? RowState::kEmpty : RowState::kFailed;
      row.warnings = made.error.empty() ? "has no parts" : reason(made.error, row.path);
      add_row(std::move(row));
      open_.values.resize(open_.values.size() + header.columns.size(),
                          std::numeric_limits<float>::quiet_NaN());
    }
    const std::size_t block = work_.missing[made.index / header.block];
    if (made.index % header.block + 1 < header.inputs_of(block)) return;
    load.time(Stage::kWrite, [&] { store_.write_block(block, open_); });
    open_ = {};
  }

  std::size_t rows() const { return rows_; }
  const std::map<RowState, std::size_t>& states() const { return states_; }

 private:
  StoreRow row_of(const MadeRows<float>& made) const {
    StoreRow row;
    row.image = image(made.index);
    row.path = images_.path(row.image);
    row.label = images_.label(row.image);
    row.fields = images_.fields(row.image);
    row.file = made.input.digest;
    return row;
  }

  void add_part(const MadeRows<float>& made, std::size_t i) {
    StoreRow row = row_of(made);
    const PartPlace place = made.input.parts[i]->place();
    row.part = place.number;
    row.box = place.box;
    row.area = static_cast<std::uint64_t>(std::llround(place.area));
    row.state = state_of(place.state);
    row.warnings = place.reason;
    for (const std::string& warning : made.warnings[i]) {
      row.warnings += (row.warnings.empty() ? "" : "; ") + warning;
    }
    add_row(std::move(row));
  }

  void add_row(StoreRow row) {
    ++rows_;
    ++states_[row.state];
    open_.rows.push_back(std::move(row));
  }

  const ImageList& images_;
  const FeatureStore& store_;
  const Work& work_;
  StoreBlock open_;
  std::size_t rows_ = 0;
  std::map<RowState, std::size_t> states_;
};

double processor_seconds(const ExtractionReport& report) {
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
    throw UsageError("shard '" + text + "' is not a shard: use I/N with 0 <= I < N, such as 0/4");
  }
  return shard;
}

std::vector<std::string> stage_lines(const ExtractionReport& report) {
  std::vector<std::string> lines;
  for (const StageBusy& stage : report.stages) {
    if (stage.seconds == 0) continue;
    lines.push_back(fmt::format(
        "{:8} {:7.1f} s, {:3.0f} % of {} threads, {:.2f} ms per image", stage_name(stage.stage),
        stage.seconds, 100 * stage.seconds / processor_seconds(report), report.threads,
        1e3 * stage.seconds / static_cast<double>(std::max<std::size_t>(1, report.images))));
  }
  return lines;
}

std::string limit_of(const ExtractionReport& report) {
  const auto busiest = std::ranges::max_element(report.stages, {}, &StageBusy::seconds);
  if (busiest == report.stages.end() || busiest->seconds == 0) return "nothing";
  return fmt::format("{}, {:.0f} % of {} threads", stage_name(busiest->stage),
                     100 * busiest->seconds / processor_seconds(report), report.threads);
}

ExtractionReport extract_features(const ImageList& images, const Recipe& recipe,
                                  const FeatureStore& store, const Shard& shard,
                                  const PlanOptions& options, ProgressStyle style) {
  const Work work = work_of(store, shard);
  check_unchanged(store, work.there, style);
  StageLoad load;
  const Stopwatch watch;
  MakerPool<float> makers(recipe.rows, options);
  BlockWriter writer(images, store, work);
  Progress progress("images", work.images, style);
  RowPipelineOptions stream;
  stream.block = store.header().block;
  stream.load = &load;
  stream.advance = [&](std::size_t count) { progress.advance(count); };
  const Source source =
      recipe.images(work.images, [&](std::size_t i) { return images.path(writer.image(i)); });
  run_row_pipeline<float>(source, makers, stream,
                          [&](const MadeRows<float>& made) { writer.add(made, load); });
  store.clear_when_complete();
  ExtractionReport report;
  report.images = work.images;
  report.rows = writer.rows();
  report.states = writer.states();
  report.blocks_there = work.there.size();
  report.seconds = watch.seconds();
  report.threads = thread_count();
  report.gpus = makers.gpus();
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    report.stages.push_back({stage, load.seconds(stage)});
  }
  return report;
}

}  // namespace leafglyph
