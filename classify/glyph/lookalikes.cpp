#include "classify/glyph/lookalikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "features/base/parallel_for.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

// Characters that the score is calibrated on.
constexpr std::size_t kSampled = 32;
// Characters that are searched for at a time.
constexpr std::size_t kQueries = 64;

bool more_alike(const Lookalike& a, const Lookalike& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.character < b.character;
}

// Distances of every (count / kSampled)-th character from all others: the set is ordered by reading
// and radical, so that an even sample holds every kind.
LookalikeScore calibrate(const GlyphComparer& comparer, std::u32string_view characters) {
  const std::size_t sampled = std::min(kSampled, characters.size());
  std::vector<PlacePair> pairs;
  for (std::size_t k = 0; k < sampled; ++k) {
    const auto sample = static_cast<std::uint32_t>(k * characters.size() / sampled);
    for (std::uint32_t other = 0; other < characters.size(); ++other) {
      if (other != sample) pairs.push_back({sample, other});
    }
  }
  return LookalikeScore::calibrate(comparer.distances(characters, pairs), sampled);
}

}  // namespace

class LookalikeIndex::Implementation {
 public:
  explicit Implementation(const LookalikeOptions& options)
      : profile_(options.profile),
        comparer_(options.selection.fonts, options.profile),
        tables_(open_tables(options)) {
    for (std::uint32_t i = 0; i < characters().size(); ++i) places_.emplace(characters()[i], i);
  }

  const SelectedCharacters& selected() const { return tables_.selected; }

  std::vector<std::vector<Lookalike>> similar(
      std::u32string_view queries, std::size_t count, std::size_t shortlist,
      const std::function<void(std::size_t)>& advance) const {
    const std::size_t others = characters().size() - 1;
    if (count < 1 || count > others) {
      throw UsageError(fmt::format("{} look-alikes asked for; use 1 to {}", count, others));
    }
    if (queries.empty()) throw UsageError("no character is given; give at least one");
    // A list as long as the shortlist would end with whatever the search happened to find.
    const std::size_t candidates = std::min(others, std::max(shortlist, 4 * count));
    std::vector<PlacePair> pairs;
    for (std::size_t first = 0; first < queries.size(); first += kQueries) {
      throw_if_interrupted();
      const auto block = queries.substr(first, kQueries);
      add_candidates(block, candidates, pairs);
      if (advance) advance(block.size());
    }
    const auto distances = distances_of(pairs);
    std::vector<std::vector<Lookalike>> answers(queries.size());
    for (std::size_t query = 0; query < queries.size(); ++query) {
      auto& answer = answers[query];
      for (std::size_t k = query * candidates; k < (query + 1) * candidates; ++k) {
        answer.push_back(
            {characters()[pairs[k].second], distances[k], tables_.score(distances[k])});
      }
      std::partial_sort(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(count),
                        answer.end(), more_alike);
      answer.resize(count);
    }
    return answers;
  }

