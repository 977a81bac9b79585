#include "classify/serve/training.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "classify/leaf/leaf_data.h"
#include "classify/leaf_report/report.h"
#include "classify/serve/http_message.h"
#include "classify/serve/kept_leaves.h"
#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_name(const std::string& name) {
  throw UsageError("a model called '" + name + "' already exists; choose another name");
}

// Uses the names under which the photographs were sent.
void name_as_sent(TrainedLeaves& trained, const TrainingFolder& folder) {
  const auto rename = [&](std::string& text) { text = folder.without_path(std::move(text)); };
  rename(trained.data_description);
  rename(trained.model.history.data);
  for (LookAt& look : trained.check.look) rename(look.text);
  for (std::string& line : trained.errors) rename(line);
  for (std::string& line : trained.warnings) rename(line);
}

}  // namespace

Training::Training(LeafConfig config, fs::path data, fs::path saved, LeafRun run, Models models)
    : config_(std::move(config)),
      data_(std::move(data)),
      saved_(std::move(saved)),
      run_(std::move(run)),
      models_(std::move(models)) {}

Training::~Training() {
  if (running_.valid()) running_.wait();
}

void Training::begin(bool discard) {
  Folder before;  // removed after the lock is released: it may hold thousands of files
  const std::lock_guard lock(mutex_);
  if (state_.phase == TrainingState::Phase::kRunning) {
    throw Refusal(409, "running", "a training is running; wait until it ends");
  }
  if (!discard && adding_ > 0) {
    throw Refusal(409, "gathered", "photographs are being added to a training; run it first");
  }
  const std::size_t there = folder_ ? folder_->counts().photographs : 0;
  if (!discard && there > 0) {
    throw Refusal(409, "gathered",
                  fmt::format("photographs waiting for a training: {}; run it first, or "
                              "discard them (discard=yes)",
                              there));
  }
  before = std::exchange(folder_, std::make_shared<TrainingFolder>(data_));
  adding_ = 0;
  state_ = {};
  report_.clear();
}

const Training::Folder& Training::gathering() const {
  if (!folder_ || state_.phase != TrainingState::Phase::kGathering) {
    throw UsageError("no training has been started to which photographs could be added");
  }
  return folder_;
}

// Does not hold the lock, because others ask for the state in the meantime.
void Training::add_by(const std::function<void(TrainingFolder&)>& add) {
  Folder folder;
  {
    const std::lock_guard lock(mutex_);
    folder = gathering();
    ++adding_;
  }
  std::exception_ptr fault;
  try {
    add(*folder);
  } catch (...) {
    fault = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  const bool discarded = folder != folder_;
  if (!discarded) --adding_;
  if (fault) std::rethrow_exception(fault);
  if (discarded) {
    throw Refusal(409, "discarded",
                  "these photographs were discarded because a new training was started");
  }
}

void Training::add(std::string_view species, std::string_view name, std::string_view bytes) {
  add_by([&](TrainingFolder& folder) { folder.add(species, name, bytes); });
}

void Training::add_archive(std::string_view zip) {
  add_by([&](TrainingFolder& folder) { folder.add_archive(zip); });
}

void Training::run(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const TrainingCounts counts = gathering()->counts();
  const fs::path path = saved_ / species_folder(name);
  if (adding_ > 0) {
    throw Refusal(409, "adding", "photographs are still being added; train when all have arrived");
  }
  check_can_be_learnt(counts.species, counts.of_each);
  // Held until the model is saved. Otherwise two trainings with the same name would lose one of
  // their models.
  std::optional<WriteLock> alone = WriteLock::if_free(path);
  if (!alone) {
    throw Refusal(409, "taken",
                  "another LeafGlyph is making a model called '" + name + "'; choose another name");
  }
  if (models_.has(name) || is_there(path)) refuse_name(name);
  running_ = std::async(std::launch::async,
                        [this, name, folder = folder_, write = *std::move(alone)]() mutable {
                          learn(name, std::move(folder), std::move(write));
                        });
  state_.phase = TrainingState::Phase::kRunning;
  state_.photographs = counts.photographs;
  state_.species = counts.species.size();
  folder_.reset();
}

TrainingState Training::learnt(const std::string& name, const TrainingFolder& folder,
                               const WriteLock& lock, std::string& report) {
  LeafConfig config = config_;
  config.data = DataSpec{};
  config.data.source = DataSource::kFolders;
  config.data.path = folder.path();
  TrainedLeaves trained = train_leaves(config, run_);
  name_as_sent(trained, folder);
  // Programs that ignore the locks may have put something there.
  if (is_there(lock.target())) refuse_name(name);
  save_model(trained.model, lock);
  TrainingState state;
  state.phase = TrainingState::Phase::kDone;
  state.model = name;
  state.species = trained.model.class_names.size();
  state.leaves = trained.model.sample_names.size();
  if (trained.model.history.accuracy) state.accuracy = *trained.model.history.accuracy;
  state.unknown = trained.model.history.unknown;
  for (const LookAt& look : trained.check.look) state.look.push_back(look.text);
  state.errors = trained.errors;
  state.warnings = trained.warnings;
  report = html_check(trained);
  models_.add(name, lock.target());
  return state;
}

void Training::learn(const std::string& name, Folder folder, WriteLock lock) {
  TrainingState state;
  std::string report;
  try {
    state = learnt(name, *folder, lock, report);
  } catch (const std::exception& error) {
    state.phase = TrainingState::Phase::kFailed;
    state.failure = folder->without_path(error.what());
  }
  state.photographs = folder->counts().photographs;
  // Releases both before anybody can see that the training has ended.
  folder.reset();
  { const WriteLock released = std::move(lock); }
  const std::lock_guard guard(mutex_);
  state_ = std::move(state);
  report_ = std::move(report);
}

std::string Training::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

TrainingState Training::state() const {
  const std::lock_guard lock(mutex_);
  TrainingState state = state_;
  if (folder_) {
    const TrainingCounts counts = folder_->counts();
    state.photographs = counts.photographs;
    state.species = counts.species.size();
  }
  return state;
}

}  // namespace leafglyph
