// Turns inputs into rows: source, preparation, rows, sink, with a bounded number of inputs in
// progress.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/sha256.h"
#include "features/leaf/leaf_image.h"
#include "gpu/plans.h"

namespace leafglyph {

enum class Stage { kRead, kDecode, kPrepare, kChannels, kMoments, kWrite };
inline constexpr std::size_t kStages = 6;
std::string_view stage_name(Stage stage);  ///< "read", "decode", ...

/// Adds up the time of every thread in each stage. Safe to use from many threads.
class StageLoad {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Stage stage, Clock::duration time) {
    times_[static_cast<std::size_t>(stage)].fetch_add(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count(),
        std::memory_order_relaxed);
  }
  double seconds(Stage stage) const {
    return 1e-9 * static_cast<double>(times_[static_cast<std::size_t>(stage)].load());
  }

  /// Calls work() and adds its time to the stage.
  template <class Work>
  auto time(Stage stage, const Work& work) {
    const Timer timer{*this, stage};
    return work();
  }

 private:
  struct Timer {
    StageLoad& load;
    Stage stage;
    Clock::time_point start = Clock::now();
    ~Timer() { load.add(stage, Clock::now() - start); }
  };

  std::array<std::atomic<std::int64_t>, kStages> times_{};
};

/// Where a part is in its input, and what it is.
struct PartPlace {
  int number = 0;   ///< from 1; 0: the whole input
  PictureBox box;   ///< all 0 if it is unknown
  double area = 0;  ///< in pixels of the file
  PartState state = PartState::kWhole;
  std::string reason;  ///< for its state, one line
};

/// A prepared part of an input that becomes a row: a leaf, an image or a channel of one.
class Part {
 public:
  virtual ~Part() = default;
  /// Bytes needed until its row is made, if that depends on the input; otherwise 0.
  virtual std::size_t bytes() const { return 0; }
  virtual PartPlace place() const { return {}; }
  /// Whether a row is made of it; the values of other parts are NaN.
  virtual bool has_row() const { return true; }
  /// Frees what is only needed to make its row.
  virtual void drop_pixels() {}
};

/// A prepared input.
struct Input {
  std::vector<std::unique_ptr<Part>> parts;  ///< one row each
  FileDigest digest;                         ///< of the file, if one was read
  std::vector<std::string> notes = {};       ///< warnings about all of its parts
};

/// The inputs of a pipeline. Both functions are called from many threads.
struct Source {
  std::size_t count = 0;
  std::function<std::string(std::size_t)> name;  ///< of input i, for messages
  /// Reads and prepares input i. Throws InputError with the name of the input.
  std::function<void(std::size_t i, Input& input, StageLoad& load)> prepare;
  /// Part::bytes of all parts of an input, if known before the first one is read.
  std::size_t bytes = 0;
  /// Whether a part whose row cannot be made fails alone, not with its input.
  bool parts_fail_alone = false;
  /// Inputs that are prepared together; 0: as RowKind::batch. Fewer for inputs of many parts.
  std::size_t batch = 0;
  /// For inputs that arrive one after another, such as the members of an archive: called for each
  /// i, in order and one at a time, before prepare(i). Returns how many bytes wait for prepare(i);
  /// nothing if input i - 1 was the last, whatever `count` says. What it throws ends the pipeline.
  std::function<std::optional<std::size_t>(std::size_t i)> arrive = {};
};

/// Makes rows of parts; used from one thread at a time.
template <class Value>
class RowMaker {
 public:
  virtual ~RowMaker() = default;
  /// Row i of the result belongs to parts[i]; warnings about it are added to warnings[i].
  virtual std::vector<Value> rows(std::span<const Part* const> parts,
                                  std::span<std::vector<std::string>> warnings,
                                  StageLoad& load) = 0;
};

