#include "classify/rows/row_pipeline.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <complex>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string_view>
#include <utility>

#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/names.h"
#include "features/base/threads.h"
#include "features/image_io/opencv_runtime.h"

namespace leafglyph {
namespace {

// Batches in flight per thread: one being processed and one waiting.
constexpr std::size_t kBatchesPerThread = 2;
// A batch of inputs that arrive one after another has no more of them once this much waits.
constexpr std::size_t kWaitingBytes = std::size_t{16} << 20;
// Row makers on GPUs: while one computes, the others pack and send their batches. More for several
// GPUs only on hosts with threads to spare: the threads of makers are additional, and those that
// prepare have fewer processors then.
std::size_t makers_on(std::size_t gpus) {
  constexpr std::size_t kOnOneGpu = 8;
  const auto of_threads = static_cast<std::size_t>(thread_count()) / 4;
  return std::min(kOnOneGpu * gpus, std::max({kOnOneGpu, 2 * gpus, of_threads}));
}

/// Inputs that pass through the pipeline together.
template <class Value>
struct Batch {
  std::vector<MadeRows<Value>> inputs;
  std::optional<MemoryReservation> memory;  // of their parts
  std::function<void()> left;               // what work_left returned
};

/// Limits how many inputs are prepared at the same time.
class PreparationSlot {
 public:
  explicit PreparationSlot(std::counting_semaphore<>& slots) : slots_(slots) { slots_.acquire(); }
  ~PreparationSlot() { slots_.release(); }
  PreparationSlot(const PreparationSlot&) = delete;
  PreparationSlot& operator=(const PreparationSlot&) = delete;

 private:
  std::counting_semaphore<>& slots_;
};

template <class Value>
void fail(MadeRows<Value>& made, std::string_view why) {
  made.error = why;
  made.input.parts.clear();
  made.values.clear();
  made.warnings.clear();
}

template <class Value>
void prepare(const Source& source, MadeRows<Value>& made, StageLoad& load) {
  try {
    source.prepare(made.index, made.input, load);
  } catch (const Error& error) {
    rethrow_fault_of_machine();
    fail(made, error.what());
  } catch (const std::exception& error) {
    rethrow_fault_of_machine();
    fail(made, source.name(made.index) + ": cannot be prepared: " + error.what());
  }
}

template <class Value>
void put_rows(std::span<MadeRows<Value>* const> inputs, MakerPool<Value>& makers, StageLoad& load) {
  std::vector<const Part*> parts;
  for (const MadeRows<Value>* made : inputs) {
    for (const auto& part : made->input.parts) {
      if (part->has_row()) parts.push_back(part.get());
    }
  }
  std::vector<std::vector<std::string>> warnings(parts.size());
  const std::size_t width = makers.kind().columns();
  std::vector<Value> rows;
  // An input may have more parts than a maker handles well at once.
  for (std::size_t first = 0; first < parts.size(); first += makers.kind().batch()) {
    const std::size_t count = std::min(makers.kind().batch(), parts.size() - first);
    std::vector<Value> made =
        makers.rows(std::span<const Part* const>(parts).subspan(first, count),
                    std::span<std::vector<std::string>>(warnings).subspan(first, count), load);
    if (first == 0) {
      rows = std::move(made);
    } else {
      rows.insert(rows.end(), made.begin(), made.end());
    }
  }
  auto row = rows.begin();
  auto warning = warnings.begin();
  for (MadeRows<Value>* made : inputs) {
    made->values.assign(made->input.parts.size() * width,
                        Value(std::numeric_limits<float>::quiet_NaN()));
    made->warnings.resize(made->input.parts.size());
    for (std::size_t i = 0; i < made->input.parts.size(); ++i) {
      if (!made->input.parts[i]->has_row()) continue;
      const auto end = row + static_cast<std::ptrdiff_t>(width);
      std::copy(row, end, made->values.begin() + static_cast<std::ptrdiff_t>(i * width));
      made->warnings[i] = made->input.notes;
      std::ranges::move(*warning++, std::back_inserter(made->warnings[i]));
      row = end;
    }
  }
}

// Makes the row of each part by itself. Returns false if none could be made.
template <class Value>
bool put_rows_alone(MadeRows<Value>& made, MakerPool<Value>& makers, StageLoad& load) {
  const std::size_t parts = made.input.parts.size(), width = makers.kind().columns();
  made.values.assign(parts * width, Value(std::numeric_limits<float>::quiet_NaN()));
  made.warnings.assign(parts, made.input.notes);
  made.faults.resize(parts);
  bool any = false;
  for (std::size_t i = 0; i < parts; ++i) {
    const Part* const part = made.input.parts[i].get();
    if (!part->has_row()) continue;
    try {
      const std::vector<Value> row =
          makers.rows(std::span(&part, 1), std::span(&made.warnings[i], 1), load);
      std::ranges::copy(row, made.values.begin() + static_cast<std::ptrdiff_t>(i * width));
      any = true;
    } catch (const InputError& error) {
      made.faults[i] = error.what();
    }
  }
  return any;
}

template <class Value>
void make_rows(const Source& source, Batch<Value>& batch, MakerPool<Value>& makers,
               StageLoad& load) {
  std::vector<MadeRows<Value>*> prepared;
  for (MadeRows<Value>& made : batch.inputs) {
    if (!made.input.parts.empty()) prepared.push_back(&made);
  }
  try {
    put_rows<Value>(prepared, makers, load);
  } catch (const InputError&) {  // one of them is at fault: find out which
    for (MadeRows<Value>*& made : prepared) {
      try {
        put_rows<Value>({&made, 1}, makers, load);
      } catch (const InputError& error) {
        if (!source.parts_fail_alone || !put_rows_alone(*made, makers, load)) {
          fail(*made, error.what());
        }
      }
    }
  }
  for (MadeRows<Value>* made : prepared) {
    for (const auto& part : made->input.parts) part->drop_pixels();
  }
}

template <class Value>
class Stream {
  using BatchPtr = std::shared_ptr<Batch<Value>>;

