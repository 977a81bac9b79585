#include "classify/glyph/lookalikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "classify/knn/knn_index.h"
#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "features/base/parallel_for.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

// Characters that the score is calibrated on, and those compared with them at a time.
constexpr std::size_t kSampled = 64;
constexpr std::size_t kBlock = 256;

bool more_alike(const Lookalike& a, const Lookalike& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.character < b.character;
}

// Every (count / kSampled)-th character: the set is ordered by reading and radical, so that an even
// sample holds every kind.
std::u32string sample_of(std::u32string_view characters) {
  const std::size_t sampled = std::min(kSampled, characters.size());
  std::u32string sample;
  for (std::size_t k = 0; k < sampled; ++k) {
    sample.push_back(characters[k * characters.size() / sampled]);
  }
  return sample;
}

LookalikeScore calibrate(const GlyphComparer& comparer, std::u32string_view characters) {
  const std::u32string sample = sample_of(characters);
  const ComparableGlyphs sampled = comparer.prepare(sample);
  std::vector<double> distances;
  for (std::size_t first = 0; first < characters.size(); first += kBlock) {
    throw_if_interrupted();
    const std::u32string_view block = characters.substr(first, kBlock);
    const ComparableGlyphs others = comparer.prepare(block);
    std::vector<double> found(sample.size() * block.size());
    parallel_for({found.size(), /*at_a_time=*/16, /*serial=*/16}, [&](std::size_t k) {
      found[k] = comparer.distance(sampled, k / block.size(), others, k % block.size());
    });
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (sample[k / block.size()] != block[k % block.size()]) distances.push_back(found[k]);
    }
  }
  return LookalikeScore::calibrate(std::move(distances), sample.size());
}

}  // namespace

class LookalikeIndex::Implementation {
 public:
  explicit Implementation(const LookalikeOptions& options)
      : profile_(options.profile),
        comparer_(options.selection.fonts, options.profile),
        tables_(open_tables(options)),
        index_(Metric::kEuclidean, tables_.dimension) {
    index_.add(tables_.rows);
    for (std::size_t i = 0; i < characters().size(); ++i) places_.emplace(characters()[i], i);
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
    // A list as long as the shortlist would end with whatever the index happened to find.
    const std::size_t candidates = std::min(others, std::max(shortlist, 4 * count));
    const NeighbourLists lists = search(queries, candidates);
    std::set<std::size_t> places;
    for (const char32_t query : queries) places.insert(place_of(query));
    for (const Neighbour& neighbour : lists.entries) {
      places.insert(static_cast<std::size_t>(neighbour.row));
    }
    const Needed needed = prepare(places);
    std::vector<std::vector<Lookalike>> answers(queries.size());
    for (std::size_t first = 0; first < queries.size(); first += kBlock) {
      throw_if_interrupted();
      const std::size_t last = std::min(first + kBlock, queries.size());
      answer_block(queries, lists, needed, first, last, count, answers);
      if (advance) advance(last - first);
    }
    return answers;
  }

  std::vector<Lookalike> compare(std::span<const std::pair<char32_t, char32_t>> pairs) const {
    std::set<std::size_t> places;
    for (const auto& [a, b] : pairs) {
      places.insert(place_of(a));
      places.insert(place_of(b));
    }
    const Needed needed = prepare(places);
    std::vector<Lookalike> similarities;
    for (const auto& [a, b] : pairs) {
      const double distance = comparer_.distance(needed.glyphs, needed.at(place_of(a)),
                                                 needed.glyphs, needed.at(place_of(b)));
      similarities.push_back({b, distance, tables_.score(distance)});
    }
    return similarities;
  }

  std::size_t profile_shortlist() const { return profile_.shortlist; }
  std::size_t everything() const { return characters().size(); }

 private:
  // The glyphs that some queries need, and where each stands among them.
  struct Needed {
    ComparableGlyphs glyphs;
    std::unordered_map<std::size_t, std::size_t> position;  // by place in the set
    std::size_t at(std::size_t place) const { return position.at(place); }
  };

