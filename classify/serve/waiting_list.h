// The mark of a folder of photographs that wait for a training: what this program put into it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace leafglyph {

/// A hidden file of lines: the first says what it is, each of the others is a photograph's path
/// below the folder ("oak/0001.jpg") as a JSON string. A photograph is listed before it is there.
class WaitingList {
 public:
  /// The list in `folder`. A last line that a killed writer has left unfinished is dropped. Throws
  /// Error when there is none.
  explicit WaitingList(std::filesystem::path folder);

  /// The list with no photograph, for a new folder.
  static std::string empty_list();
  /// The photographs that are listed; none if the folder has no list, or one that does not parse.
  static std::optional<std::vector<std::string>> photographs_in(
      const std::filesystem::path& folder);
  /// The photographs that are listed and the other files that TrainingFolder writes (NamesOf).
  static std::vector<std::string> names_in(const std::filesystem::path& folder);

  /// Throws Error when the line cannot be written; the list is then as before.
  void add(const std::string& photograph);

  static constexpr const char* kName = ".leafglyph-waiting";
  static constexpr const char* kSentNames = ".species.csv";  ///< names as they were sent
  static constexpr const char* kNames = ".names.csv";        ///< names of the species in use
  static constexpr const char* kUnfinished = ".unfinished";  ///< a photograph being written

 private:
  std::filesystem::path file_;
  std::uintmax_t size_ = 0;  ///< bytes of whole lines
};

}  // namespace leafglyph
