#include "classify/serve/model_shelf.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "classify/http/http_message.h"
#include "classify/leaf/model_folder.h"
#include "classify/serve/drawn_model.h"
#include "classify/serve/kept_leaves.h"
#include "classify/serve/model_archive.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/owned_folder.h"
#include "features/base/partial.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse_busy() {
  throw Refusal(409, "taken", "the model is being changed; try again later");
}

WriteLock lock_of(const fs::path& folder) {
  std::optional<WriteLock> lock = WriteLock::if_free(folder);
  if (!lock) refuse_busy();
  return *std::move(lock);
}

void move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) fail_with(from, "cannot be moved", error.value());
}

}  // namespace

ModelShelf::ModelShelf(const std::vector<fs::path>& given, fs::path own, const fs::path& installed,
                       LeafRun run)
    : own_(std::move(own)), run_(std::move(run)) {
  for (const fs::path& folder : given) {
    const std::string name = last_name(folder);
    if (find(name)) {
      throw UsageError("two models are called '" + name + "'; rename the folder of one");
    }
    models_.push_back({std::make_shared<ServedModel>(name, load_model(folder), run_), folder});
  }
  if (is_folder(own_)) {
    clear_all_leftovers(own_, names_in_model);
    read_own(given);
  }
  if (is_folder(installed)) read_installed(installed);
}

// One that cannot be read does not stop the page.
void ModelShelf::read_own(const std::vector<fs::path>& given) {
  for (const std::string& name : names_in_folder(own_)) {
    const fs::path folder = own_ / name;
    const auto is_same = [&](const fs::path& other) {
      std::error_code ignored;
      return fs::equivalent(other, folder, ignored);
    };
    if (!is_folder(folder) || std::ranges::any_of(given, is_same)) continue;
    clear_all_leftovers(folder);
    try {
      if (find(name)) {
        throw UsageError(folder.string() +
                         ": a model given with --model has the same name; rename one");
      }
      read(name);
    } catch (const std::exception& error) {
      run_.warn(std::string("a trained model is left out: ") + error.what());
    }
  }
}

void ModelShelf::read_installed(const fs::path& installed) {
  for (const std::string& name : names_in_folder(installed)) {
    if (!is_folder(installed / name) || find(name)) continue;
    try {
      models_.push_back({std::make_shared<ServedModel>(name, load_model(installed / name), run_),
                         installed / name});
    } catch (const std::exception& error) {
      run_.warn(std::string("an installed model is left out: ") + error.what());
    }
  }
}

std::vector<ModelShelf::Offered> ModelShelf::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<Offered> models;
  for (const Shelved& shelved : models_) models.push_back({shelved.model, shelved.own});
  return models;
}

ModelShelf::Model ModelShelf::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(models_, [&](const Shelved& shelved) {
    return name.empty() || shelved.model->name() == name;
  });
  return found == models_.end() ? nullptr : found->model;
}

ModelShelf::Model ModelShelf::newest() const {
  const auto date_of = [](const Offered& offered) {
    const ModelHistory& history = offered.model->model().history;
    return history.added.empty() ? history.date : history.added.back().date;
  };
  std::vector<Offered> own = all();
  std::erase_if(own, [](const Offered& offered) { return !offered.own; });
  const auto last = std::ranges::max_element(own, {}, date_of);
  return last == own.end() ? nullptr : last->model;
}

ModelShelf::Shelved ModelShelf::shelved(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      models_, [&](const Shelved& shelved) { return shelved.model->name() == name; });
  if (found == models_.end()) throw NotFound("there is no model with that name");
  return *found;
}

fs::path ModelShelf::own_folder(const std::string& name) const {
  return own_ / species_folder(name);
}

fs::path ModelShelf::changeable(const std::string& name) const {
  const Shelved found = shelved(name);
  if (found.own) return found.folder;
  throw NotFound("the model is not in your data folder; only models there are changed");
}

void ModelShelf::read(const std::string& name) {
  const fs::path folder = own_folder(name);
  const Model model = std::make_shared<ServedModel>(name, load_model(folder), run_);
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      models_, [&](const Shelved& shelved) { return shelved.model->name() == name; });
  if (found != models_.end()) {
    found->model = model;
  } else {
    models_.push_back({model, folder, true});
  }
}

void ModelShelf::add_drawn() {
  if (find(kDrawnModel)) return;
  const WriteLock lock = lock_of(own_folder(kDrawnModel));
  save_model(drawn_model(run_), lock);
  read(kDrawnModel);
}

void ModelShelf::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::erase_if(models_, [&](const Shelved& shelved) { return shelved.model->name() == name; });
}

void ModelShelf::rename(const std::string& from, const std::string& to) {
  const fs::path old = changeable(from), folder = own_folder(to);
  const WriteLock source = lock_of(old), target = lock_of(folder);
  if (find(to) || is_there(folder)) {
    throw UsageError("a model called '" + to + "' already exists; choose another name");
  }
  move_folder(old, folder);
  try {
    add_renamed(target, {date_now(), from, to});
  } catch (...) {
    move_folder(folder, old);
    throw;
  }
  sync_folder(own_, folder);
  read(to);
  forget(from);
}

void ModelShelf::remove(const std::string& name) {
  const fs::path folder = changeable(name);
  const WriteLock lock = lock_of(folder);
  const OwnedFolder model(folder, names_in_model);
  if (const auto other = is_link(folder) ? std::nullopt : model.first_other(folder)) {
    throw Refusal(409, "others",
                  "the model's folder holds '" + *other +
                      "', which LeafGlyph did not make; move it out of " + folder.string() +
                      " first");
  }
  model.remove_at_once();
  sync_folder(own_, folder);
  forget(name);
}

std::function<std::string()> ModelShelf::archive(const std::string& name) const {
  const fs::path folder = shelved(name).folder;
  const auto archive =
      std::make_shared<ModelArchive>(last_name(folder), read_record(folder, kModel));
  return [this, archive] {
    try {
      return archive->next();
    } catch (const std::exception& error) {
      run_.warn(std::string("a model cannot be downloaded: ") + error.what());
      throw;
    }
  };
}

}  // namespace leafglyph