  // The answers of the queries [first, last): every candidate compared, the nearest kept.
  void answer_block(std::u32string_view queries, const NeighbourLists& lists, const Needed& needed,
                    std::size_t first, std::size_t last, std::size_t count,
                    std::vector<std::vector<Lookalike>>& answers) const {
    const std::size_t candidates = lists.k - 1;
    for (std::size_t query = first; query < last; ++query) answers[query].resize(candidates);
    const Rounds rounds{(last - first) * candidates, /*at_a_time=*/16, /*serial=*/16};
    parallel_for(rounds, [&](std::size_t round) {
      const std::size_t k = first * candidates + round;
      const std::size_t query = k / candidates;
      const std::size_t place = other(lists, query, k % candidates, queries[query]);
      const double distance = comparer_.distance(needed.glyphs, needed.at(place_of(queries[query])),
                                                 needed.glyphs, needed.at(place));
      answers[query][k % candidates] = {characters()[place], distance, tables_.score(distance)};
    });
    for (std::size_t query = first; query < last; ++query) {
      auto& answer = answers[query];
      std::partial_sort(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(count),
                        answer.end(), more_alike);
      answer.resize(count);
    }
  }

  LookalikeTables open_tables(const LookalikeOptions& options) const {
    const auto log = [&](const std::string& text) {
      if (options.log) options.log(text);
    };
    const std::string key = lookalike_key(options.selection, options.profile);
    const std::size_t length = comparer_.row_length(options.profile.shortlist_order);
    auto tables_on_disk = load_tables(options.cache_folder, key);
    if (tables_on_disk && tables_on_disk->dimension == length) {
      log("look-alike tables: from " + options.cache_folder.string());
      return std::move(*tables_on_disk);
    }
    LookalikeTables tables;
    tables.selected = select_characters(options.selection);
    if (tables.selected.characters.size() < 2) {
      throw UsageError("fewer than two characters are left to compare");
    }
    tables.dimension = length;
    tables.rows = comparer_.index_rows(tables.selected.characters, options.profile.shortlist_order);
    tables.score = calibrate(comparer_, tables.selected.characters);
    const std::string hindrance = store_tables(options.cache_folder, key, tables);
    log(hindrance.empty() ? "look-alike tables: made and stored in " + options.cache_folder.string()
                          : "look-alike tables: made but not stored: " + hindrance);
    return tables;
  }

  const std::u32string& characters() const { return tables_.selected.characters; }

  std::size_t place_of(char32_t character) const {
    const auto found = places_.find(character);
    if (found == places_.end()) {
      throw UsageError(describe_character(character) +
                       " is not among the characters that are compared");
    }
    return found->second;
  }

  // The nearest rows of each query, one more than asked for: the query itself is among them, or
  // else characters with the very same moments are, and one of these can be spared.
  NeighbourLists search(std::u32string_view queries, std::size_t candidates) const {
    std::vector<float> rows;
    for (const char32_t query : queries) {
      const auto row =
          std::span(tables_.rows).subspan(place_of(query) * tables_.dimension, tables_.dimension);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    return index_.search(rows, candidates + 1);
  }

  // The i-th neighbour of a query without the query itself.
  std::size_t other(const NeighbourLists& lists, std::size_t query, std::size_t i,
                    char32_t character) const {
    const auto list = lists.of(query);
    const auto self = std::find_if(list.begin(), list.end(), [&](const Neighbour& neighbour) {
      return characters()[static_cast<std::size_t>(neighbour.row)] == character;
    });
    const bool behind = static_cast<std::size_t>(self - list.begin()) <= i;
    return static_cast<std::size_t>(list[i + (behind ? 1 : 0)].row);
  }

  Needed prepare(const std::set<std::size_t>& places) const {
    Needed needed;
    std::u32string drawn;
    for (const std::size_t place : places) {
      needed.position.emplace(place, drawn.size());
      drawn.push_back(characters()[place]);
    }
    needed.glyphs = comparer_.prepare(drawn);
    return needed;
  }

  GlyphProfile profile_;
  GlyphComparer comparer_;
  LookalikeTables tables_;
  KnnIndex index_;
  std::unordered_map<char32_t, std::size_t> places_;
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