/// A kind of rows. Value: float for features, std::complex<double> for moments.
template <class Value>
class RowKind {
 public:
  virtual ~RowKind() = default;
  virtual std::size_t columns() const = 0;
  /// The number of parts that a RowMaker handles best at once, and handles at most.
  virtual std::size_t batch() const = 0;
  /// The device for `requested`, and the reason if kAuto became kCpu. Throws UsageError for a GPU
  /// if there are no kernels for these rows.
  virtual DeviceChoice device(const DeviceChoice& requested, std::string& reason) const {
    reason.clear();
    return requested;
  }
  /// A row maker on device(options.device). Safe from many threads.
  virtual std::unique_ptr<RowMaker<Value>> make_maker(const PlanOptions& options) const = 0;
};

/// How many row makers there are.
enum class Makers {
  kPerThread,  ///< one per thread; a bounded number on GPUs
  kOne,  ///< one that uses all threads, or all GPUs: for rows that keep them busy by themselves
};

/// Keeps row makers, with the tables they have built, for the next batch. Safe from many threads.
template <class Value>
class MakerPool {
 public:
  /// Throws what RowKind::device and select_gpus throw.
  MakerPool(std::shared_ptr<const RowKind<Value>> kind, const PlanOptions& options,
            Makers makers = Makers::kPerThread);

  const RowKind<Value>& kind() const { return *kind_; }
  Makers makers() const { return makers_; }
  std::size_t gpus() const { return gpus_.size(); }
  /// How many threads may wait for a GPU while the others prepare.
  std::size_t waiting_threads() const { return gpus_.empty() ? 0 : most_; }

  /// Makes the first maker, so that the first query does not wait for it.
  void warm_up() { const Borrowed first(*this); }
  /// Rows by a maker that no other thread is using; waits while all are in use.
  std::vector<Value> rows(std::span<const Part* const> parts,
                          std::span<std::vector<std::string>> warnings, StageLoad& load);

 private:
  /// A maker that is returned to the pool.
  struct Borrowed {
    explicit Borrowed(MakerPool& from) : pool(from), maker(from.take()) {}
    ~Borrowed();
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    MakerPool& pool;
    std::unique_ptr<RowMaker<Value>> maker;
  };
  std::unique_ptr<RowMaker<Value>> take();
  std::unique_ptr<RowMaker<Value>> make(std::size_t number) const;

  std::shared_ptr<const RowKind<Value>> kind_;
  PlanOptions options_;
  Makers makers_;
  std::vector<gpu::GpuDevice> gpus_;
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t made_ = 0;
  std::vector<std::unique_ptr<RowMaker<Value>>> idle_;
};

/// The result for an input.
template <class Value>
struct MadeRows {
  std::size_t index = 0;      ///< index in the source
  std::string error;          ///< one line with the name of the input; empty if it has rows
  Input input;                ///< its parts, without their pixels
  std::vector<Value> values;  ///< one row per part; NaN for a part without a row
  std::vector<std::vector<std::string>> warnings{};  ///< of each part
  std::vector<std::string> faults{};  ///< of each part, if any failed alone; empty for the others
};

struct RowPipelineOptions {
  /// A batch never crosses a multiple of this; 0: no such limit. The rows of a block of a store
  /// then do not depend on which other blocks are computed.
  std::size_t block = 0;
  /// Called with the number of finished inputs; an exception from it ends the pipeline.
  std::function<void(std::size_t)> advance = [](std::size_t) {};
  StageLoad* load = nullptr;  ///< receives the times of the stages, if not null
  /// Called after the inputs of a batch were taken, if not empty: returns what is left to do for
  /// them and need not be in order, such as writing a file, or nothing. The pipeline does it on one
  /// of its threads while it goes on, and before it returns.
  std::function<std::function<void()>()> work_left;
};

/// Prepares input i and makes its rows on this thread, with the same result as the pipeline.
template <class Value>
MadeRows<Value> rows_of(const Source& source, std::size_t i, MakerPool<Value>& makers);

/// Prepares every input and makes its rows on thread_count() threads, and calls `take` for each
/// input, in order and one at a time. An input that fails does not stop the others. The rows do not
/// depend on the number of threads, to the last bit. Throws Interrupted, what `take` throws, and
/// failures that are not the fault of an input (rethrow_fault_of_machine).
template <class Value>
void run_row_pipeline(const Source& source, MakerPool<Value>& makers,
                      const RowPipelineOptions& options,
                      const std::function<void(MadeRows<Value>)>& take);

}  // namespace leafglyph
