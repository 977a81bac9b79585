#include "classify/glyph/lookalikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalike_score.h"
#include "datasets/glyph/character_set.h"
#include "datasets/glyph/kana.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// The least number of pairs from which a score is calibrated.
constexpr std::size_t kCalibrating = 100;
// The default quantiles are those of at least as many pairs, both directions counted.
constexpr std::size_t kStandardPairs = 464;
// Number of characters that are searched for at a time.
constexpr std::size_t kQueries = 64;

using CharacterPair = std::pair<char32_t, char32_t>;

/// The characters that a query is compared with exactly, in no particular order.
struct Candidates {
  std::u32string characters;
  std::vector<PairDistances> distances;  ///< of each from the query
};

bool more_alike(const Lookalike& a, const Lookalike& b) {
  if (a.evidence != b.evidence) return a.evidence > b.evidence;
  return a.distance != b.distance ? a.distance < b.distance : a.character < b.character;
}

std::vector<PairDistances> distances_between(const GlyphComparer& comparer,
                                             std::u32string_view characters,
                                             std::span<const PlacePair> pairs, bool edges) {
  const std::vector<double> windows = comparer.distances(characters, pairs);
  std::vector<PairDistances> distances;
  for (const double distance : windows) distances.push_back({distance, 0.0});
  if (!edges) return distances;
  const std::vector<double> differences = comparer.edge_differences(characters, pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) distances[k].edges = differences[k];
  return distances;
}

CalibrationDistances calibrate(const GlyphComparer& comparer) {
  std::u32string characters;
  std::vector<PlacePair> pairs;
  for (const ListedPair& pair :
       parse_pairs(std::string(calibration_pairs()), "calibration pairs").pairs) {
    if (!comparer.draws(pair.first) || !comparer.draws(pair.second)) continue;
    const auto place = static_cast<std::uint32_t>(characters.size());
    pairs.push_back({place, place + 1});
    characters += {pair.first, pair.second};
  }
  return {characters, distances_between(comparer, characters, pairs, /*edges=*/true)};
}

// Whether a result is set aside: another form of the query's kana, or a form unlike the query's of
// a kana that has one like it, or else a plain one, among the candidates.
bool is_other_form(char32_t query, char32_t candidate, const auto& is_there) {
  const auto kana = kana_of(candidate);
  if (!kana) return false;
  const auto asked = kana_of(query);
  if (asked && asked->plain == kana->plain) return true;
  const KanaForm wanted = asked ? asked->form : KanaForm::kPlain;
  if (kana->form == wanted) return false;
  const char32_t like = kana_in_form(kana->plain, wanted);
  return (like != 0 && is_there(like)) || (kana->form != KanaForm::kPlain && is_there(kana->plain));
}

}  // namespace

class LookalikeIndex::Implementation {
 public:
  explicit Implementation(const LookalikeOptions& options)
      : log_(options.log),
        own_fonts_(options.selection.fonts !=
                   default_lookalike_fonts(options.selection.characters)),
        profile_(options.profile),
        evidence_(options.profile.measure),
        comparer_(options.selection.fonts, options.profile),
        tables_(open_tables(options)) {
    traits_.reserve(characters().size());
    for (const char32_t character : characters()) {
      traits_.push_back(traits_of(character, unihan_));
      places_.emplace(character, places_.size());
    }
    calibrate_scores();
  }

  const SelectedCharacters& selected() const { return tables_.selected; }

  std::span<const GlyphSource> fonts() const { return comparer_.fonts(); }

  bool draws(char32_t character) const { return comparer_.draws(character); }

  std::string refusal(char32_t character) const {
    const GlyphSource* font = comparer_.font_without(character);
    if (font == nullptr) return "";
    const std::string named = own_fonts_ ? "font '" + font->options().file + "'"
                                         : "the fonts of the characters that are compared";
    const std::string set = own_fonts_ ? "" : set_with(character);
    return describe_character(character) + " is not drawn by " + named + "; " +
           (set.empty()
                ? "choose fonts that draw it"
                : "choose characters like it (characters: " + set + ") or fonts that draw it");
  }

