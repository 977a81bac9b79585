// The row pipeline: order, batches, and what causes a failure.
#include "classify/rows/row_pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "classify/rows/leaf_rows.h"
#include "classify/rows/moment_rows.h"
#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "tests/support/leaf_test_images.h"

namespace leafglyph {
namespace {

using testing::ellipse_photograph;
using testing::TemporaryFolder;

struct NumberPart : Part {
  explicit NumberPart(float of) : number(of) {}
  void drop_pixels() override { dropped = true; }
  float number;
  bool dropped = false;
};

// mechanics: rows of few moments stay on the cores unless a GPU is asked for by name.
TEST(LeafRows, OfFewMomentsStayOnTheCores) {
  using Kind = DeviceChoice::Kind;
  const auto kind_for = [](std::vector<Channel> channels, int order, Kind requested) {
    FeatureSpec features;
    features.channels = std::move(channels);
    std::string reason;
    const DeviceChoice choice = LeafRows(features, order, 256).device({requested, 0}, reason);
    EXPECT_EQ(reason.empty(), choice.kind == requested);
    return choice.kind;
  };
  const std::vector<Channel> one = {Channel::kGrey};
  const std::vector<Channel> four = {Channel::kInverted, Channel::kMask, Channel::kGradient,
                                     Channel::kRounded};
  EXPECT_EQ(kind_for(one, 30, Kind::kAuto), Kind::kCpu);
  EXPECT_EQ(kind_for(one, 30, Kind::kCuda), Kind::kCuda);
  EXPECT_EQ(kind_for(one, 80, Kind::kAuto), Kind::kAuto);
  EXPECT_EQ(kind_for(four, 30, Kind::kAuto), Kind::kAuto);
}

// A row is the number of its part; 13 has no row.
class Numbers : public RowKind<float> {
 public:
  class Maker : public RowMaker<float> {
   public:
    std::vector<float> rows(std::span<const Part* const> parts,
                            std::span<std::vector<std::string>> warnings, StageLoad&) override {
      std::vector<float> rows;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const float number = static_cast<const NumberPart*>(parts[i])->number;
        if (number == 13) throw InputError("13: no row");
        if (number == 7) warnings[i].emplace_back("seven");
        rows.push_back(number);
      }
      return rows;
    }
  };

  std::size_t columns() const override { return 1; }
  std::size_t batch() const override { return 4; }
  std::unique_ptr<RowMaker<float>> make_maker(const PlanOptions&) const override {
    ++made;
    return std::make_unique<Maker>();
  }
  mutable std::atomic<int> made = 0;
};

PlanOptions on_cpu() {
  PlanOptions options;
  options.device = {DeviceChoice::Kind::kCpu, 0};
  return options;
}

// Input i has i % 3 parts with the number i.
Source numbers(std::size_t count) {
  return {count, [](std::size_t i) { return std::to_string(i); },
          [](std::size_t i, Input& input, StageLoad&) {
            for (std::size_t part = 0; part < i % 3; ++part) {
              input.parts.push_back(std::make_unique<NumberPart>(static_cast<float>(i)));
            }
          }};
}

// mechanics: the sink gets every input once and in order, with zero, one or two rows; an input that
// fails does not affect the rest of its batch, and each warning stays with its row.
TEST(RowPipeline, KeepsTheOrderOfItsInputs) {
  MakerPool<float> makers(std::make_shared<Numbers>(), on_cpu());
  for (const std::size_t count : {0, 1, 30}) {
    std::size_t next = 0, advanced = 0;
    RowPipelineOptions options;
    options.block = 6;
    options.advance = [&](std::size_t done) { advanced += done; };
    run_row_pipeline<float>(numbers(count), makers, options, [&](const MadeRows<float>& made) {
      EXPECT_EQ(made.index, next++);
      if (made.index == 13) {
        EXPECT_EQ(made.error, "13: no row");
        EXPECT_TRUE(made.values.empty());
        return;
      }
      EXPECT_EQ(made.error, "");
      EXPECT_EQ(made.values, std::vector<float>(made.index % 3, static_cast<float>(made.index)));
      ASSERT_EQ(made.warnings.size(), made.index % 3);
      if (made.index == 7) {
        EXPECT_EQ(made.warnings[0], std::vector<std::string>{"seven"});
      }
      for (const auto& part : made.input.parts) {
        EXPECT_TRUE(static_cast<const NumberPart&>(*part).dropped);
      }
    });
    EXPECT_EQ(next, count);
    EXPECT_EQ(advanced, count);
  }
}

// mechanics: makers are created once and reused; Makers::kOne creates a single one.
TEST(RowPipeline, MakersStayWarm) {
  const auto kind = std::make_shared<Numbers>();
  MakerPool<float> one(kind, on_cpu(), Makers::kOne);
  one.warm_up();
  for (int repeat = 0; repeat < 3; ++repeat) {
    run_row_pipeline<float>(numbers(50), one, {}, [](const MadeRows<float>&) {});
    EXPECT_EQ(rows_of(numbers(20), 19, one).values, std::vector<float>{19});
  }
  EXPECT_EQ(kind->made, 1);
}

// mechanics: if a maker cannot be created, every thread that waits for it gets the error; the next
// one tries again.
TEST(RowPipeline, AMakerThatCannotBeMadeKeepsNobodyWaiting) {
  class Failing : public Numbers {
   public:
    std::unique_ptr<RowMaker<float>> make_maker(const PlanOptions& options) const override {
      if (fails) throw Error("no maker");
      return Numbers::make_maker(options);
    }
    std::atomic<bool> fails = true;
  };
  const auto kind = std::make_shared<Failing>();
  MakerPool<float> makers(kind, on_cpu(), Makers::kOne);
  constexpr int kThreads = 8;
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        try {
          rows_of(numbers(2), 1, makers);
        } catch (const Error& error) {
          failed += std::string(error.what()) == "no maker";
        }
      });
    }
  }
  EXPECT_EQ(failed, kThreads);
  kind->fails = false;
  EXPECT_EQ(rows_of(numbers(2), 1, makers).values, std::vector<float>{1});
}

