#include "classify/character/known_lookalikes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// How much more ink a pixel has than any of the other drawing near it: strokes that are only moved
// have none.
int beyond(std::span<const std::uint8_t> ink, std::span<const std::uint8_t> other, int size,
           int pixel) {
  constexpr int kNear = 1;
  int most = 0;
  for (int row = std::max(0, pixel / size - kNear); row <= std::min(size - 1, pixel / size + kNear);
       ++row) {
    for (int column = std::max(0, pixel % size - kNear);
         column <= std::min(size - 1, pixel % size + kNear); ++column) {
      most = std::max<int>(most, other[static_cast<std::size_t>(row * size + column)]);
    }
  }
  return std::max(0, ink[static_cast<std::size_t>(pixel)] - most);
}

}  // namespace

KnownLookalikes::KnownLookalikes() {
  LookalikeOptions options;
  // Any characters will do: pairs that are not among them are compared, too.
  options.selection = {default_lookalike_fonts({}), {"U+4E00", "U+4E8C"}, U"", true};
  try {
    index_.emplace(options);
  } catch (const Error&) {  // a font is missing
  }
}

std::vector<double> KnownLookalikes::scores(
    std::span<const std::pair<char32_t, char32_t>> pairs) const {
  std::vector<double> scores(pairs.size());
  if (!index_) return scores;
  std::vector<std::pair<char32_t, char32_t>> drawn;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!index_->draws(pairs[i].first) || !index_->draws(pairs[i].second)) continue;
    drawn.push_back(pairs[i]);
    places.push_back(i);
  }
  if (drawn.empty()) return scores;
  const std::vector<Lookalike> compared = index_->compare(drawn);
  for (std::size_t k = 0; k < drawn.size(); ++k) scores[places[k]] = compared[k].score;
  return scores;
}

std::string KnownLookalikes::place_of_difference(char32_t a, char32_t b) const {
  constexpr int kCells = 3;
  constexpr std::array kPlaces = {"at the upper left", "at the top",    "at the upper right",
                                  "at the left",       "in the middle", "at the right",
                                  "at the lower left", "at the bottom", "at the lower right"};
  std::array<std::size_t, kPlaces.size()> fonts{};  // by the place that differs most in them
  for (const GlyphSource& font : index_->fonts()) {
    const int size = font.size();
    std::array<int, kPlaces.size()> differences{};
    std::vector<std::uint8_t> of_a(static_cast<std::size_t>(size * size)), of_b(of_a.size());
    font.render(a, of_a);
    font.render(b, of_b);
    for (int i = 0; i < size * size; ++i) {
      const int row = i / size * kCells / size, column = i % size * kCells / size;
      differences[static_cast<std::size_t>(row * kCells + column)] +=
          beyond(of_a, of_b, size, i) + beyond(of_b, of_a, size, i);
    }
    ++fonts[static_cast<std::size_t>(std::ranges::max_element(differences) - differences.begin())];
  }
  const auto most = std::ranges::max_element(fonts);
  if (2 * *most <= index_->fonts().size()) return "";
  return kPlaces[static_cast<std::size_t>(most - fonts.begin())];
}

std::vector<LookalikeRemark> KnownLookalikes::remarks(
    std::span<const CharacterPrediction> predictions) const {
  std::vector<LookalikeRemark> remarks(predictions.size());
  std::vector<std::pair<char32_t, char32_t>> pairs;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const auto& [ranking, unlike, decision] = predictions[i];
    const bool is_doubted = decision.word() == Word::kLikely || decision.word() == Word::kDoubtful;
    if (!is_doubted || ranking.size() < 2) continue;
    pairs.emplace_back(ranking[0].character, ranking[1].character);
    places.push_back(i);
  }
  const std::vector<double> scores = this->scores(pairs);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [first, second] = pairs[k];
    if (scores[k] < kLookalikeFrom) continue;
    remarks[places[k]] = {second, place_of_difference(first, second)};
  }
  return remarks;
}

}  // namespace leafglyph
