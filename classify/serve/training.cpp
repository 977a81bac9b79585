#include "classify/serve/training.h"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <utility>

#include "classify/http/http_message.h"
#include "classify/leaf/leaf_data.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

// Held until the model is saved. Otherwise two trainings with the same name would lose one of their
// models.
WriteLock lock_for(const fs::path& folder, const std::string& name) {
  std::optional<WriteLock> alone = WriteLock::if_free(folder);
  if (alone) return *std::move(alone);
  throw Refusal(409, "taken",
                "another LeafGlyph is making a model called '" + name + "'; choose another name");
}

// The user no longer wants the training. Its photographs stay.
class Cancelled : public std::exception {};

[[noreturn]] void refuse_name(const std::string& name) {
  throw UsageError("a model called '" + name + "' already exists; choose another name");
}

TrainingState state_of(const std::string& name, const LeafModel& model) {
  TrainingState state;
  state.phase = TrainingState::Phase::kDone;
  state.model = name;
  state.species = model.class_names.size();
  state.leaves = model.sample_names.size();
  if (model.history.accuracy) state.accuracy = *model.history.accuracy;
  state.unknown = model.history.unknown;
  for (const LookAt& look : model.check().look) state.look.push_back(look.text);
  return state;
}

// Use the names under which the photographs were sent.
void name_as_sent(LeafModel& model, const TrainingFolder& folder) {
  LeafCheck check = model.check();
  for (LookAt& look : check.look) look.text = folder.without_path(std::move(look.text));
  model.check = [check = std::move(check)] { return check; };
}
std::vector<std::string> named_as_sent(std::vector<std::string> lines,
                                       const TrainingFolder& folder) {
  for (std::string& line : lines) line = folder.without_path(std::move(line));
  return lines;
}

// Counts the corrected ones among the last `count` leaves, those of the additions from `first` on.
void count_corrected(LeafModel& model, std::size_t first, std::size_t count,
                     const std::set<std::string>& corrected) {
  std::size_t leaf = model.sample_names.size() - count;
  for (std::size_t i = first; i < model.history.added.size(); ++i) {
    AddedLeaves& added = model.history.added[i];
    for (std::size_t of_it = 0; of_it < added.leaves; ++of_it, ++leaf) {
      added.corrected += corrected.contains(model.sample_names[leaf]) ? 1 : 0;
    }
  }
}

}  // namespace

Training::Training(LeafConfig config, fs::path data, LeafRun run, ModelShelf& shelf)
    : config_(std::move(config)),
      data_(std::move(data)),
      run_(std::move(run)),
      shelf_(shelf),
      folder_(TrainingFolder::left_in(data_)) {
  try {
    earlier_ = TrainingFolder::earlier_in(data_);
  } catch (const InputError& error) {
    run_.warn(std::string("photographs of an earlier version are left out: ") + error.what());
  }
}

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
  if (folder_) folder_->discard();
  before = std::exchange(folder_, std::make_shared<TrainingFolder>(data_));
  adding_ = 0;
  state_ = {};
}

