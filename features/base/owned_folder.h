// The only place that removes folders: those that this program made, file by file.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace leafglyph {

/// The files that make up a folder of one kind, as paths below it, the folder's mark last: the file
/// that shows what made the folder and lists the others. None if `folder` has no mark that parses.
using NamesOf = std::function<std::vector<std::string>(const std::filesystem::path& folder)>;

/// A folder of this program. Only what `names_of` lists in it is removed.
class OwnedFolder {
 public:
  OwnedFolder(std::filesystem::path folder, NamesOf names_of);
  /// A folder that was being filled under a name that nobody else knows: it has no mark yet, and
  /// every file directly in it is its writer's.
  static OwnedFolder unfinished(std::filesystem::path folder);

  /// The first thing in it that is not a regular file of names_of; none if there is none. Throws
  /// Error that calls the folder `named` when it cannot be read or is not a folder.
  std::optional<std::string> first_other(const std::filesystem::path& named) const;

  /// What becomes of a folder with files of others in it: it stays, and is still ours by its mark,
  /// or is theirs from now on.
  enum class Others { kKeepMark, kGiveUp };
  /// Removes the files that names_of lists, folders in the folder that this empties, and the mark
  /// and the folder. Follows no link: of a folder that is one, the link goes. Returns whether the
  /// folder is gone.
  bool remove(Others others = Others::kKeepMark) const;

  /// The same in one step, as others see it: under its name is the whole folder or nothing,
  /// whenever the process ends. Throws Error, with the folder as it was, when first_other() names
  /// something, or when the folder cannot be moved.
  void remove_at_once() const;

 private:
  std::filesystem::path folder_;
  NamesOf names_of_;
};

}  // namespace leafglyph
