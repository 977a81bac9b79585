#include "classify/glyph/published_lookalikes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {

PublishedLookalikes::PublishedLookalikes(const GlyphSelection& selection,
                                         const GlyphStatisticsOptions& options, MomentPart part,
                                         const PlanOptions& engine)
    : vectors_(glyph_vectors(selection, options, part, engine)),
      values_(vectors_.values.begin(), vectors_.values.end()),
      index_(Metric::kEuclidean, vectors_.dimension) {
  for (const char32_t character : selected().characters) {
    places_.emplace(character, places_.size());
  }
  index_.add(values_);
}

std::uint64_t PublishedLookalikes::pairs() const {
  const std::uint64_t count = selected().characters.size();
  return count * (count - 1) / 2;
}

std::string PublishedLookalikes::refusal(char32_t character) const {
  if (draws(character)) return "";
  return describe_character(character) +
         " is not among the compared characters; choose characters that include it";
}

std::size_t PublishedLookalikes::place_of(char32_t character) const {
  const auto place = places_.find(character);
  if (place == places_.end()) throw UsageError(refusal(character));
  return place->second;
}

double PublishedLookalikes::distance(char32_t a, char32_t b) const {
  return pair_distance(vectors_.rows(), place_of(a), place_of(b));
}

Lookalike PublishedLookalikes::compare(char32_t a, char32_t b) const {
  Lookalike pair{b, distance(a, b), 0.0, 0.0};
  pair.nearer = pairs_nearer(vectors_.rows(), {&pair.distance, 1}).front();
  return pair;
}

std::vector<std::vector<Lookalike>> PublishedLookalikes::similar(
    std::u32string_view characters, std::size_t count, const SearchOptions& options) const {
  const std::size_t others = selected().characters.size() - 1;
  if (count < 1 || count > others) {
    throw UsageError(fmt::format("{} look-alikes asked for; use 1 to {}", count, others));
  }
  // Distances in float, and with several fonts of all of them together, order differently.
  const std::size_t candidates = options.among ? others + 1 : std::min(4 * count + 1, others + 1);
  std::vector<std::vector<Lookalike>> answers;
  for (const char32_t query : characters) {
    const auto row =
        std::span(values_).subspan(place_of(query) * vectors_.dimension, vectors_.dimension);
    std::vector<Lookalike>& answer = answers.emplace_back();
    for (const Neighbour& neighbour : index_.search(row, candidates).entries) {
      const char32_t other = selected().characters[static_cast<std::size_t>(neighbour.row)];
      if (other == query || (options.among && !options.among(other))) continue;
      answer.push_back({other, distance(query, other), 0.0, 0.0});
    }
    std::ranges::sort(answer, [](const Lookalike& a, const Lookalike& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.character < b.character;
    });
    if (answer.size() > count) answer.resize(count);
  }
  std::vector<double> distances;
  for (const auto& answer : answers) {
    for (const Lookalike& other : answer) distances.push_back(other.distance);
  }
  const std::vector<std::uint64_t> counts = pairs_nearer(vectors_.rows(), distances);
  auto nearer = counts.begin();
  for (auto& answer : answers) {
    for (Lookalike& other : answer) other.nearer = *nearer++;
  }
  return answers;
}

}  // namespace leafglyph