 public:
  Stream(const Source& source, MakerPool<Value>& makers, const RowPipelineOptions& options,
         const std::function<void(MadeRows<Value>)>& take)
      : source_(source),
        makers_(makers),
        options_(options),
        take_(take),
        load_(options.load != nullptr ? *options.load : own_load_),
        threads_(thread_count()),
        preparing_(threads_),
        end_(source.count) {}

  void run() {
    // Threads that wait for a GPU are additional to those that prepare.
    const int concurrency = threads_ + static_cast<int>(makers_.waiting_threads());
    const tbb::global_control workers(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(concurrency));
    tbb::task_arena arena(concurrency);
    arena.execute([&] { flow(static_cast<std::size_t>(arena.max_concurrency())); });
    set_thread_count(threads_);
    if (error_) std::rethrow_exception(error_);
    throw_if_interrupted();
  }

 private:
  void flow(std::size_t threads) {
    using tbb::filter_mode;
    const bool one_maker = makers_.makers() == Makers::kOne;
    // Batches may overtake each other: one may wait for memory that a later one holds until its
    // rows are computed.
    const auto rows_mode = one_maker ? filter_mode::serial_out_of_order : filter_mode::parallel;
    tbb::parallel_pipeline(
        kBatchesPerThread * threads,
        tbb::make_filter<void, BatchPtr>(filter_mode::serial_in_order,
                                         [this](tbb::flow_control& control) {
                                           BatchPtr batch;
                                           unless_stopped([&] { batch = next_batch(); });
                                           if (!batch) control.stop();
                                           return batch;
                                         }) &
            tbb::make_filter<BatchPtr, BatchPtr>(filter_mode::parallel,
                                                 [this](BatchPtr batch) {
                                                   unless_stopped([&] { prepare(*batch); });
                                                   return batch;
                                                 }) &
            tbb::make_filter<BatchPtr, BatchPtr>(rows_mode,
                                                 [this, one_maker](BatchPtr batch) {
                                                   unless_stopped([&] {
                                                     set_thread_count(one_maker ? threads_ : 1);
                                                     make_rows(source_, *batch, makers_, load_);
                                                   });
                                                   // Releases the memory now rather than when the
                                                   // sink receives the batch, because an earlier
                                                   // batch may be waiting for it.
                                                   batch->memory.reset();
                                                   return batch;
                                                 }) &
            tbb::make_filter<BatchPtr, BatchPtr>(filter_mode::serial_in_order,
                                                 [this](BatchPtr batch) {
                                                   unless_stopped([&] { give(*batch); });
                                                   return batch;
                                                 }) &
            tbb::make_filter<BatchPtr, void>(filter_mode::parallel, [this](const BatchPtr& batch) {
              if (!batch->left) return;
              set_thread_count(1);
              unless_stopped([&] { batch->left(); });
            }));
  }

