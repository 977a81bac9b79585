#include "classify/extraction/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "classify/extraction/image_stream.h"
#include "classify/leaf/stage_time.h"
#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Reasons of failed rows that a report has.
constexpr std::size_t kErrorsShown = 10;

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

ImageFiles files_of(const ImageList& images) {
  ImageFiles files{images.size(), [&](std::size_t i) { return images.path(i); },
                   [&](std::size_t i) { return images.read(i); }};
  if (images.has_masks()) files.mask = [&](std::size_t i) { return images.mask(i); };
  return files;
}

std::string how_it_changed(const FileDigest& before, const FileDigest& now) {
  if (now.sha256.empty()) return "can no longer be read";
  if (before.sha256.empty()) return "can be read now but could not be read then";
  if (before.bytes != now.bytes) {
    return fmt::format("has {} bytes, not {}", now.bytes, before.bytes);
  }
  return "has other bytes";
}

// Throws InputError, with advice, unless the image is the one that the row was computed from.
void check_same(const StoreRow& row, const FileDigest& now, const FeatureStore& store) {
  if (now == row.file) return;
  const std::size_t b = row.image / store.header().block;
  throw InputError(fmt::format(
      "{}: has changed since block {} of {} was computed: it {}; name another folder, or "
      "remove {:08}.* there and run again, which computes that block anew",
      row.path, b, store.folder().string(), how_it_changed(row.file, now), b));
}

// A row of each image of a block.
std::vector<StoreRow> rows_of_images(const FeatureStore& store, std::size_t block) {
  std::vector<StoreRow> rows = store.read_rows(block);
  const auto same_image = [](const StoreRow& a, const StoreRow& b) { return a.image == b.image; };
  rows.erase(std::unique(rows.begin(), rows.end(), same_image), rows.end());
  return rows;
}

// Reads the images of existing blocks, on all threads. Throws InputError, with advice, naming the
// first image that differs from the one its row was computed from. What could not be read then must
// still be unreadable. Throws Interrupted.
void check_unchanged(const ImageList& images, const FeatureStore& store,
                     std::span<const std::size_t> blocks, ProgressStyle style) {
  std::size_t total = 0;
  for (const std::size_t b : blocks) total += store.header().inputs_of(b);
  Progress progress("images compared", total, style);
  const ImageFiles files = files_of(images);
  for (const std::size_t b : blocks) {
    const std::vector<StoreRow> rows = rows_of_images(store, b);
    const auto check = [&](std::size_t r) {
      const FileDigest now = digest_of(files, rows[r].image);
      progress.advance();
      check_same(rows[r], now, store);
    };
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!images.is_in_order(rows[r].image)) continue;
      throw_if_interrupted();
      check(r);
    }
    parallel_for(rows.size(), [&](std::size_t r) {
      if (!images.is_in_order(rows[r].image)) check(r);
    });
  }
}

ImageFiles files_of(ImageStream& stream, bool has_masks) {
  ImageFiles files{std::numeric_limits<std::size_t>::max(),
                   [&](std::size_t i) { return stream.path(i); },
                   [&](std::size_t i) { return stream.take(i); }};
  if (has_masks) files.mask = [&](std::size_t i) { return stream.mask(i); };
  return files;
}

[[noreturn]] void refuse_second_run(const std::filesystem::path& folder) {
  throw UsageError(folder.string() +
                   ": holds a store already; images of standard input or a compressed tar become "
                   "a store in one run: name another folder, or remove this one");
}

// Reads streams whose store is there: nothing is left to do if it is complete and their images are
// the same. Throws UsageError or InputError otherwise. The numbers and paths of images are compared
// at the end, with the header.
ExtractionReport check_unchanged(ListedImages& images, const std::filesystem::path& folder,
                                 const StoreHeader& header, ProgressStyle style) {
  if (std::ranges::find(images.streams, "-", &StreamedArchive::path) != images.streams.end()) {
    refuse_second_run(folder);
  }
  const FeatureStore store = FeatureStore::open(folder);
  if (!store.missing_blocks().empty()) refuse_second_run(folder);
  const std::size_t size = store.header().block;
  ImageStream stream(images);
  const ImageFiles files = files_of(stream, images.list.has_masks());
  Progress progress("images compared", store.header().inputs, style);
  std::vector<StoreRow> rows;
  std::size_t i = 0;
  for (; stream.arrive(i); ++i) {
    if (i % size == 0 && i < store.header().inputs) rows = rows_of_images(store, i / size);
    const FileDigest now = digest_of(files, i);
    const auto row = std::ranges::find(rows, i, &StoreRow::image);
    if (row != rows.end() && row->path == stream.path(i)) check_same(*row, now, store);
    progress.advance();
  }
  if (i == 0) throw InputError(kNoImage);
  images.list = stream.arrived();
  FeatureStore::begin(folder, with_list(header, images.list));
  ExtractionReport report;
  report.blocks_there = store.header().blocks();
  return report;
}