  std::vector<std::vector<Lookalike>> similar(std::u32string_view queries, std::size_t count,
                                              const SearchOptions& options) const {
    const std::size_t others = characters().size() - 1;
    require_count(count, others);
    if (queries.empty()) throw UsageError("no character is given; give at least one");
    for (const char32_t query : queries) require_drawn(query);
    const std::size_t most = options.exhaustive ? others : shortlist_for(count);
    const std::vector<Candidates> candidates =
        search(queries, places_among(options.among), most, options.advance);
    std::vector<std::vector<Lookalike>> answers;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      answers.push_back(ranked(traits(queries[q]), candidates[q], count));
    }
    return answers;
  }

  std::vector<std::u32string> shortlists(std::u32string_view queries) const {
    for (const char32_t query : queries) require_drawn(query);
    const std::vector<std::uint32_t> places = places_among({});
    std::vector<CharacterPair> pairs;
    std::vector<std::size_t> ends;
    for (std::size_t first = 0; first < queries.size(); first += kQueries) {
      add_candidates(queries.substr(first, kQueries), places, profile_.shortlist, pairs, ends);
    }
    std::vector<std::u32string> lists(queries.size());
    for (std::size_t query = 0, k = 0; query < queries.size(); ++query) {
      for (; k < ends[query]; ++k) lists[query].push_back(pairs[k].second);
    }
    return lists;
  }

  std::vector<LookalikeIndex::Columns> columns(std::span<const CharacterPair> pairs) const {
    const auto distances = distances_of(pairs, /*edges=*/true);
    std::vector<LookalikeIndex::Columns> columns;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const CharacterTraits query = traits(pairs[k].first);
      const CharacterTraits other = traits(pairs[k].second);
      columns.push_back({pair_columns(query, other, distances[k].edges), distances[k],
                         kind_of(query, other), query.strokes});
    }
    return columns;
  }

  std::vector<Lookalike> similar(const DrawnGlyph& drawing, std::size_t count) const {
    require_count(count, characters().size());
    std::vector<std::uint32_t> places = places_among({});
    std::vector<float> near = comparer_.search(drawing, tables_.rows);
    for (float& distance : near) distance = -distance;
    keep_strongest(places, near, shortlist_for(count));
    std::u32string candidates;
    for (const std::uint32_t place : places) candidates.push_back(characters()[place]);
    return nearest(candidates, comparer_.distances(drawing, candidates), count);
  }

  int drawing_size() const { return comparer_.fonts().front().size(); }

  std::vector<Lookalike> compare(std::span<const CharacterPair> pairs) const {
    for (const auto& [a, b] : pairs) {
      require_drawn(a);
      require_drawn(b);
    }
    const auto distances = distances_of(pairs);
    std::vector<Lookalike> similarities;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      similarities.push_back(lookalike(pairs[k].first, pairs[k].second, distances[k]));
    }
    return similarities;
  }

 private:
  static void require_count(std::size_t count, std::size_t most) {
    if (count >= 1 && count <= most) return;
    throw UsageError(fmt::format("{} look-alikes asked for; use 1 to {}", count, most));
  }

  // A result as long as the shortlist would end with whatever the search happened to find.
  std::size_t shortlist_for(std::size_t count) const {
    return std::max(profile_.shortlist, 4 * count);
  }

  // The `count` candidates nearest to a drawing. What is known of characters beside their drawings,
  // such as how common they are, says which are confused, not which one was drawn.
  std::vector<Lookalike> nearest(std::u32string_view candidates, std::span<const double> distances,
                                 std::size_t count) const {
    std::vector<Lookalike> answer;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      answer.push_back({candidates[k], distances[k],
                        drawing_score_.of_glyphs(distances[k], -distances[k]), -distances[k]});
    }
    std::ranges::sort(answer, [](const Lookalike& a, const Lookalike& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.character < b.character;
    });
    answer.resize(std::min(count, answer.size()));
    return answer;
  }

  // The `count` candidates with the most evidence, the strongest first.
  std::vector<Lookalike> ranked(const CharacterTraits& query, const Candidates& candidates,
                                std::size_t count) const {
    std::vector<Lookalike> answer;
    for (std::size_t k = 0; k < candidates.characters.size(); ++k) {
      const char32_t other = candidates.characters[k];
      answer.push_back(lookalike(query, other, traits(other), candidates.distances[k]));
    }
    const std::size_t kept = std::min(count, answer.size());
    std::partial_sort(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(kept),
                      answer.end(), more_alike);
    answer.resize(kept);
    return answer;
  }

  std::vector<Candidates> search(std::u32string_view queries,
                                 const std::vector<std::uint32_t>& places, std::size_t most,
                                 const std::function<void(std::size_t)>& advance) const {
    std::vector<CharacterPair> pairs;
    std::vector<std::size_t> ends;
    for (std::size_t first = 0; first < queries.size(); first += kQueries) {
      throw_if_interrupted();
      const auto block = queries.substr(first, kQueries);
      add_candidates(block, places, most, pairs, ends);
      if (advance) advance(block.size());
    }
    const auto distances = distances_of(pairs);
    std::vector<Candidates> candidates(queries.size());
    for (std::size_t query = 0, k = 0; query < queries.size(); ++query) {
      for (; k < ends[query]; ++k) {
        candidates[query].characters.push_back(pairs[k].second);
        candidates[query].distances.push_back(distances[k]);
      }
    }
    return candidates;
  }

  CharacterTraits traits(char32_t character) const {
    const auto place = places_.find(character);
    return place == places_.end() ? traits_of(character, unihan_) : traits_[place->second];
  }

  // Scores are those of the pairs known to be confused by readers, in the fonts in use if they draw
  // enough of them, otherwise in the default fonts; for OCR always the latter.
  void calibrate_scores() {
    const auto& [known, distances] = tables_.calibration;
    const auto standard = [](const LookalikeEvidence& evidence) {
      const auto quantiles = evidence.quantiles();
      return LookalikeScore::of_quantiles({quantiles.begin(), quantiles.end()}, kStandardPairs);
    };
    if (distances.size() < kCalibrating) {
      score_ = standard(evidence_);
      drawing_score_ = standard(LookalikeEvidence(LookalikeMeasure::kWindows));
      return;
    }
    std::vector<double> windows;
    std::vector<double> drawn;
    std::vector<double> evidence;
    for (std::size_t k = 0; k < distances.size(); ++k) {
      const CharacterTraits a = traits(known[2 * k]);
      const CharacterTraits b = traits(known[2 * k + 1]);
      if (distances[k].windows == 0) continue;  // infinite evidence
      for (const auto& [query, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        windows.push_back(-distances[k].windows);
        drawn.push_back(evidence_.drawn(*query, *other, distances[k]));
        evidence.push_back(evidence_(*query, *other, distances[k]));
      }
    }
    if (evidence.empty()) return;
    drawing_score_ = LookalikeScore::of_pairs(std::move(windows));
    if (evidence_.reads_edges()) evidence_.calibrate(std::move(drawn), evidence);
    score_ = profile_.measure == LookalikeMeasure::kOcr
                 ? standard(evidence_)
                 : LookalikeScore::of_pairs(std::move(evidence));
  }

  Lookalike lookalike(const CharacterTraits& query, char32_t other, const CharacterTraits& traits,
                      const PairDistances& distances) const {
    const double evidence = evidence_(query, traits, distances);
    return {other, distances.windows, score_.of_glyphs(distances.windows, evidence), evidence};
  }
  Lookalike lookalike(char32_t query, char32_t other, const PairDistances& distances) const {
    return lookalike(traits(query), other, traits(other), distances);
  }

  // Replaces the distance of each character from the query by the evidence.
  void weigh(const CharacterTraits& query, std::span<float> near) const {
    for (std::size_t i = 0; i < characters().size(); ++i) {
      near[i] = static_cast<float>(evidence_.expected(query, traits_[i], near[i]));
    }
  }

  // The `count` places with the largest evidence.
  static void keep_strongest(std::vector<std::uint32_t>& places, std::span<const float> evidence,
                             std::size_t count) {
    if (places.size() <= count) return;
    const auto stronger = [&](std::uint32_t a, std::uint32_t b) {
      return evidence[a] != evidence[b] ? evidence[a] > evidence[b] : a < b;
    };
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                     places.end(), stronger);
    places.resize(count);
  }

  bool sets_forms_aside() const {
    return !profile_.forms && profile_.measure != LookalikeMeasure::kWindows;
  }

  // Leaves the `count` places that have most evidence by their distances `near`, and half as many
  // of the nearest, as what is known beside the drawings hides pairs that are only drawn alike.
  void shorten(std::vector<std::uint32_t>& places, const CharacterTraits& query,
               std::span<float> near, std::size_t count) const {
    std::vector<std::uint32_t> nearest;
    if (evidence_.reads_edges()) {
      nearest = places;
      for (float& distance : near) distance = -distance;
      keep_strongest(nearest, near, count / 2);
      for (float& distance : near) distance = -distance;
    }
    weigh(query, near);
    keep_strongest(places, near, count);
    places.insert(places.end(), nearest.begin(), nearest.end());
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
  }

  std::vector<std::uint32_t> places_among(const std::function<bool(char32_t)>& among) const {
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < characters().size(); ++i) {
      if (!among || among(characters()[i])) places.push_back(i);
    }
    if (places.empty()) throw UsageError("no character is left to compare with");
    return places;
  }

  // For each query in turn, appends its pairs with at most `count` candidates. The pairs of query q
  // end at ends[q].
  void add_candidates(std::u32string_view queries, const std::vector<std::uint32_t>& places,
                      std::size_t count, std::vector<CharacterPair>& pairs,
                      std::vector<std::size_t>& ends) const {
    const bool all = count + 1 >= places.size();
    std::vector<float> near = all ? std::vector<float>() : comparer_.search(queries, tables_.rows);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      std::vector<std::uint32_t> others = places;
      const auto is_query = [&](std::uint32_t i) { return characters()[i] == queries[q]; };
      std::erase_if(others, is_query);
      if (sets_forms_aside()) {
        std::erase_if(others, [&](std::uint32_t i) {
          return is_other_form(queries[q], characters()[i],
                               [&](char32_t form) { return places_.contains(form); });
        });
      }
      if (!all) {
        shorten(others, traits(queries[q]),
                std::span(near).subspan(q * tables_.rows.stride, tables_.rows.stride), count);
      }
      for (const std::uint32_t other : others) pairs.emplace_back(queries[q], characters()[other]);
      ends.push_back(pairs.size());
    }
  }

  // Each pair is compared once, however often it occurs and in whichever order.
  std::vector<PairDistances> distances_of(std::span<const CharacterPair> pairs) const {
    return distances_of(pairs, evidence_.reads_edges());
  }
  std::vector<PairDistances> distances_of(std::span<const CharacterPair> pairs, bool edges) const {
    const auto ordered = [](const CharacterPair& pair) {
      return CharacterPair(std::minmax(pair.first, pair.second));
    };
    std::vector<CharacterPair> once;
    for (const CharacterPair& pair : pairs) once.push_back(ordered(pair));
    std::sort(once.begin(), once.end());
    once.erase(std::unique(once.begin(), once.end()), once.end());
    std::unordered_map<char32_t, std::uint32_t> places;
    std::u32string drawn;
    const auto place = [&](char32_t character) {
      const auto [at, is_new] = places.emplace(character, static_cast<std::uint32_t>(drawn.size()));
      if (is_new) drawn.push_back(character);
      return at->second;
    };
    std::vector<PlacePair> compared;
    compared.reserve(once.size());
    for (const CharacterPair& pair : once) {
      compared.push_back({place(pair.first), place(pair.second)});
    }
    const auto found = distances_between(comparer_, drawn, compared, edges);
    std::vector<PairDistances> distances;
    for (const CharacterPair& pair : pairs) {
      const auto at = std::lower_bound(once.begin(), once.end(), ordered(pair));
      distances.push_back(found[static_cast<std::size_t>(at - once.begin())]);
    }
    return distances;
  }

  LookalikeTables open_tables(const LookalikeOptions& options) const {
    const auto log = [&](const std::string& text) {
      if (options.log) options.log(text);
    };
    const std::string key = lookalike_key(options.selection, options.profile);
    auto tables_on_disk = load_tables(options.cache_folder, key, comparer_.fonts());
    if (tables_on_disk && comparer_.fits(tables_on_disk->rows)) {
      log("look-alike tables: from " + options.cache_folder.string());
      return std::move(*tables_on_disk);
    }
    LookalikeTables tables;
    tables.selected = select_characters(options.selection, comparer_.fonts());
    if (tables.selected.characters.size() < 2) {
      throw UsageError("fewer than two characters are left to compare");
    }
    tables.rows = comparer_.rows(tables.selected.characters);
    tables.calibration = calibrate(comparer_);
    const std::string hindrance =
        store_tables(options.cache_folder, key, tables, comparer_.fonts());
    log(hindrance.empty() ? "look-alike tables: made and stored in " + options.cache_folder.string()
                          : "look-alike tables: made but not stored: " + hindrance);
    return tables;
  }

  const std::u32string& characters() const { return tables_.selected.characters; }

  void require_drawn(char32_t character) const {
    if (draws(character)) return;
    throw UsageError(refusal(character));
  }

  std::function<void(const std::string&)> log_;
  bool own_fonts_;
  GlyphProfile profile_;
  LookalikeEvidence evidence_;
  GlyphComparer comparer_;
  LookalikeTables tables_;
  Unihan unihan_;
  std::vector<CharacterTraits> traits_;               // of the compared characters
  std::unordered_map<char32_t, std::size_t> places_;  // in traits_
  LookalikeScore score_;
  LookalikeScore drawing_score_;  // of the distance alone
};

