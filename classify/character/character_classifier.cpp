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

// The product of a row of numbers with x, in sums that run side by side.
template <class Number>
double dot(const Number* numbers, std::span<const float> x) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < x.size(); ++j) sum += static_cast<float>(numbers[j]) * x[j];
  return sum;
}

// The squares of x, weighted.
double squares(std::span<const double> weights, std::span<const float> x) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += weights[j] * x[j] * x[j];
  return sum;
}

// The evidence of all views together (character_classifier.h).
double of_views(std::span<const double> evidence) {
  constexpr double kTemperature = 10;
  const double largest = std::ranges::max(evidence);
  double sum = 0;
  for (const double of_view : evidence) sum += std::exp((of_view - largest) / kTemperature);
  return largest + kTemperature * std::log(sum / static_cast<double>(evidence.size()));
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
  weights_.resize(parts_.means.size());
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
      weights_[c * p + j] = static_cast<float>(mean / v);
      offset -= mean * mean / (2 * v) + std::log(v) / 2;
      if (is_new) curvatures_.back()[j] = (1 - 1 / v) / 2;
    }
    offsets_.push_back(offset);
    curvature_of_.push_back(place->second);
  }
  ratios_ = RowProducts(transposed(weights_, p), p);
}

void CharacterClassifier::add_templates() {
  const std::size_t p = directions();
  for (std::size_t first = 0; first < parts_.templates.size(); first += p) {
    const auto whole = std::span(parts_.templates).subspan(first, p);
    const double length = std::sqrt(std::transform_reduce(
        whole.begin(), whole.end(), 0.0, std::plus<>(), [](double q) { return q * q; }));
    template_units_.push_back(length > 0 ? static_cast<float>(1 / length) : 0.0F);
  }
}

void CharacterClassifier::to_length(std::span<float> x) const {
  const double factor = Plda::factor_to_length(std::vector<double>(x.begin(), x.end()));
  for (float& value : x) value = static_cast<float>(factor * value);
}

// What of the ratio does not depend on the character but through its number of pictures.
double CharacterClassifier::curved(std::size_t character, std::span<const float> x) const {
  return offsets_[character] + squares(curvatures_[curvature_of_[character]], x);
}

// Those that may be it and have the largest ratios in the first view.
std::vector<std::size_t> CharacterClassifier::likeliest(std::span<const float> x,
                                                        std::span<const double> ratios,
                                                        const Request& request) const {
  std::vector<double> curves;
  for (const std::vector<double>& curvature : curvatures_) curves.push_back(squares(curvature, x));
  std::vector<std::pair<double, std::size_t>> order;
  const auto consider = [&](std::size_t c) {
    order.emplace_back(-(ratios[c] + offsets_[c] + curves[curvature_of_[c]]), c);
  };
  for (const std::size_t c : request.among) consider(c);
  for (std::size_t c = 0; request.among.empty() && c < characters(); ++c) consider(c);
  const std::size_t kept =
      std::min(order.size(), std::max(kCompared, 2 * request.count) + shared_shapes_);
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(kept));
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < kept; ++i) result.push_back(order[i].second);
  return result;
}

// `views` has the x of all.
CharacterClassifier::Found CharacterClassifier::compared(std::size_t character,
                                                         std::span<const float> views) const {
  const std::size_t p = directions();
  const float* weights = weights_.data() + character * p;
  const double length = std::sqrt(static_cast<double>(p));  // of x
  Found found{{character, 0}, {}};
  std::vector<double> evidence;
  for (std::size_t v = 0; v * p < views.size(); ++v) {
    const auto x = views.subspan(v * p, p);
    Signs signs{curved(character, x) + dot(weights, x), -1, v};
    for (std::size_t t = character; t < template_units_.size(); t += characters()) {
      if (template_units_[t] == 0) continue;
      const double cosine = dot(parts_.templates.data() + t * p, x) * template_units_[t] / length;
      signs.cosine = std::max(signs.cosine, cosine);
    }
    evidence.push_back(signs.ratio +
                       parts_.template_weight * static_cast<double>(p) * signs.cosine);
    if (evidence.back() >= std::ranges::max(evidence)) found.signs = signs;
  }
  found.candidate.evidence = of_views(evidence);
  return found;
}

