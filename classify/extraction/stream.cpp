#include "classify/extraction/stream.h"

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <mutex>
#include <optional>
#include <semaphore>

#include "classify/extraction/changed_images.h"
#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/base/utf8.h"
#include "features/image_io/machine_fault.h"

namespace leafglyph {
namespace {

// Batches in flight for each thread: one that it works on and one that waits for its turn.
constexpr std::size_t kBatchesAThread = 2;
// Row makers for each GPU: while one's batch is computed, others pack and send theirs.
constexpr std::size_t kMakersAGpu = 8;

/// Images of one block that travel together.
struct Batch {
  std::size_t block = 0;
  std::size_t first = 0;  // of the list
  std::vector<StoreRow> rows;
  std::vector<std::unique_ptr<PreparedImage>> images;  // none where it failed
  std::optional<MemoryTurn> memory;                    // of the images
  std::vector<float> values;
};
using BatchPtr = std::shared_ptr<Batch>;

// What a row says of an image that failed, without the path, which stands beside it.
std::string reason(std::string message, const std::string& path) {
  const std::string beginning = printable(path) + ": ";
  if (message.starts_with(beginning)) message.erase(0, beginning.size());
  return message;
}

/// One of as many as may prepare an image at a time.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>& turns) : turns_(turns) { turns_.acquire(); }
  ~Turn() { turns_.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>& turns_;
};

class Stream {
 public:
  Stream(const ImageList& images, const Recipe& recipe, const FeatureStore& store,
         const PlanOptions& options)
      : list_(images), recipe_(recipe), store_(store), options_(options) {
    options_.device = recipe.device(options.device);
  }

  StreamReport run(const Shard& shard, ProgressStyle style) {
    plan_work(shard, style);
    Progress progress("images", total_, style);
    progress_ = &progress;
    const auto start = StageLoad::Clock::now();
    set_up_row_makers();
    const int threads = thread_count();
    // Threads that wait for a GPU come beside those that prepare.
    const int concurrency = threads + static_cast<int>(gpus_ * kMakersAGpu);
    preparing_.emplace(threads);
    const tbb::global_control workers(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(concurrency));
    tbb::task_arena arena(concurrency);
    arena.execute([&] { flow(static_cast<std::size_t>(arena.max_concurrency())); });
    set_thread_count(threads);
    throw_if_interrupted();
    store_.clear_when_complete();
    report_.threads = threads;
    report_.gpus = gpus_;
    report_.seconds = std::chrono::duration<double>(StageLoad::Clock::now() - start).count();
    for (std::size_t s = 0; s < kStages; ++s) {
      const auto stage = static_cast<Stage>(s);
      report_.stages.push_back({stage, load_.seconds(stage)});
    }
    return report_;
  }

 private:
  void plan_work(const Shard& shard, ProgressStyle style) {
    std::vector<std::size_t> there;
    for (std::size_t b = shard.index; b < store_.header().blocks(); b += shard.count) {
      if (store_.has_block(b)) {
        there.push_back(b);
        continue;
      }
      todo_.push_back(b);
      total_ += store_.header().rows_of(b);
    }
    report_.blocks_there = there.size();
    check_unchanged(store_, there, style);
  }

  // On the processor every thread has its own; GPUs have a few, for which threads wait.
  void set_up_row_makers() {
    std::string why;
    const std::vector<gpu::GpuDevice> gpus = select_gpus(options_.device, why);
    gpus_ = gpus.size();
    for (const gpu::GpuDevice& gpu : gpus) {
      for (std::size_t i = 0; i < kMakersAGpu; ++i) {
        PlanOptions one = options_;
        one.device = {DeviceChoice::Kind::kCuda, gpu.index};
        if (i > 0) one.log = {};
        makers_.push(std::shared_ptr(recipe_.make_row_maker(one)));
      }
    }
  }

  void flow(std::size_t threads) {
    const std::size_t in_flight = kBatchesAThread * threads;
    tbb::parallel_pipeline(
        in_flight,
        tbb::make_filter<void, BatchPtr>(
            tbb::filter_mode::serial_in_order,
            [this](tbb::flow_control& control) { return next_batch(control); }) &
            tbb::make_filter<BatchPtr, BatchPtr>(tbb::filter_mode::parallel,
                                                 [this](BatchPtr batch) {
                                                   set_thread_count(1);
                                                   prepare(*batch);
                                                   return batch;
                                                 }) &
            tbb::make_filter<BatchPtr, BatchPtr>(tbb::filter_mode::parallel,
                                                 [this](BatchPtr batch) {
                                                   set_thread_count(1);
                                                   make_rows(*batch);
                                                   return batch;
                                                 }) &
            tbb::make_filter<BatchPtr, void>(tbb::filter_mode::serial_in_order,
                                             [this](const BatchPtr& batch) { collect(*batch); }));
  }

  // Batches start anew with every block, so that rows do not depend on the shard.
  BatchPtr next_batch(tbb::flow_control& control) {
    if (interrupted() || next_ == todo_.size()) {
      control.stop();
      return nullptr;
    }
    const StoreHeader& header = store_.header();
    auto batch = std::make_shared<Batch>();
    batch->block = todo_[next_];
    const std::size_t rows = header.rows_of(batch->block);
    const std::size_t count = std::min(recipe_.batch(), rows - taken_);
    batch->first = batch->block * header.block + taken_;
    for (std::size_t i = 0; i < count; ++i) {
      StoreRow& row = batch->rows.emplace_back();
      row.path = list_.path(batch->first + i);
      row.label = list_.label(batch->first + i);
    }
    taken_ += count;
    if (taken_ == rows) {
      taken_ = 0;
      ++next_;
    }
    return batch;
  }

