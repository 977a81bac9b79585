// The models that the page offers: those given at the start, those in the folder of the user's
// data, which can be changed, and those that packages installed.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "classify/leaf/leaf_features.h"
#include "classify/serve/served_model.h"

namespace leafglyph {

/// Safe for many threads. A change is in the folder before it is visible here.
class ModelShelf {
 public:
  using Model = std::shared_ptr<ServedModel>;

  /// Reads the models in `given`, then those in the folders `own` and `installed`, which need not
  /// exist. An unreadable model in these is left out with a warning, one in `installed` also if
  /// another one has its name. Removes what killed servers left in `own`. Throws UsageError when
  /// two of `given` have the same name, and what load_model throws.
  ModelShelf(const std::vector<std::filesystem::path>& given, std::filesystem::path own,
             const std::filesystem::path& installed, LeafRun run);

  struct Offered {
    Model model;
    bool own = false;  ///< whether it is in the folder of the user's data
  };
  std::vector<Offered> all() const;
  /// The model with that name, or the first one for ""; none if there is no such model.
  Model find(const std::string& name) const;
  /// The user's own model that was trained or added to last; none without one.
  Model newest() const;
  /// The model with that name. Throws NotFound if there is none.
  Model get(const std::string& name) const { return shelved(name).model; }
  /// The folder of a model that can be changed. Throws NotFound for any other.
  std::filesystem::path changeable(const std::string& name) const;
  /// Where the user's own model with that name is or would be. Throws UsageError as species_folder
  /// does.
  std::filesystem::path own_folder(const std::string& name) const;

  /// Reads the user's own model again, or for the first time.
  void read(const std::string& name);
  /// Adds drawn_model() to the user's own models, unless there is a model of its name. Takes
  /// seconds. Throws Refusal (409) while another program makes it.
  void add_drawn();
  /// The following throw NotFound unless the model is the user's own; Refusal (409) while another
  /// program changes it.
  /// Throws UsageError when the new name is in use or is not the name of a folder.
  void rename(const std::string& from, const std::string& to);
  void remove(const std::string& name);
  /// The model's folder as a zip archive, as HttpReply::pieces; also of a model that was given.
  /// Warns where one of its files is damaged. The pieces must not outlive this object.
  std::function<std::string()> archive(const std::string& name) const;

 private:
  struct Shelved {
    Model model;
    std::filesystem::path folder;
    bool own = false;
  };
  void read_own(const std::vector<std::filesystem::path>& given);
  void read_installed(const std::filesystem::path& folder);
  Shelved shelved(const std::string& name) const;
  void forget(const std::string& name);

  const std::filesystem::path own_;
  const LeafRun run_;
  mutable std::mutex mutex_;
  std::vector<Shelved> models_;
};

}  // namespace leafglyph