/// The sink of a pipeline: writes each block once its last row has arrived.
class BlockWriter {
 public:
  // More would wait for the same disk, each with the memory of a block.
  static constexpr int kMostBeingWritten = 4;

  struct Store {
    StoreHeader header;                           ///< its columns and values
    std::function<StoreRow(std::size_t)> row;     ///< of the pipeline's image i
    std::function<bool(std::size_t)> ends_block;  ///< whether it is the last one of its block
    std::function<void(const StoreBlock&)> write;
    bool in_any_order = false;  ///< whether blocks may be written at once and in any order
  };
  BlockWriter(Store store, StageLoad& load) : store_(std::move(store)), load_(load) {}

  void add(const MadeRows<float>& made) {
    std::string error = made.error;
    if (error.empty()) error = beyond_values(store_.header, made.values);
    if (error.empty() && !made.input.parts.empty()) {
      for (std::size_t i = 0; i < made.input.parts.size(); ++i) add_part(made, i);
      open_.values.insert(open_.values.end(), made.values.begin(), made.values.end());
    } else {
      StoreRow row = row_of(made);
      row.state = error.empty() ? RowState::kEmpty : RowState::kFailed;
      row.warnings = error.empty() ? "has no parts" : reason(error, row.path);
      add_row(std::move(row));
      open_.values.resize(open_.values.size() + store_.header.columns.size(),
                          std::numeric_limits<float>::quiet_NaN());
    }
    if (!store_.ends_block(made.index)) return;
    if (store_.in_any_order && being_written_ < kMostBeingWritten) {
      complete_ = std::exchange(open_, {});
    } else {
      flush();
    }
  }
  // The writing of the block that add() completed last, for another thread: checksums and the disk
  // would hold up all rows behind it. Null if there is none.
  std::function<void()> work_left() {
    if (complete_.rows.empty()) return nullptr;
    ++being_written_;
    return [this, block = std::make_shared<StoreBlock>(std::exchange(complete_, {}))] {
      load_.time(Stage::kWrite, [&] { store_.write(*block); });
      --being_written_;
    };
  }
  void flush() {
    if (open_.rows.empty()) return;
    load_.time(Stage::kWrite, [&] { store_.write(open_); });
    open_ = {};
  }

  std::size_t rows() const { return rows_; }
  const std::map<RowState, std::size_t>& states() const { return states_; }
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  StoreRow row_of(const MadeRows<float>& made) const {
    StoreRow row = store_.row(made.index);
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
    if (!made.faults.empty() && !made.faults[i].empty()) {
      row.state = RowState::kFailed;
      row.warnings = reason(made.faults[i], row.path);
      return add_row(std::move(row));
    }
    for (const std::string& warning : made.warnings[i]) {
      row.warnings += (row.warnings.empty() ? "" : "; ") + warning;
    }
    add_row(std::move(row));
  }

  void add_row(StoreRow row) {
    ++rows_;
    if (row.state == RowState::kFailed && errors_.size() < kErrorsShown) {
      const std::string name = part_name(row.path, row.part);
      errors_.push_back(name + ": " + row.warnings);
    }
    ++states_[row.state];
    open_.rows.push_back(std::move(row));
  }

  Store store_;
  StageLoad& load_;
  StoreBlock open_;
  StoreBlock complete_;  // until work_left() takes it
  std::atomic<int> being_written_ = 0;
  std::size_t rows_ = 0;
  std::map<RowState, std::size_t> states_;
  std::vector<std::string> errors_;
};

// Makes the rows of `source`, whose inputs are those of `total` images (0: unknown).
ExtractionReport run_extraction(const Source& source, const Recipe& recipe, std::size_t block,
                                std::size_t total, BlockWriter& writer, StageLoad& load,
                                const PlanOptions& options, ProgressStyle style) {
  const Stopwatch watch;
  MakerPool<float> makers(recipe.rows, options);
  Progress progress("images", total, style);
  ExtractionReport report;
  RowPipelineOptions stream;
  stream.block = block;
  stream.load = &load;
  stream.advance = [&](std::size_t count) {
    report.images += count;
    progress.advance(count);
  };
  stream.work_left = [&] { return writer.work_left(); };
  run_row_pipeline<float>(source, makers, stream,
                          [&](const MadeRows<float>& made) { writer.add(made); });
  writer.flush();
  report.rows = writer.rows();
  report.states = writer.states();
  report.errors = writer.errors();
  report.seconds = watch.seconds();
  report.threads = thread_count();
  report.gpus = makers.gpus();
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    report.stages.push_back({stage, load.seconds(stage)});
  }
  return report;
}

