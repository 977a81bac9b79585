#include "classify/character/character_classifier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Rows whose products are held at once by a thread: some MB with the classes of all characters.
constexpr std::size_t kSearchedAtOnce = 32;

double mean_square(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum / static_cast<double>(values.size());
}

// The matrix whose columns are the rows of `rows`.
std::vector<double> transposed(std::span<const float> rows, std::size_t columns) {
  const std::size_t count = rows.size() / columns;
  std::vector<double> result(rows.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < columns; ++c) result[c * count + i] = rows[i * columns + c];
  }
  return result;
}

std::vector<double> square_of_triangle(std::span<const float> triangle, std::size_t n) {
  std::vector<double> transposed_square(n * n);
  for (std::size_t i = 0, at = 0; i < n; ++i) {
    for (std::size_t c = 0; c <= i; ++c) transposed_square[c * n + i] = triangle[at++];
  }
  return transposed_square;
}

}  // namespace

double UnlikeRule::probability(const CharacterSigns& signs) const {
  double sum = offset;
  for (std::size_t i = 0; i < signs.size(); ++i) sum += weights[i] * signs[i];
  return 1 / (1 + std::exp(-sum));
}

CharacterClassifier::CharacterClassifier(Parts parts) : parts_(std::move(parts)) {
  const std::size_t p = directions(), n = columns(), cells = characters() * p;
  if (cells == 0 || parts_.means.size() != cells || parts_.templates.size() % cells != 0 ||
      parts_.whitening.size() != n * (n + 1) / 2 ||
      std::ranges::count(parts_.counts, std::size_t{0}) > 0 ||
      (!parts_.shapes.empty() && parts_.shapes.size() != characters())) {
    throw UsageError("CharacterClassifier: the parts do not fit together");
  }
  whitened_ = RowProducts(square_of_triangle(parts_.whitening, n), n);
  add_likelihoods();
  add_templates();
  const std::set<std::size_t> shapes(parts_.shapes.begin(), parts_.shapes.end());
  shared_shapes_ = parts_.shapes.size() - shapes.size();
}

// With m pictures of mean y, beta = b / (1 + b), omega = 1 - beta, g = m beta / (m beta + omega)
// and v = omega + beta omega / (m beta + omega), the log likelihood ratio of a row x is
//   sum of (g y / v) x - g^2 y^2 / (2 v) - log(v) / 2 + (1 - 1 / v) x^2 / 2,
// so that of all characters is one product, and a term that depends on m alone.
void CharacterClassifier::add_likelihoods() {
  const std::size_t p = directions();
  const std::span<const double> spread = parts_.plda.spread();
  std::vector<float> weights(parts_.means.size());
  std::map<std::size_t, std::size_t> places;
  for (std::size_t c = 0; c < characters(); ++c) {
    const auto m = static_cast<double>(parts_.counts[c]);
    const auto [place, is_new] = places.try_emplace(parts_.counts[c], curvatures_.size());
    if (is_new) curvatures_.emplace_back(p);
    double offset = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double beta = spread[j] / (1 + spread[j]), omega = 1 - beta, known = m * beta + omega;
      const double g = m * beta / known, v = omega + beta * omega / known;
      const double mean = g * parts_.means[c * p + j];
      weights[c * p + j] = static_cast<float>(mean / v);
      offset -= mean * mean / (2 * v) + std::log(v) / 2;
      if (is_new) curvatures_.back()[j] = (1 - 1 / v) / 2;
    }
    offsets_.push_back(offset);
    curvature_of_.push_back(place->second);
  }
  ratios_ = RowProducts(transposed(weights, p), p);
}

void CharacterClassifier::add_templates() {
  const std::size_t p = directions(), cells = parts_.means.size();
  for (std::size_t first = 0; first < parts_.templates.size(); first += cells) {
    std::vector<float> unit(cells);
    std::vector<bool> has(characters());
    for (std::size_t c = 0; c < characters(); ++c) {
      const auto whole = std::span(parts_.templates).subspan(first + c * p, p);
      const double length = std::sqrt(std::transform_reduce(
          whole.begin(), whole.end(), 0.0, std::plus<>(), [](double q) { return q * q; }));
      has[c] = length > 0;
      for (std::size_t j = 0; has[c] && j < p; ++j) {
        unit[c * p + j] = static_cast<float>(whole[j] / length);
      }
    }
    cosines_.emplace_back(transposed(unit, p), p);
    has_template_.push_back(std::move(has));
  }
}

// T W T^T = I, so the squares along T, without Plda's factor 1 / sqrt(1 + b), are a part of those
// of L^-1 (z - mean): the rest lies beside.
CharacterClassifier::Row CharacterClassifier::seen(std::span<const float> along,
                                                   std::span<const double> whitened) const {
  const std::size_t p = directions();
  const std::span<const double> spread = parts_.plda.spread();
  const std::vector<double> raw(along.begin(), along.end());
  double kept = 0;
  for (std::size_t j = 0; j < p; ++j) kept += raw[j] * raw[j] * (1 + spread[j]);
  const auto n = static_cast<double>(columns());
  const double beside = (mean_square(whitened) * n - kept) / (n - static_cast<double>(p));
  const double factor = Plda::factor_to_length(raw);
  Row seen{std::vector<float>(p), {}};
  for (std::size_t j = 0; j < p; ++j) seen.x[j] = static_cast<float>(factor * raw[j]);
  constexpr double kLeast = 1e-12;  // of rows that are the mean itself
  seen.signs[2] = std::log(std::max(beside, kLeast));
  seen.signs[3] = std::log(std::max(std::sqrt(mean_square(raw)), kLeast));
  return seen;
}

