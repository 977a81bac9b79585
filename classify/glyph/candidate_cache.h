// The candidates of a look-alike search with their distances, cached on disk character by
// character.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/files.h"
#include "features/base/input_file.h"

namespace leafglyph {

/// The characters that a query is compared with exactly, in no particular order.
struct Candidates {
  std::u32string characters;
  std::vector<double> distances;  ///< of each from the query
};

/// One file per search, that is per selection, profile and everything else that the candidates
/// depend on. Its name contains part of the identity and its first line all of it. Every
/// character's record has a digest of its own, so that a reader checks only what it uses, and a
/// damaged record is one that is not there.
class CandidateCache {
 public:
  /// Beginning of the files' names.
  static constexpr std::string_view kPrefix = "candidates-";

  /// `folder` has the tables of the search (lookalike_cache.h); empty: nothing is cached.
  /// `identity`: 64 hexadecimal digits; `queries`: number of characters that may have a record;
  /// `most`: candidates per character. Never throws for a file that is damaged or missing.
  CandidateCache(const std::filesystem::path& folder, std::string identity, std::size_t queries,
                 std::size_t most);

  /// The candidates of query number `query`; none if they are not stored or are damaged.
  std::optional<Candidates> read(std::size_t query) const;

  /// Stores candidates[k] for query number queries[k], beside those already stored. Keeps at most
  /// eight files, the most recently written. Returns an empty text, or why it could not.
  std::string store(std::span<const std::size_t> queries,
                    std::span<const Candidates> candidates) const;

 private:
  std::size_t record_size() const;
  std::size_t file_size() const;
  std::string header() const;
  std::string content(std::size_t first, std::size_t count) const;
  std::string record(std::size_t query, const Candidates& candidates) const;
  std::string digest(std::size_t query, std::string_view values) const;

  std::filesystem::path folder_;
  std::string identity_;
  std::size_t queries_;
  std::size_t most_;
  FileHandle file_;  // null: nothing is stored
};

/// The names of such files in a folder; none if it cannot be read.
std::vector<std::string> candidate_files(const std::filesystem::path& folder);

}  // namespace leafglyph