std::vector<CharacterClassifier::Found> CharacterClassifier::best_of(std::vector<Found> all,
                                                                     std::size_t count) const {
  std::ranges::sort(all, {}, [](const Found& found) {
    return std::pair(-found.candidate.evidence, found.candidate.character);
  });
  if (shared_shapes_ > 0) {
    std::set<std::size_t> seen;
    std::erase_if(all, [&](const Found& found) {
      return !seen.insert(shape_of(found.candidate.character)).second;
    });
  }
  all.resize(std::min(count, all.size()));
  return all;
}

// T W T^T = I, so the squares along T, without Plda's factor 1 / sqrt(1 + b), are a part of those
// of L^-1 (z - mean): the rest lies beside.
void CharacterClassifier::add_unlike_signs(std::span<const float> along,
                                           std::span<const double> whitened,
                                           CharacterSigns& signs) const {
  const std::size_t p = directions();
  const std::span<const double> spread = parts_.plda.spread();
  const std::vector<double> raw(along.begin(), along.end());
  double kept = 0;
  for (std::size_t j = 0; j < p; ++j) kept += raw[j] * raw[j] * (1 + spread[j]);
  const auto n = static_cast<double>(columns());
  const double beside = (mean_square(whitened) * n - kept) / (n - static_cast<double>(p));
  constexpr double kLeast = 1e-12;  // of rows that are the mean itself
  signs[2] = std::log(std::max(beside, kLeast));
  signs[3] = std::log(std::max(std::sqrt(mean_square(raw)), kLeast));
}

// The view of each picture in which its first character is likeliest.
std::vector<std::size_t> CharacterClassifier::compare(std::span<const float> x,
                                                      const Request& request,
                                                      std::span<FoundCharacters> results) const {
  const std::size_t p = directions(), views = request.views, some = results.size();
  std::vector<float> usual;
  for (std::size_t i = 0; i < some; ++i) {
    const auto first = x.subspan(i * views * p, p);
    usual.insert(usual.end(), first.begin(), first.end());
  }
  std::vector<double> ratios(some * characters());
  ratios_.multiply(usual, some, ratios);
  std::vector<std::size_t> seen_in;
  for (std::size_t i = 0; i < some; ++i) {
    std::vector<Found> found;
    for (const std::size_t c :
         likeliest(std::span(usual).subspan(i * p, p),
                   std::span(ratios).subspan(i * characters(), characters()), request)) {
      found.push_back(compared(c, x.subspan(i * views * p, views * p)));
    }
    found = best_of(std::move(found), request.count);
    const Signs& signs = found.front().signs;
    results[i].signs = {signs.ratio, signs.cosine};
    for (const Found& one : found) results[i].best.push_back(one.candidate);
    seen_in.push_back(signs.view);
  }
  return seen_in;
}

void CharacterClassifier::find_some(std::span<const float> rows, const Request& request,
                                    std::span<FoundCharacters> results) const {
  const std::size_t n = columns(), p = directions(), some = results.size();
  std::vector<float> scaled(rows.size()), centred(some * n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scaled[i] = static_cast<float>(parts_.scale * rows[i]);
  }
  const std::vector<float> along = parts_.plda.transform_means(scaled);
  std::vector<float> x = along;
  for (std::size_t first = 0; first < x.size(); first += p) to_length({x.data() + first, p});
  std::vector<std::size_t> seen = compare(x, request, results);
  for (std::size_t i = 0; i < some; ++i) {
    seen[i] += i * request.views;
    for (std::size_t c = 0; c < n; ++c) {
      centred[i * n + c] = static_cast<float>(scaled[seen[i] * n + c] - parts_.plda.mean()[c]);
    }
  }
  std::vector<double> whitened(some * n);
  whitened_.multiply(centred, some, whitened);
  for (std::size_t i = 0; i < some; ++i) {
    add_unlike_signs(std::span(along).subspan(seen[i] * p, p),
                     std::span(whitened).subspan(i * n, n), results[i].signs);
  }
}

std::vector<FoundCharacters> CharacterClassifier::find(std::span<const float> rows,
                                                       const Request& request) const {
  const std::size_t picture = columns() * request.views, all = rows.size() / picture;
  if (rows.size() != all * picture || request.count == 0) {
    throw UsageError("CharacterClassifier: rows of another length, or no character is asked for");
  }
  std::vector<FoundCharacters> results(all);
  parallel_for((all + kSearchedAtOnce - 1) / kSearchedAtOnce, [&](std::size_t block) {
    const std::size_t first = block * kSearchedAtOnce,
                      some = std::min(kSearchedAtOnce, all - first);
    find_some(rows.subspan(first * picture, some * picture), request,
              std::span(results).subspan(first, some));
  });
  return results;
}

}  // namespace leafglyph