void CharacterClassifier::keep_first_of_shapes(std::vector<CharacterCandidate>& best) const {
  if (shared_shapes_ == 0) return;
  std::set<std::size_t> seen;
  std::erase_if(best, [&](const CharacterCandidate& candidate) {
    return !seen.insert(shape_of(candidate.character)).second;
  });
}

FoundCharacters CharacterClassifier::found(Row row, std::span<const double> ratios,
                                           std::span<const std::span<const double>> cosines,
                                           std::size_t count,
                                           std::span<const std::size_t> among) const {
  std::vector<double> of_curvature;
  for (const std::vector<double>& curvature : curvatures_) {
    double sum = 0;
    for (std::size_t j = 0; j < curvature.size(); ++j) {
      sum += curvature[j] * row.x[j] * row.x[j];
    }
    of_curvature.push_back(sum);
  }
  const auto p = static_cast<double>(directions());
  const double length = std::sqrt(p);  // of x
  const auto signs_of = [&](std::size_t c) {
    double cosine = -1;
    for (std::size_t s = 0; s < cosines.size(); ++s) {
      if (has_template_[s][c]) cosine = std::max(cosine, cosines[s][c] / length);
    }
    return std::pair(ratios[c] + offsets_[c] + of_curvature[curvature_of_[c]], cosine);
  };
  FoundCharacters found;
  const auto consider = [&](std::size_t c) {
    const auto [ratio, cosine] = signs_of(c);
    found.best.push_back({c, ratio + parts_.template_weight * p * cosine});
  };
  if (among.empty()) {
    for (std::size_t c = 0; c < characters(); ++c) consider(c);
  } else {
    for (const std::size_t c : among) consider(c);
  }
  const std::size_t kept = std::min(count + shared_shapes_, found.best.size());
  std::ranges::partial_sort(found.best, found.best.begin() + static_cast<std::ptrdiff_t>(kept), {},
                            [](const CharacterCandidate& candidate) {
                              return std::pair(-candidate.evidence, candidate.character);
                            });
  found.best.resize(kept);
  keep_first_of_shapes(found.best);
  found.best.resize(std::min(count, found.best.size()));
  found.signs = row.signs;
  if (kept > 0) {
    const auto [ratio, cosine] = signs_of(found.best.front().character);
    found.signs[0] = ratio;
    found.signs[1] = cosine;
  }
  return found;
}

std::vector<FoundCharacters> CharacterClassifier::find(std::span<const float> rows,
                                                       std::size_t count,
                                                       std::span<const std::size_t> among) const {
  const std::size_t n = columns(), p = directions(), all = rows.size() / n;
  if (rows.size() != all * n) throw UsageError("CharacterClassifier: rows of another length");
  std::vector<FoundCharacters> results(all);
  parallel_for((all + kSearchedAtOnce - 1) / kSearchedAtOnce, [&](std::size_t block) {
    const std::size_t first = block * kSearchedAtOnce,
                      some = std::min(kSearchedAtOnce, all - first);
    std::vector<float> scaled(some * n), centred(some * n), x(some * p);
    for (std::size_t i = 0; i < some * n; ++i) {
      scaled[i] = static_cast<float>(parts_.scale * rows[first * n + i]);
      centred[i] = static_cast<float>(scaled[i] - parts_.plda.mean()[i % n]);
    }
    const std::vector<float> along = parts_.plda.transform_means(scaled);
    std::vector<double> whitened(some * n), ratios(some * characters());
    whitened_.multiply(centred, some, whitened);
    std::vector<Row> seen_rows;
    for (std::size_t i = 0; i < some; ++i) {
      seen_rows.push_back(
          seen(std::span(along).subspan(i * p, p), std::span(whitened).subspan(i * n, n)));
      std::ranges::copy(seen_rows.back().x, x.begin() + static_cast<std::ptrdiff_t>(i * p));
    }
    ratios_.multiply(x, some, ratios);
    std::vector<std::vector<double>> cosines(cosines_.size());
    for (std::size_t s = 0; s < cosines.size(); ++s) {
      cosines[s].resize(some * characters());
      cosines_[s].multiply(x, some, cosines[s]);
    }
    std::vector<std::span<const double>> of_row(cosines.size());
    for (std::size_t i = 0; i < some; ++i) {
      for (std::size_t s = 0; s < cosines.size(); ++s) {
        of_row[s] = std::span(cosines[s]).subspan(i * characters(), characters());
      }
      results[first + i] =
          found(std::move(seen_rows[i]), std::span(ratios).subspan(i * characters(), characters()),
                of_row, count, among);
    }
  });
  return results;
}

}  // namespace leafglyph
