#include "classify/glyph/lookalike_evaluation.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <unordered_map>
#include <utility>

#include "features/base/matrix_product.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

using CharacterPair = std::pair<char32_t, char32_t>;

constexpr double kDrawnBlur = 0.05;       // standard deviation in sides of a drawing
constexpr std::size_t kTen = 10;          // ranks within which kinds are reported
constexpr std::size_t kProductRows = 64;  // rows of a product

// The blurred drawings of a font, one row per character, of mean 0 and length 1.
std::vector<float> blurred_rows(const GlyphImages& images) {
  const std::size_t pixels = images.pixels_per_glyph();
  std::vector<float> rows(images.count() * pixels);
  parallel_for(images.count(), [&](std::size_t glyph) {
    const auto ink = images.ink_of(glyph);
    float* row = rows.data() + glyph * pixels;
    std::copy(ink.begin(), ink.end(), row);
    cv::Mat picture(images.size, images.size, CV_32F, row);
    cv::GaussianBlur(picture, picture, cv::Size(), kDrawnBlur * images.size, 0,
                     cv::BORDER_CONSTANT);
    picture -= cv::mean(picture)[0];
    const double length = cv::norm(picture);
    if (length > 0) picture /= length;
  });
  return rows;
}

// How pairs are counted: one entry per direction.
struct DirectedPairs {
  std::vector<CharacterPair> pairs;
  std::vector<double> weights;
  std::vector<PairKind> kinds;
};

DirectedPairs directed_pairs(const std::vector<ListedPair>& pairs) {
  const Unihan unihan;
  DirectedPairs ways;
  for (const ListedPair& pair : pairs) {
    const PairKind kind = kind_of(traits_of(pair.first, unihan), traits_of(pair.second, unihan));
    for (const auto& way :
         {CharacterPair(pair.first, pair.second), CharacterPair(pair.second, pair.first)}) {
      ways.pairs.push_back(way);
      ways.weights.push_back(pair.weight);
      ways.kinds.push_back(kind);
    }
  }
  return ways;
}

// The share of the ways of which `counts` holds that are found, with the number of their pairs.
template <class Counts, class Found>
LookalikeEvaluation::Recall recall(const DirectedPairs& ways, const Counts& counts,
                                   const Found& is_found) {
  double all = 0.0;
  double found = 0.0;
  double trials = 0.0;
  for (std::size_t k = 0; k < ways.pairs.size(); ++k) {
    if (!counts(k)) continue;
    all += ways.weights[k];
    found += is_found(k) ? ways.weights[k] : 0.0;
    trials += 0.5;
  }
  const double share = found / all;
  return {share, wilson_interval(share, trials, "pairs")};
}

bool is_within(std::size_t own, std::size_t rank) { return own > 0 && own <= rank; }

}  // namespace

std::vector<std::size_t> blurred_ranks(const LookalikeIndex& index,
                                       std::span<const CharacterPair> pairs) {
  const std::u32string& characters = index.selected().characters;
  std::unordered_map<char32_t, std::size_t> places;
  for (std::size_t i = 0; i < characters.size(); ++i) places.emplace(characters[i], i);
  std::vector<std::size_t> ranks(pairs.size());
  std::vector<std::pair<std::vector<float>, std::size_t>> fonts;  // rows and their length
  for (const GlyphSource& font : index.fonts()) {
    const GlyphImages images = draw_glyphs(GlyphSource(font), characters);
    fonts.emplace_back(blurred_rows(images), images.pixels_per_glyph());
  }
  for (std::size_t first = 0; first < pairs.size(); first += kProductRows) {
    const std::size_t count = std::min(kProductRows, pairs.size() - first);
    std::vector<float> likeness(count * characters.size());
    for (const auto& [rows, pixels] : fonts) {
      std::vector<float> queries(count * pixels);
      for (std::size_t q = 0; q < count; ++q) {
        const float* row = rows.data() + places.at(pairs[first + q].first) * pixels;
        std::copy_n(row, pixels, queries.data() + q * pixels);
      }
      add_product_nt(count, characters.size(), pixels, queries.data(), pixels, rows.data(), pixels,
                     likeness.data(), characters.size());
    }
    for (std::size_t q = 0; q < count; ++q) {
      const float* own = likeness.data() + q * characters.size();
      const float partner = own[places.at(pairs[first + q].second)];
      const std::size_t query = places.at(pairs[first + q].first);
      std::size_t rank = 1;
      for (std::size_t i = 0; i < characters.size(); ++i) {
        if (i != query && own[i] > partner) ++rank;
      }
      ranks[first + q] = rank;
    }
  }
  return ranks;
}

LookalikeEvaluation evaluate_lookalikes(const LookalikeIndex& index,
                                        const std::vector<ListedPair>& pairs) {
  const DirectedPairs ways = directed_pairs(pairs);
  std::vector<std::size_t> ranks;
  const std::size_t others = index.selected().characters.size() - 1;
  const std::size_t most = std::min(LookalikeEvaluation::kRanks.back(), others);
  for (const ScoredPair& scored : score_pairs(index, pairs, most)) {
    ranks.push_back(scored.rank_of_second);
    ranks.push_back(scored.rank_of_first);
  }
  const std::vector<std::size_t> blurred = blurred_ranks(index, ways.pairs);
  const auto all = [](std::size_t) { return true; };
  LookalikeEvaluation result;
  result.pairs = pairs.size();
  for (std::size_t r = 0; r < result.found.size(); ++r) {
    const std::size_t rank = LookalikeEvaluation::kRanks[r];
    result.found[r] = recall(ways, all, [&](std::size_t k) { return is_within(ranks[k], rank); });
    result.blurred[r] =
        recall(ways, all, [&](std::size_t k) { return is_within(blurred[k], rank); });
  }
  std::u32string queries;
  for (const auto& [query, partner] : ways.pairs) queries.push_back(query);
  const std::vector<std::u32string> shortlists = index.shortlists(queries);
  result.shortlisted = recall(ways, all, [&](std::size_t k) {
    return shortlists[k].find(ways.pairs[k].second) != std::u32string::npos;
  });
  for (const PairKind kind : kNamesOf<PairKind>.values()) {
    const auto is_kind = [&](std::size_t k) { return ways.kinds[k] == kind; };
    const auto count = static_cast<std::size_t>(std::ranges::count(ways.kinds, kind) / 2);
    if (count == 0) continue;
    result.kinds.push_back(
        {kind, count,
         recall(ways, is_kind, [&](std::size_t k) { return is_within(ranks[k], kTen); }),
         recall(ways, is_kind, [&](std::size_t k) { return is_within(blurred[k], kTen); })});
  }
  return result;
}

}  // namespace leafglyph