  std::vector<Lookalike> compare(std::span<const std::pair<char32_t, char32_t>> pairs) const {
    std::vector<PlacePair> places;
    for (const auto& [a, b] : pairs) places.push_back({place_of(a), place_of(b)});
    const auto distances = distances_of(places);
    std::vector<Lookalike> similarities;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      similarities.push_back({pairs[k].second, distances[k], tables_.score(distances[k])});
    }
    return similarities;
  }

  std::size_t profile_shortlist() const { return profile_.shortlist; }
  std::size_t everything() const { return characters().size(); }

 private:
  // For each query in turn the places of the query and of a candidate, `count` times.
  void add_candidates(std::u32string_view queries, std::size_t count,
                      std::vector<PlacePair>& pairs) const {
    std::vector<std::uint32_t> own;
    for (const char32_t query : queries) own.push_back(place_of(query));
    const bool all = count + 1 == characters().size();
    const auto far = all ? std::vector<float>() : comparer_.search(queries, tables_.rows);
    std::vector<std::uint32_t> others(characters().size() - 1);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::iota(others.begin(), others.begin() + own[q], 0U);
      std::iota(others.begin() + own[q], others.end(), own[q] + 1);
      if (!all) {
        const auto row = std::span(far).subspan(q * tables_.rows.stride, characters().size());
        const auto nearer = [&](std::uint32_t a, std::uint32_t b) {
          return row[a] != row[b] ? row[a] < row[b] : a < b;
        };
        std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                         others.end(), nearer);
      }
      for (std::size_t k = 0; k < count; ++k) pairs.push_back({own[q], others[k]});
    }
  }

  // Each pair is compared once, however often and in which order it occurs, and only the characters
  // that occur are drawn.
  std::vector<double> distances_of(const std::vector<PlacePair>& pairs) const {
    const auto ordered = [](const PlacePair& pair) {
      return PlacePair{std::min(pair.first, pair.second), std::max(pair.first, pair.second)};
    };
    std::vector<PlacePair> once;
    for (const PlacePair& pair : pairs) once.push_back(ordered(pair));
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    constexpr auto kNowhere = static_cast<std::uint32_t>(-1);
    std::vector<std::uint32_t> position(characters().size(), kNowhere);
    std::u32string drawn;
    const auto drawn_place = [&](std::uint32_t place) {
      if (position[place] == kNowhere) {
        position[place] = static_cast<std::uint32_t>(drawn.size());
        drawn.push_back(characters()[place]);
      }
      return position[place];
    };
    std::vector<PlacePair> compared;
    for (const PlacePair& pair : once) {
      compared.push_back({drawn_place(pair.first), drawn_place(pair.second)});
    }
    const auto found = comparer_.distances(drawn, compared);
    std::vector<double> distances;
    for (const PlacePair& pair : pairs) {
      const auto at = std::lower_bound(once.begin(), once.end(), ordered(pair));
      distances.push_back(found[static_cast<std::size_t>(at - once.begin())]);
    }
    return distances;
  }

  LookalikeTables open_tables(const LookalikeOptions& options) const {
    const auto log = [&](const std::string& text) {
      if (options.log) options.log(text);
    };
    const std::string key = lookalike_key(options.selection, options.profile, comparer_.fonts());
    auto tables_on_disk = load_tables(options.cache_folder, key);
    if (tables_on_disk && comparer_.fits(tables_on_disk->rows)) {
      log("look-alike tables: from " + options.cache_folder.string());
      return std::move(*tables_on_disk);
    }
    LookalikeTables tables;
    tables.selected = select_characters(options.selection);
    if (tables.selected.characters.size() < 2) {
      throw UsageError("fewer than two characters are left to compare");
    }
    tables.rows = comparer_.rows(tables.selected.characters);
    tables.score = calibrate(comparer_, tables.selected.characters);
    const std::string hindrance = store_tables(options.cache_folder, key, tables);
    log(hindrance.empty() ? "look-alike tables: made and stored in " + options.cache_folder.string()
                          : "look-alike tables: made but not stored: " + hindrance);
    return tables;
  }

  const std::u32string& characters() const { return tables_.selected.characters; }

  std::uint32_t place_of(char32_t character) const {
    const auto found = places_.find(character);
    if (found == places_.end()) {
      throw UsageError(describe_character(character) +
                       " is not among the characters that are compared");
    }
    return found->second;
  }

  GlyphProfile profile_;
  GlyphComparer comparer_;
  LookalikeTables tables_;
  std::unordered_map<char32_t, std::uint32_t> places_;
};

LookalikeIndex::LookalikeIndex(const LookalikeOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
LookalikeIndex::~LookalikeIndex() = default;
LookalikeIndex::LookalikeIndex(LookalikeIndex&&) noexcept = default;
LookalikeIndex& LookalikeIndex::operator=(LookalikeIndex&&) noexcept = default;

const SelectedCharacters& LookalikeIndex::selected() const { return implementation_->selected(); }

std::vector<std::vector<Lookalike>> LookalikeIndex::similar(
    std::u32string_view characters, std::size_t count,
    const std::function<void(std::size_t)>& advance) const {
  return implementation_->similar(characters, count, implementation_->profile_shortlist(), advance);
}

std::vector<Lookalike> LookalikeIndex::similar(char32_t character, std::size_t count) const {
  return similar(std::u32string_view(&character, 1), count).front();
}

std::vector<std::vector<Lookalike>> LookalikeIndex::exhaustive(std::u32string_view characters,
                                                               std::size_t count) const {
  return implementation_->similar(characters, count, implementation_->everything(), {});
}

Lookalike LookalikeIndex::compare(char32_t a, char32_t b) const {
  const std::pair<char32_t, char32_t> pair(a, b);
  return compare(std::span(&pair, 1)).front();
}

std::vector<Lookalike> LookalikeIndex::compare(
    std::span<const std::pair<char32_t, char32_t>> pairs) const {
  return implementation_->compare(pairs);
}

}  // namespace leafglyph
