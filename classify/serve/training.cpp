#include "classify/serve/training.h"

#include <utility>

#include "classify/leaf_report/check_report.h"
#include "classify/serve/http_message.h"
#include "classify/serve/kept_leaves.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/paths.h"

namespace leafglyph {
namespace fs = std::filesystem;

Training::Training(LeafConfig config, fs::path models, LeafRun run, Done done)
    : config_(std::move(config)),
      models_(std::move(models)),
      run_(std::move(run)),
      done_(std::move(done)) {}

Training::~Training() {
  if (running_.valid()) running_.wait();
}

void Training::begin() {
  const std::lock_guard lock(mutex_);
  if (state_.phase == TrainingState::Phase::kRunning) throw BusyError();
  folder_ = std::make_unique<TrainingFolder>();
  state_ = {};
  report_.clear();
}

TrainingFolder& Training::gathering() const {
  if (!folder_ || state_.phase != TrainingState::Phase::kGathering) {
    throw UsageError("no training has begun that photographs could be added to");
  }
  return *folder_;
}

void Training::add(std::string_view species, std::string_view name, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  gathering().add(species, name, bytes);
  state_.photographs = folder_->photographs();
}

void Training::add_archive(std::string_view zip) {
  const std::lock_guard lock(mutex_);
  gathering().add_archive(zip);
  state_.photographs = folder_->photographs();
}

void Training::run(const std::string& name) {
  const std::lock_guard lock(mutex_);
  gathering();
  const fs::path folder = models_ / species_folder(name);
  if (is_there(folder)) {
    throw UsageError("there is a model called '" + name + "'; choose another name");
  }
  make_folder(models_);
  state_.phase = TrainingState::Phase::kRunning;
  running_ = std::async(std::launch::async, [this, name] { learn(name); });
}

void Training::learn(const std::string& name) {
  TrainingState state;
  std::string report;
  try {
    LeafConfig config = config_;
    config.data = DataSpec{};
    config.data.source = DataSource::kFolders;
    config.data.path = folder_->path();
    TrainedLeaves trained = train_leaves(config, run_);
    const fs::path folder = models_ / name;
    save_model(trained.model, WriteLock(folder));
    state.model = name;
    state.species = trained.model.class_names.size();
    state.leaves = trained.model.sample_names.size();
    report = html_check(trained);
    if (trained.model.history.accuracy) state.accuracy = *trained.model.history.accuracy;
    for (const LookAt& look : trained.check.look) state.look.push_back(look.text);
    state.errors = std::move(trained.errors);
    state.warnings = std::move(trained.warnings);
    done_(name, folder);
    state.phase = TrainingState::Phase::kDone;
  } catch (const std::exception& error) {
    state.phase = TrainingState::Phase::kFailed;
    state.failure = error.what();
  }
  const std::lock_guard lock(mutex_);
  state.photographs = state_.photographs;
  folder_.reset();
  state_ = std::move(state);
  report_ = std::move(report);
}

std::string Training::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

TrainingState Training::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

}  // namespace leafglyph