  // After an error or an interruption, batches in flight still pass through, but no more work is
  // done on them. An exception through the pipeline would leave them in it, never destroyed, while
  // others wait for the memory that they hold.
  void unless_stopped(const std::function<void()>& work) {
    if (stopped()) return;
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_ = true;
    }
  }
  bool stopped() const { return failed_ || interrupted(); }

  BatchPtr next_batch() {
    const std::size_t most = source_.batch > 0 ? source_.batch : makers_.kind().batch();
    std::size_t count = std::min(most, end_ - next_);
    if (options_.block > 0) count = std::min(count, options_.block - next_ % options_.block);
    auto batch = std::make_shared<Batch<Value>>();
    for (std::size_t waiting = 0; batch->inputs.size() < count && waiting < kWaitingBytes;) {
      if (source_.arrive) {
        const std::optional<std::size_t> bytes = source_.arrive(next_);
        if (!bytes) {
          end_ = next_;
          break;
        }
        waiting += *bytes;
      }
      batch->inputs.emplace_back().index = next_++;
    }
    return batch->inputs.empty() ? nullptr : batch;
  }

  // All threads share the inputs, so that even a short list keeps all of them busy.
  void prepare(Batch<Value>& batch) {
    if (source_.bytes > 0) take_memory(source_.bytes, batch);
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(std::size_t{0}, batch.inputs.size(), [&](std::size_t i) {
        set_thread_count(1);
        if (stopped()) return;
        {
          const PreparationSlot slot(preparing_);
          leafglyph::prepare(source_, batch.inputs[i], load_);
        }
        // Must not hold the slot: the batch that holds the memory may need a slot to continue.
        if (i == 0 && source_.bytes == 0) take_memory(bytes_of(batch.inputs[0].input), batch);
      });
    });
  }

  static std::size_t bytes_of(const Input& input) {
    std::size_t bytes = 0;
    for (const auto& part : input.parts) bytes += part->bytes();
    return bytes;
  }

  // Inputs mostly have the same size, so the first one shows what all of them need. It is already
  // in memory while it waits; the others are not.
  void take_memory(std::size_t of_one, Batch<Value>& batch) const {
    if (of_one == 0) return;
    const std::size_t count = batch.inputs.size();
    batch.memory.emplace().take(
        static_cast<double>(count * of_one),
        fmt::format("{}{}", source_.name(batch.inputs.front().index),
                    count == 1 ? "" : fmt::format(", with {} of its size,", count)));
  }

  void give(Batch<Value>& batch) {
    for (MadeRows<Value>& made : batch.inputs) take_(std::move(made));
    options_.advance(batch.inputs.size());
    if (options_.work_left) batch.left = options_.work_left();
  }

  const Source& source_;
  MakerPool<Value>& makers_;
  const RowPipelineOptions& options_;
  const std::function<void(MadeRows<Value>)>& take_;
  StageLoad own_load_;
  StageLoad& load_;
  int threads_;
  std::counting_semaphore<> preparing_;
  std::size_t next_ = 0;  // input
  std::size_t end_;       // behind the last input
  std::mutex mutex_;      // of error_
  std::exception_ptr error_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