const Training::Folder& Training::gathering() const {
  if (!folder_) {
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
    state_ = {};
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

void Training::add_names(std::string_view csv) {
  add_by([&](TrainingFolder& folder) { folder.add_names(csv); });
}

void Training::add_earlier() {
  EarlierPhotographs earlier;
  {
    const std::lock_guard lock(mutex_);
    gathering();
    earlier = std::exchange(earlier_, {});
  }
  for (const fs::path& folder : earlier.folders) {
    const fs::path names = folder / WaitingList::kSentNames;
    if (is_regular(names)) add_names(read_file(names));
  }
  for (const fs::path& photograph : earlier.photographs) {
    throw_if_interrupted();
    add(photograph.parent_path().filename().string(), photograph.filename().string(),
        read_file(photograph));
  }
}

EarlierPhotographs Training::earlier() const {
  const std::lock_guard lock(mutex_);
  return earlier_;
}

// What will be trained on.
TrainingCounts Training::ready() const {
  TrainingCounts counts = gathering()->counts();
  if (adding_ == 0) return counts;
  throw Refusal(409, "adding", "photographs are still being added; train when all have arrived");
}

void Training::run(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const fs::path path = shelf_.own_folder(name);
  const TrainingCounts counts = ready();
  check_can_be_learnt(counts.species, counts.of_each);
  WriteLock alone = lock_for(path, name);
  if (shelf_.find(name) || is_there(path)) refuse_name(name);
  start(std::move(alone), [this, name](const TrainingFolder& folder, const WriteLock& held) {
    return trained(name, folder, held);
  });
}

void Training::grow(const std::string& name, const std::vector<std::string>& corrected) {
  const std::lock_guard lock(mutex_);
  const fs::path path = shelf_.changeable(name);
  if (ready().photographs == 0) throw UsageError("no photograph has been added yet");
  const std::set<std::string> known(corrected.begin(), corrected.end());
  start(lock_for(path, name),
        [this, name, known](const TrainingFolder& folder, const WriteLock& held) {
          return grown(name, known, folder, held);
        });
}

void Training::cancel() { cancelled_ = true; }

void Training::start(WriteLock lock, Learn learn) {
  cancelled_ = false;
  state_ = {};
  state_.phase = TrainingState::Phase::kRunning;
  state_.sent = folder_->counts();
  running_ = std::async(std::launch::async, [this, learn = std::move(learn), folder = folder_,
                                             held = std::move(lock)]() mutable {
    this->learn(learn, std::move(folder), std::move(held));
  });
  folder_.reset();
}

// Shows how far a training is, and ends it when it is cancelled.
LeafRun Training::observed() {
  LeafRun run = run_;
  run.progressed = [this](const std::string& step, std::size_t done, std::size_t total) {
    if (cancelled_) throw Cancelled();
    const std::lock_guard lock(mutex_);
    state_.step = step;
    state_.step_done = done;
    state_.step_total = total;
  };
  return run;
}

TrainingState Training::trained(const std::string& name, const TrainingFolder& folder,
                                const WriteLock& lock) {
  LeafConfig config = config_;
  config.data = DataSpec{};
  config.data.source = DataSource::kFolders;
  config.data.path = folder.path();
  config.data.names = folder.finish();
  TrainedLeaves trained = train_leaves(config, observed());
  std::string& data = trained.model.history.data;
  data = folder.described(std::move(data));
  name_as_sent(trained.model, folder);
  if (cancelled_) throw Cancelled();
  // Programs that ignore the locks may have put something there.
  if (is_there(lock.target())) refuse_name(name);
  save_model(trained.model, lock);
  TrainingState state = state_of(name, trained.model);
  state.errors = named_as_sent(std::move(trained.errors), folder);
  state.warnings = named_as_sent(std::move(trained.warnings), folder);
  shelf_.read(name);
  return state;
}

TrainingState Training::grown(const std::string& name, const std::set<std::string>& corrected,
                              const TrainingFolder& folder, const WriteLock& lock) {
  const fs::path names = folder.finish();
  const std::vector<std::string> folders = folder.counts().species;
  const LeafDataset named = load_class_folders(folder.path(), names);  // in the same order
  std::vector<NewLeaves> leaves;
  for (std::size_t c = 0; c < folders.size(); ++c) {
    leaves.push_back({named.class_names[c], named.scientific_names[c], folder.path() / folders[c],
                      /*source_aspect=*/0, named.chinese_names[c]});
  }
  LeafModel before = load_model(lock.target());
  const std::size_t additions = before.history.added.size();
  GrownModel grown = add_leaves(std::move(before), leaves, observed());
  for (AddedLeaves& added : grown.model.history.added) added.data = folder.without_path(added.data);
  count_corrected(grown.model, additions, grown.added, corrected);
  name_as_sent(grown.model, folder);
  if (cancelled_) throw Cancelled();
  save_model(grown.model, lock);
  TrainingState state = state_of(name, grown.model);
  state.added = grown.added;
  state.errors = named_as_sent(std::move(grown.errors), folder);
  state.warnings = named_as_sent(std::move(grown.warnings), folder);
  shelf_.read(name);
  return state;
}

void Training::learn(const Learn& learn, Folder folder, WriteLock lock) {
  TrainingState state;
  try {
    state = learn(*folder, lock);
    folder->discard();
  } catch (const Cancelled&) {  // as before it began
  } catch (const std::exception& error) {
    state.phase = TrainingState::Phase::kFailed;
    state.failure = folder->without_path(error.what());
  }
  state.sent = folder->counts();
  const bool done = state.phase == TrainingState::Phase::kDone;
  Folder kept = done ? nullptr : folder;
  // Releases both before anybody can see that the training has ended.
  folder.reset();
  { const WriteLock released = std::move(lock); }
  const std::lock_guard guard(mutex_);
  folder_ = std::move(kept);
  state_ = std::move(state);
}

TrainingState Training::state() const {
  const std::lock_guard lock(mutex_);
  TrainingState state = state_;
  if (folder_) state.sent = folder_->counts();
  return state;
}

}  // namespace leafglyph
