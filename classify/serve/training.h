// Trainings on the page: photographs are collected, then a model is trained while the page is in
// use.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_training.h"
#include "classify/serve/model_shelf.h"
#include "classify/serve/training_folder.h"

namespace leafglyph {

/// The state of a training.
struct TrainingState {
  enum class Phase { kGathering, kRunning, kDone, kFailed };
  Phase phase = Phase::kGathering;
  TrainingCounts sent;  ///< what is trained on
  std::string step;     ///< what is being done: "features", "augmented copies"
  std::size_t step_done = 0, step_total = 0;
  std::size_t species = 0;       ///< of the model
  std::string model;             ///< its name, once it is done
  std::size_t leaves = 0;        ///< of the model
  std::size_t added = 0;         ///< to a model that was there
  CrossValidatedShare accuracy;  ///< of the model
  std::optional<UnknownShare> unknown;
  std::vector<std::string> look;    ///< a line for each photograph that needs attention
  std::vector<std::string> errors;  ///< a line for each photograph that could not be used
  std::vector<std::string> warnings;
  std::string failure;  ///< why there is no model
};

/// Runs one training at a time.
class Training {
 public:
  /// Collects photographs in `data`, where it continues with those of a server that has ended;
  /// trains models with `config` for `shelf`, which must live longer.
  Training(LeafConfig config, std::filesystem::path data, LeafRun run, ModelShelf& shelf);
  /// Waits for a running training.
  ~Training();
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  /// Starts over without photographs; `discard` removes those that are there. Throws Refusal (409)
  /// while a training runs, and the Refusal "gathered" if there are photographs and `discard` is
  /// false.
  void begin(bool discard);
  /// Adds a photograph, those in an archive, or the names of species. Throws UsageError before
  /// begin() and after run(), what TrainingFolder throws, and Refusal (409) if the training was
  /// started over in the meantime.
  void add(std::string_view species, std::string_view name, std::string_view bytes);
  void add_archive(std::string_view zip);
  void add_names(std::string_view csv);
  /// Adds the photographs of earlier(), which are not offered again by this object. Throws what add
  /// throws, and InputError when one cannot be read; photographs added before stay.
  void add_earlier();
  /// What lies in `data` without a mark and has not been added.
  EarlierPhotographs earlier() const;
  /// Trains on the collected photographs, and removes them when the model is saved: whatever else
  /// ends the training, they stay. `name` becomes the name of
  /// the model and of its folder, which is locked until then. Throws UsageError as species_folder
  /// does, for a name in use and before begin(); InputError as check_can_be_learnt does; Refusal
  /// (409) while photographs are being added or another program trains that model.
  void run(const std::string& name);
  /// The same, but adds the photographs to the user's own model of that name (add_leaves), which
  /// notes how many of them are among `corrected` (KeptLeaves::photographs). Throws what
  /// ModelShelf::changeable throws.
  void grow(const std::string& name, const std::vector<std::string>& corrected);
  /// Ends a running training soon; its photographs are then gathered as before.
  void cancel();

  TrainingState state() const;

 private:
  using Folder = std::shared_ptr<TrainingFolder>;
  const Folder& gathering() const;
  void add_by(const std::function<void(TrainingFolder&)>& add);
  /// Makes and saves a model with photographs.
  using Learn = std::function<TrainingState(const TrainingFolder& folder, const WriteLock& lock)>;
  TrainingCounts ready() const;
  void start(WriteLock lock, Learn learn);
  void learn(const Learn& learn, Folder folder, WriteLock lock);
  TrainingState trained(const std::string& name, const TrainingFolder& folder,
                        const WriteLock& lock);
  TrainingState grown(const std::string& name, const std::set<std::string>& corrected,
                      const TrainingFolder& folder, const WriteLock& lock);
  LeafRun observed();

  LeafConfig config_;
  std::filesystem::path data_;
  LeafRun run_;
  ModelShelf& shelf_;
  mutable std::mutex mutex_;
  EarlierPhotographs earlier_;
  Folder folder_;   // set unless a training runs; requests that add to it keep it alive
  int adding_ = 0;  // requests that are adding to folder_
  TrainingState state_;
  std::atomic<bool> cancelled_ = false;
  std::future<void> running_;
};

}  // namespace leafglyph
