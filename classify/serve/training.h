// Trainings from the page: photographs are gathered, then learnt while the page is used.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_training.h"
#include "classify/serve/training_folder.h"

namespace leafglyph {

/// What became of a training.
struct TrainingState {
  enum class Phase { kGathering, kRunning, kDone, kFailed };
  Phase phase = Phase::kGathering;
  std::size_t photographs = 0;
  std::string model;        ///< its name, once it is done
  std::size_t species = 0;  ///< of the model, as are the leaves
  std::size_t leaves = 0;
  CrossValidatedShare accuracy;     ///< of the model
  std::vector<std::string> look;    ///< a line for each photograph that somebody should look at
  std::vector<std::string> errors;  ///< a line for each photograph that could not be used
  std::vector<std::string> warnings;
  std::string failure;  ///< why there is no model
};

/// One training at a time.
class Training {
 public:
  /// Receives a model when it is saved: its name and folder.
  using Done = std::function<void(const std::string& name, const std::filesystem::path& folder)>;

  /// Models are learnt by `config` and saved in `models`.
  Training(LeafConfig config, std::filesystem::path models, LeafRun run, Done done);
  /// Waits for what runs.
  ~Training();
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  /// Begins anew, with no photographs. Throws BusyError while one runs.
  void begin();
  /// Adds a photograph, or those of an archive. Throws UsageError before begin() and behind run(),
  /// and what TrainingFolder throws.
  void add(std::string_view species, std::string_view name, std::string_view bytes);
  void add_archive(std::string_view zip);
  /// Learns what was gathered; the photographs are gone afterwards. `name` becomes that of the
  /// model and its folder. Throws UsageError as species_folder, where a model has that name and
  /// before begin().
  void run(const std::string& name);

  TrainingState state() const;
  /// The page of the last training (html_check); empty where there is none.
  std::string report() const;

 private:
  TrainingFolder& gathering() const;
  void learn(const std::string& name);

  LeafConfig config_;
  std::filesystem::path models_;
  LeafRun run_;
  Done done_;
  mutable std::mutex mutex_;
  std::unique_ptr<TrainingFolder> folder_;
  TrainingState state_;
  std::string report_;
  std::future<void> running_;
};

}  // namespace leafglyph