  void prepare(Batch& batch) {
    batch.images.resize(batch.rows.size());
    for (std::size_t i = 0; i < batch.rows.size() && !interrupted(); ++i) {
      StoreRow& row = batch.rows[i];
      const Turn turn(*preparing_);
      try {
        batch.images[i] = recipe_.prepare(row.path, row.file, load_);
        take_memory(batch, *batch.images[i], row.path);
      } catch (const Interrupted&) {
        return;
      } catch (const std::exception& error) {
        rethrow_fault_of_machine();
        row.state = RowState::kFailed;
        row.warnings = reason(error.what(), row.path);
      }
    }
  }

  // The images of a list are mostly of one size: the first tells what all of them take. One is in
  // memory already while it waits, but none for which others wait.
  static void take_memory(Batch& batch, const PreparedImage& image, const std::string& path) {
    // as they are and beside each other for the engine
    constexpr double kCopies = 2;
    if (batch.memory || image.bytes() == 0) return;
    const std::size_t count = batch.rows.size();
    batch.memory.emplace().take(kCopies * static_cast<double>(count * image.bytes()),
                                fmt::format("{}, with {} of its size,", path, count));
  }

  void make_rows(Batch& batch) {
    if (interrupted()) return;
    std::vector<const PreparedImage*> images;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < batch.images.size(); ++i) {
      if (!batch.images[i]) continue;
      images.push_back(batch.images[i].get());
      positions.push_back(i);
    }
    const std::size_t width = store_.header().columns.size();
    batch.values.assign(batch.rows.size() * width, std::numeric_limits<float>::quiet_NaN());
    if (images.empty()) return;
    try {
      put_rows(images, positions, batch);
    } catch (const InputError&) {  // one of them has no moments: they go one at a time
      for (std::size_t i = 0; i < images.size(); ++i) {
        StoreRow& row = batch.rows[positions[i]];
        try {
          put_rows({&images[i], 1}, {&positions[i], 1}, batch);
        } catch (const InputError& error) {
          row.state = RowState::kFailed;
          row.warnings = reason(error.what(), row.path);
        }
      }
    }
    batch.images.clear();
    // before it waits for its turn to be written, since what comes before it may wait for this
    batch.memory.reset();
  }

  void put_rows(std::span<const PreparedImage* const> images,
                std::span<const std::size_t> positions, Batch& batch) {
    const std::size_t width = store_.header().columns.size();
    std::vector<std::vector<std::string>> warnings(images.size());
    const std::vector<float> rows = rows_of(images, warnings);
    for (std::size_t i = 0; i < images.size(); ++i) {
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  batch.values.begin() + static_cast<std::ptrdiff_t>(positions[i] * width));
      for (const std::string& warning : warnings[i]) {
        std::string& told = batch.rows[positions[i]].warnings;
        told += (told.empty() ? "" : "; ") + warning;
      }
    }
  }

  std::vector<float> rows_of(std::span<const PreparedImage* const> images,
                             std::span<std::vector<std::string>> warnings) {
    struct Borrowed {
      Stream& stream;
      std::shared_ptr<RowMaker> maker;
      ~Borrowed() { stream.makers_.push(maker); }
    };
    const Borrowed borrowed{*this, take_row_maker()};
    return borrowed.maker->rows(images, warnings, load_);
  }

  std::shared_ptr<RowMaker> take_row_maker() {
    std::shared_ptr<RowMaker> maker;
    if (gpus_ > 0) {
      makers_.pop(maker);
      return maker;
    }
    if (makers_.try_pop(maker)) return maker;
    PlanOptions options = options_;
    options.device = {DeviceChoice::Kind::kCpu, 0};
    if (makers_made_.fetch_add(1) > 0) options.log = {};
    return recipe_.make_row_maker(options);
  }

  // Batches come in their order; a block is written when it is whole.
  void collect(Batch& batch) {
    if (interrupted()) return;
    open_.values.insert(open_.values.end(), batch.values.begin(), batch.values.end());
    for (StoreRow& row : batch.rows) {
      report_.failed += row.state == RowState::kFailed;
      open_.rows.push_back(std::move(row));
    }
    report_.images += batch.rows.size();
    progress_->advance(batch.rows.size());
    if (open_.rows.size() < store_.header().rows_of(batch.block)) return;
    load_.time(Stage::kWrite, [&] { store_.write_block(batch.block, open_); });
    open_ = {};
  }

  const ImageList& list_;
  const Recipe& recipe_;
  const FeatureStore& store_;
  PlanOptions options_;
  std::vector<std::size_t> todo_;  // blocks
  std::size_t next_ = 0;           // of todo_
  std::size_t taken_ = 0;          // rows of it
  std::size_t total_ = 0;
  std::size_t gpus_ = 0;
  std::optional<std::counting_semaphore<>> preparing_;
  tbb::concurrent_bounded_queue<std::shared_ptr<RowMaker>> makers_;
  std::atomic<int> makers_made_{0};
  StoreBlock open_;
  StageLoad load_;
  StreamReport report_;
  Progress* progress_ = nullptr;
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
                              const PlanOptions& options, ProgressStyle progress) {
  return Stream(images, recipe, store, options).run(shard, progress);
}

}  // namespace leafglyph