double processor_seconds(const ExtractionReport& report) {
  return std::max(1e-9, report.seconds * report.threads);
}

}  // namespace

Shard shard_from_text(const std::string& text) {
  std::string_view rest = text;
  const auto index = take_number<std::size_t>(rest);
  const std::size_t count =
      rest.starts_with('/') ? number_in<std::size_t>(rest.substr(1)).value_or(0) : 0;
  if (!index || *index >= count || count > kMaxCount) {
    throw UsageError(fmt::format(
        "shard '{}' is not a shard: use I/N with 0 <= I < N <= {}, such as 0/4", text, kMaxCount));
  }
  return {*index, count};
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

StoreHeader with_list(StoreHeader header, const ImageList& images) {
  header.inputs = images.size();
  header.list_sha256 = images.digest();
  header.fields = images.field_names();
  header.classes = images.classes();
  header.scientific_names = images.scientific_names();
  header.chinese_names = images.chinese_names();
  return header;
}

ExtractionReport extract_features(const ImageList& images, const Recipe& recipe,
                                  const FeatureStore& store, const Shard& shard,
                                  const PlanOptions& options, ProgressStyle style) {
  const Work work = work_of(store, shard);
  check_unchanged(images, store, work.there, style);
  const StoreHeader& header = store.header();
  // Only the last block of a store may be short.
  const auto image = [&](std::size_t i) {
    return work.missing[i / header.block] * header.block + i % header.block;
  };
  WaitingImages waiting;
  const auto bytes = [&](std::size_t i) {
    return images.is_in_order(image(i)) ? waiting.take(i) : images.read(image(i));
  };
  StageLoad load;
  ImageFiles files{work.images, [&](std::size_t i) { return images.path(image(i)); }, bytes};
  if (images.has_masks()) files.mask = [&](std::size_t i) { return images.mask(image(i)); };
  Source source = recipe.images(files);
  source.arrive = [&](std::size_t i) -> std::optional<std::size_t> {
    if (!images.is_in_order(image(i))) return 0;
    return load.time(Stage::kRead,
                     [&] { return waiting.put(i, [&] { return images.read(image(i)); }); });
  };
  const auto ends_block = [&](std::size_t i) {
    return i % header.block + 1 == header.inputs_of(work.missing[i / header.block]);
  };
  const auto write = [&](const StoreBlock& block) {
    store.write_block(block.rows.front().image / header.block, block);
  };
  BlockWriter writer(
      {header, [&](std::size_t i) { return row_of(images, image(i)); }, ends_block, write,
       /*in_any_order=*/true},
      load);
  ExtractionReport report =
      run_extraction(source, recipe, header.block, work.images, writer, load, options, style);
  store.clear_when_complete();
  report.blocks_there = work.there.size();
  return report;
}

ExtractionReport extract_streams(ListedImages& images, const Recipe& recipe,
                                 const std::filesystem::path& folder, const StoreHeader& header,
                                 const PlanOptions& options, ProgressStyle style) {
  if (is_there(folder / kStore.facts)) return check_unchanged(images, folder, header, style);
  NewStore store(folder, header);
  ImageStream stream(images);
  StageLoad load;
  const ImageFiles files = files_of(stream, images.list.has_masks());
  Source source = recipe.images(files);
  source.arrive = [&](std::size_t i) {
    return load.time(Stage::kRead, [&] { return stream.arrive(i); });
  };
  BlockWriter writer({header, [&](std::size_t i) { return stream.row(i); },
                      [&](std::size_t i) { return (i + 1) % header.block == 0; },
                      [&](const StoreBlock& block) { store.add(block); },
                      /*in_any_order=*/false},
                     load);
  ExtractionReport report =
      run_extraction(source, recipe, header.block, /*total=*/0, writer, load, options, style);
  if (report.images == 0) throw InputError(kNoImage);
  images.list = stream.arrived();
  store.finish(with_list(header, images.list));
  return report;
}

ExtractionReport fill_store(ListedImages& images, const Recipe& recipe, const StoreRun& run,
                            const PlanOptions& options, ProgressStyle progress) {
  StoreHeader header = recipe.header;
  header.values = run.values;
  std::string reason;
  const DeviceChoice device = recipe.rows->device(options.device, reason);
  header.device = select_gpus(device, reason).empty() ? "cpu" : "cuda";
  header.block = run.block;
  if (images.streams.empty()) {
    const FeatureStore store = FeatureStore::begin(run.folder, with_list(header, images.list));
    return extract_features(images.list, recipe, store, run.shard, options, progress);
  }
  if (run.shard.count > 1) {
    throw UsageError(
        "a shard needs inputs that can be counted beforehand: standard input and compressed tars "
        "are read once, from beginning to end");
  }
  return extract_streams(images, recipe, run.folder, header, options, progress);
}

}  // namespace leafglyph