// mechanics: a batch whose memory a later one holds waits for it, also with a single maker; if
// parts are as large as the free memory, one exists at a time.
TEST(RowPipeline, LaterBatchesGiveTheirMemoryBack) {
  constexpr std::size_t kBytes = std::size_t{48} << 20;
  struct LargePart : NumberPart {
    explicit LargePart(std::size_t of) : NumberPart(static_cast<float>(of)) {}
    std::size_t bytes() const override { return kBytes; }
  };
  class One : public Numbers {
   public:
    std::size_t batch() const override { return 1; }
  };
  const int threads = thread_count();
  set_thread_count(4);
  for (const bool is_known : {false, true}) {
    std::atomic<bool> second_is_there = false;
    Source source = numbers(8);
    source.prepare = [&](std::size_t i, Input& input, StageLoad&) {
      // Not forever: if the memory was known beforehand, the second one may have to wait.
      for (int wait = 0; i == 0 && !second_is_there && wait < 200; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (i == 1) second_is_there = true;
      input.parts.push_back(std::make_unique<LargePart>(i));
    };
    if (is_known) source.bytes = kBytes;
    set_memory_limit(least_memory_limit() + kBytes + kBytes / 2);
    MakerPool<float> makers(std::make_shared<One>(), on_cpu(), Makers::kOne);
    std::vector<float> rows;
    run_row_pipeline<float>(source, makers, {}, [&](const MadeRows<float>& made) {
      rows.insert(rows.end(), made.values.begin(), made.values.end());
    });
    EXPECT_EQ(rows, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
    set_memory_limit(0);
  }
  set_thread_count(threads);
}

// mechanics: an error releases the memory of its batch, for which others wait, and ends the
// pipeline.
TEST(RowPipeline, ErrorsKeepNobodyWaiting) {
  constexpr std::size_t kBytes = std::size_t{48} << 20;
  class One : public Numbers {
   public:
    std::size_t batch() const override { return 1; }
  };
  Source source = numbers(8);
  source.bytes = kBytes;
  source.prepare = [](std::size_t, Input&, StageLoad&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // others start waiting
    throw MachineError("no descriptor");
  };
  const int threads = thread_count();
  set_thread_count(4);
  set_memory_limit(least_memory_limit() + kBytes + kBytes / 2);
  MakerPool<float> makers(std::make_shared<One>(), on_cpu());
  EXPECT_THROW(run_row_pipeline<float>(source, makers, {}, [](const MadeRows<float>&) {}),
               MachineError);
  set_memory_limit(0);
  set_thread_count(threads);
}

// mechanics: an exception from the sink or the progress callback ends the pipeline.
TEST(RowPipeline, EndsWithWhatItsSinkThrows) {
  MakerPool<float> makers(std::make_shared<Numbers>(), on_cpu());
  EXPECT_THROW(run_row_pipeline<float>(numbers(500), makers, {},
                                       [](const MadeRows<float>& made) {
                                         if (made.index == 9) throw Error("full");
                                       }),
               Error);
}

// mechanics: what a batch leaves to do is done once, not in the sink's way and before the pipeline
// returns; what it throws ends the pipeline.
TEST(RowPipeline, WorkThatIsLeftIsDone) {
  const int threads = thread_count();
  set_thread_count(4);
  MakerPool<float> makers(std::make_shared<Numbers>(), on_cpu());
  constexpr std::size_t kInputs = 200;
  for (const bool fails : {false, true}) {
    std::vector<std::atomic<int>> done(kInputs);
    std::size_t taken = 0;
    std::size_t asked = 0;
    RowPipelineOptions options;
    options.block = 10;
    options.work_left = [&]() -> std::function<void()> {
      if (taken % options.block != 0) return nullptr;
      asked = taken;
      return [&done, fails, block = taken / 10 - 1] {
        if (fails && block == 3) throw Error("full");
        ++done[block];
      };
    };
    const auto run = [&] {
      run_row_pipeline<float>(numbers(kInputs), makers, options,
                              [&](const MadeRows<float>&) { ++taken; });
    };
    if (fails) {
      EXPECT_THROW(run(), Error);
      EXPECT_EQ(done[3], 0);
      continue;
    }
    run();
    EXPECT_EQ(asked, kInputs);
    for (std::size_t block = 0; block < kInputs / 10; ++block) EXPECT_EQ(done[block], 1) << block;
  }
  set_thread_count(threads);
}

// mechanics: a lack of memory, ours or OpenCV's, of descriptors or of threads ends a pipeline; it
// does not make an input bad.
TEST(RowPipeline, WhatTheMachineLacksIsNoBadInput) {
  MakerPool<float> makers(std::make_shared<Numbers>(), on_cpu());
  const auto error = [&](const std::function<void()>& fail) {
    const Source source{4, [](std::size_t i) { return "leaf " + std::to_string(i); },
                        [&](std::size_t i, Input& input, StageLoad&) {
                          if (i == 2) fail();
                          input.parts.push_back(std::make_unique<NumberPart>(1.0F));
                        }};
    std::vector<std::string> errors;
    run_row_pipeline<float>(source, makers, {},
                            [&](const MadeRows<float>& made) { errors.push_back(made.error); });
    EXPECT_EQ(errors.size(), 4U);
    return errors[2];
  };
  EXPECT_THROW(error([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(error([] { CV_Error(cv::Error::StsNoMem, "too much"); }), std::bad_alloc);
  EXPECT_THROW(error([] { throw MachineError("no descriptor"); }), MachineError);
  EXPECT_THROW(error([] { throw std::system_error(EAGAIN, std::generic_category()); }),
               std::system_error);
  EXPECT_NE(error([] {
              throw std::filesystem::filesystem_error(
                  "odd", std::make_error_code(std::errc::permission_denied));
            }).find("leaf 2"),
            std::string::npos);
  EXPECT_EQ(error([] { throw std::runtime_error("odd"); }), "leaf 2: cannot be prepared: odd");
  EXPECT_NE(error([] { CV_Error(cv::Error::StsAssert, "odd"); }).find("leaf 2"), std::string::npos);
}

// invariant: leaves from files are the same with many threads as with one, to the last bit; a
// missing file does not stop the others.
TEST(LeafSource, GivesTheSameOnManyThreads) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 24; ++i) {
    files.push_back((folder / (std::to_string(i) + ".png")).string());
    if (i % 5 == 3) continue;  // missing
    Image<std::uint8_t> image = ellipse_photograph(200, 150, 100, 75, 20 + 2 * i, 30 + i);
    cv::imwrite(files.back(), cv::Mat(150, 200, CV_8U, image.data()));
  }
  FeatureSpec features;
  features.order = 6;
  features.measures = true;
  const PrepareSpec spec;
  const auto made_on = [&](int threads) {
    const int before = thread_count();
    set_thread_count(threads);
    MakerPool<float> makers(std::make_shared<LeafRows>(features, features.order, spec.size),
                            on_cpu());
    std::vector<MadeRows<float>> all;
    run_row_pipeline<float>(leaf_source(photographs_in(files, spec), spec), makers, {},
                            [&](MadeRows<float> made) { all.push_back(std::move(made)); });
    set_thread_count(before);
    return all;
  };
  const std::vector<MadeRows<float>> alone = made_on(1);
  for (int repeat = 0; repeat < 4; ++repeat) {
    const std::vector<MadeRows<float>> together = made_on(8);
    ASSERT_EQ(together.size(), files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      EXPECT_EQ(together[i].error,
                i % 5 == 3 ? files[i] + ": there is no such file" : std::string());
      EXPECT_EQ(together[i].values, alone[i].values) << files[i];
    }
  }
}

// invariant: a batch's bytes are bounded, channels included.
TEST(LeafSource, BatchesAreBoundedByTheirBytes) {
  FeatureSpec features;
  features.channels = {Channel::kGrey, Channel::kMask, Channel::kGradient};
  EXPECT_EQ(LeafRows(features, 4, 256).batch(), 16U);
  EXPECT_EQ(LeafRows(features, 4, 4096).batch(), 1U);  // there is no smaller batch
  const std::size_t large = LeafRows(features, 4, 1024).batch();
  EXPECT_GE(large, 1U);
  EXPECT_LE(large * 1024 * 1024 * (3 * 4 + 5), std::size_t{64} << 20);
}

}  // namespace
}  // namespace leafglyph
