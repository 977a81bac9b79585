// Extracts features: takes images through all stages into a store, many at a time, with a bounded
// number in progress.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "classify/extraction/image_list.h"
#include "classify/extraction/recipe.h"
#include "classify/store/feature_store.h"
#include "classify/support/progress.h"

namespace leafglyph {

/// The blocks b of a store with b % count == index.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;
};
/// Reads "I/N", 0 <= I < N; throws UsageError.
Shard shard_from_text(const std::string& text);

struct StageBusy {
  Stage stage;
  double seconds = 0;  ///< total over all threads
};

/// The result of an extraction.
struct ExtractionReport {
  std::size_t images = 0;
  std::size_t rows = 0;
  std::map<RowState, std::size_t> states;  ///< number of rows in each state
  std::vector<std::string> errors;         ///< why the first rows failed, with their inputs
  std::size_t blocks_there = 0;            ///< blocks of the shard that existed before
  double seconds = 0;
  int threads = 0;
  std::size_t gpus = 0;
  std::vector<StageBusy> stages;
};
/// One line per stage: its share of the threads' time.
std::vector<std::string> stage_lines(const ExtractionReport& report);
/// The stage that limits the speed: "decode, 61 % of 2 threads".
std::string limit_of(const ExtractionReport& report);

/// The header of a store of these images.
StoreHeader with_list(StoreHeader header, const ImageList& images);

/// Adds the missing blocks of the shard to the store. An image that cannot be prepared becomes a
/// row of NaN with the reason, and does not stop the others. Rows are identical to the last bit,
/// whatever the number of threads and the shard. Runs on the GPUs that options.device chooses,
/// otherwise on thread_count() threads. The images of the shard's existing blocks must be unchanged
/// (check_unchanged). Throws Interrupted, and what writing the store throws; finished blocks stay.
ExtractionReport extract_features(const ImageList& images, const Recipe& recipe,
                                  const FeatureStore& store, const Shard& shard,
                                  const PlanOptions& options, ProgressStyle progress);

/// Makes a store at `folder` of a list with streams, which appears once the last image has been
/// read; `images.list` are then all images. `header`: that of the store but for what with_list
/// sets. Where there is a complete store of the same images, which are read to see that, it stays
/// as it is. Throws UsageError when there is another store, or any and a stream is standard input;
/// InputError when there is no image, and what extract_features throws.
ExtractionReport extract_streams(ListedImages& images, const Recipe& recipe,
                                 const std::filesystem::path& folder, const StoreHeader& header,
                                 const PlanOptions& options, ProgressStyle progress);

inline constexpr std::size_t kUsualBlock = 1024;
/// Which part of which store a run fills.
struct StoreRun {
  std::filesystem::path folder;
  StoredValues values = StoredValues::kFloat32;
  std::size_t block = kUsualBlock;  ///< inputs per block of a new store
  Shard shard;
};
/// Takes all images into the store at run.folder, which is made if it is not there, by
/// extract_features, or extract_streams if there are streams, and throws what these throw;
/// UsageError for a shard of streams.
ExtractionReport fill_store(ListedImages& images, const Recipe& recipe, const StoreRun& run,
                            const PlanOptions& options, ProgressStyle progress);

}  // namespace leafglyph