LookalikeIndex::LookalikeIndex(const LookalikeOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
LookalikeIndex::~LookalikeIndex() = default;
LookalikeIndex::LookalikeIndex(LookalikeIndex&&) noexcept = default;
LookalikeIndex& LookalikeIndex::operator=(LookalikeIndex&&) noexcept = default;

const SelectedCharacters& LookalikeIndex::selected() const { return implementation_->selected(); }

std::span<const GlyphSource> LookalikeIndex::fonts() const { return implementation_->fonts(); }

std::string LookalikeIndex::refusal(char32_t character) const {
  return implementation_->refusal(character);
}

bool LookalikeIndex::draws(char32_t character) const { return implementation_->draws(character); }

std::vector<std::vector<Lookalike>> LookalikeIndex::similar(std::u32string_view characters,
                                                            std::size_t count,
                                                            const SearchOptions& options) const {
  return implementation_->similar(characters, count, options);
}

std::vector<Lookalike> LookalikeIndex::similar(char32_t character, std::size_t count) const {
  return similar(std::u32string_view(&character, 1), count).front();
}

std::vector<Lookalike> LookalikeIndex::similar(const DrawnGlyph& drawing, std::size_t count) const {
  return implementation_->similar(drawing, count);
}

int LookalikeIndex::drawing_size() const { return implementation_->drawing_size(); }

std::vector<std::u32string> LookalikeIndex::shortlists(std::u32string_view characters) const {
  return implementation_->shortlists(characters);
}

std::vector<LookalikeIndex::Columns> LookalikeIndex::columns(
    std::span<const std::pair<char32_t, char32_t>> pairs) const {
  return implementation_->columns(pairs);
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
