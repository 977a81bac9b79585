// The sets of characters that the page offers, each with its look-alikes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/serve/glyph_search.h"

namespace leafglyph {

/// Safe for many threads.
class GlyphSets {
 public:
  /// Opens the set of `config`; the others are opened when they are asked for.
  GlyphSets(GlyphConfig config, std::filesystem::path cache_folder);

  /// A set, or part of a larger one.
  struct Search {
    const GlyphSearch* glyphs = nullptr;      ///< lives as long as the GlyphSets
    std::unordered_set<char32_t> among = {};  ///< the part; empty: all of it
    bool may_be(char32_t character) const { return among.empty() || among.contains(character); }
  };

  /// The names of the sets that can be asked for, beside "" for that of the configuration.
  static std::vector<std::string> names();
  /// A part of the configured set is searched there; any other set has tables of its own, which
  /// take minutes the first time. Throws UsageError for a name that is not among names().
  const Search& search(const std::string& name);
  /// The first of names() that contains the character; "" if none does.
  static std::string set_with(char32_t character);

 private:
  Search opened(const std::string& name);

  const Search* found(const std::string& name);

  const GlyphConfig config_;
  const std::filesystem::path cache_folder_;
  std::mutex opening_;  // one set is opened at a time; meanwhile others are searched
  std::vector<std::unique_ptr<GlyphSearch>> searches_;  // changed under opening_
  std::mutex mutex_;                                    // for opened_
  std::map<std::string, Search> opened_;
};

}  // namespace leafglyph