template <class Value>
MakerPool<Value>::MakerPool(std::shared_ptr<const RowKind<Value>> kind, const PlanOptions& options,
                            Makers makers)
    : kind_(std::move(kind)), options_(options), makers_(makers) {
  std::string reason;
  options_.device = kind_->device(options.device, reason);
  // Without asking whether there is a GPU: that alone takes CUDA tenths of a second.
  if (!reason.empty() && options.log) options.log(reason);
  gpus_ = select_gpus(options_.device, reason);  // the first maker reports why there is none
  most_ = makers == Makers::kOne ? 1
          : gpus_.empty()        ? std::numeric_limits<std::size_t>::max()
                                 : makers_on(gpus_.size());
}

template <class Value>
std::unique_ptr<RowMaker<Value>> MakerPool<Value>::make(std::size_t number) const {
  PlanOptions options = options_;
  if (makers_ == Makers::kPerThread && !gpus_.empty()) {
    options.device = {DeviceChoice::Kind::kCuda, gpus_[number % gpus_.size()].number};
  }
  if (number > 0) options.log = {};
  return kind_->make_maker(options);
}

template <class Value>
std::unique_ptr<RowMaker<Value>> MakerPool<Value>::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !idle_.empty() || made_ < most_; });
  if (!idle_.empty()) {
    std::unique_ptr<RowMaker<Value>> maker = std::move(idle_.back());
    idle_.pop_back();
    return maker;
  }
  const std::size_t number = made_++;
  lock.unlock();
  try {
    return make(number);
  } catch (...) {
    // Threads that wait for this maker must try for themselves, and fail.
    lock.lock();
    --made_;
    changed_.notify_all();
    throw;
  }
}

template <class Value>
MakerPool<Value>::Borrowed::~Borrowed() {
  const std::lock_guard lock(pool.mutex_);
  pool.idle_.push_back(std::move(maker));
  pool.changed_.notify_one();
}

template <class Value>
std::vector<Value> MakerPool<Value>::rows(std::span<const Part* const> parts,
                                          std::span<std::vector<std::string>> warnings,
                                          StageLoad& load) {
  return Borrowed(*this).maker->rows(parts, warnings, load);
}

template <class Value>
MadeRows<Value> rows_of(const Source& source, std::size_t i, MakerPool<Value>& makers) {
  Batch<Value> batch;
  batch.inputs.resize(1);
  MadeRows<Value>& made = batch.inputs.front();
  made.index = i;
  StageLoad load;
  prepare(source, made, load);
  make_rows(source, batch, makers, load);
  return std::move(made);
}

template <class Value>
void run_row_pipeline(const Source& source, MakerPool<Value>& makers,
                      const RowPipelineOptions& options,
                      const std::function<void(MadeRows<Value>)>& take) {
  Stream<Value>(source, makers, options, take).run();
}

template class MakerPool<float>;
template class MakerPool<std::complex<double>>;
template MadeRows<float> rows_of(const Source&, std::size_t, MakerPool<float>&);
template MadeRows<std::complex<double>> rows_of(const Source&, std::size_t,
                                                MakerPool<std::complex<double>>&);
template void run_row_pipeline(const Source&, MakerPool<float>&, const RowPipelineOptions&,
                               const std::function<void(MadeRows<float>)>&);
template void run_row_pipeline(const Source&, MakerPool<std::complex<double>>&,
                               const RowPipelineOptions&,
                               const std::function<void(MadeRows<std::complex<double>>)>&);

namespace {

constexpr Names<Stage, kStages> kNames = {"stage",
                                          {{{Stage::kRead, "read"},
                                            {Stage::kDecode, "decode"},
                                            {Stage::kPrepare, "prepare"},
                                            {Stage::kChannels, "channels"},
                                            {Stage::kMoments, "moments"},
                                            {Stage::kWrite, "write"}}}};

}  // namespace

std::string_view stage_name(Stage stage) { return name_of(kNames, stage); }

}  // namespace leafglyph
