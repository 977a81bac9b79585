#include "classify/character/character_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "classify/table/algebra.h"
#include "features/base/errors.h"
#include "features/base/keys.h"

namespace leafglyph {

void declare(Keys& keys, CharacterFitSpec& spec) {
  keys.number("shrinkage", spec.shrinkage, kShrinkages,
              "Of the covariance within a character towards its mean variance");
  keys.number("directions", spec.directions, {1, 2000},
              "Of the discriminant: those that tell characters apart best");
  keys.number("template_weight", spec.template_weight, {0, 10},
              "Weight of the nearest template beside the likelihood");
}

namespace {

// Judged rows of a style, evenly spread: enough for five numbers, and each takes a search.
constexpr std::size_t kMostJudged = 2000;
// Characters whose evidence enters the calibration: that of all others is nothing beside it.
constexpr std::size_t kJudgedCharacters = 64;

// Templates of a character: more styles share them.
constexpr std::size_t kMostTemplates = 12;
// Parts of the styles that are left out in turn, if there are as many styles.
constexpr std::size_t kFolds = 10;

std::size_t fold_of(std::size_t style) { return style % kFolds; }

// Rows that were scaled to about 1 and rounded to the grid on which ClassSums are exact, so that
// the rows of a style can be taken off the sums of all.
std::vector<float> on_grid(std::span<const float> rows, double scale) {
  std::vector<float> result(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result[i] =
        static_cast<float>(std::nearbyint(scale * rows[i] / ClassSums::kGrid) * ClassSums::kGrid);
  }
  return result;
}

// 1 / the root mean square of the rows' numbers.
double usual_scale(std::span<const float> rows) {
  double sum = 0;
  for (const float value : rows) sum += static_cast<double>(value) * value;
  if (sum == 0) throw UsageError("the rows of the characters are all 0");
  return std::sqrt(static_cast<double>(rows.size()) / sum);
}

ClassSums sums_of(const StyleRows& style, std::size_t columns, double scale) {
  ClassSums sums(columns);
  sums.add(on_grid(style.clean, scale), style.labels);
  sums.add(on_grid(style.damaged, scale), style.damaged_labels);
  return sums;
}

// Whether a character has two pictures or more.
bool shows_variation(const ClassSums& sums) {
  return std::ranges::any_of(sums.classes(),
                             [](const auto& of_class) { return of_class.second.rows > 1; });
}

struct Discriminant {
  Plda plda;
  std::vector<float> whitening;
};

// The lower triangle of L^-1, row by row.
std::vector<float> whitening_of(std::span<const float> factor, std::size_t n) {
  std::vector<float> inverse(n * n);
  for (std::size_t j = 0; j < n; ++j) inverse[j * n + j] = 1;
  solve_lower(factor, inverse, n, n);
  std::vector<float> triangle;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c <= i; ++c) triangle.push_back(inverse[c * n + i]);
  }
  return triangle;
}

Plda with_directions(const Plda& plda, std::size_t count) {
  const std::size_t all = plda.dimension(), kept = std::min(all, count);
  std::vector<double> matrix;
  for (std::size_t c = 0; c < plda.columns(); ++c) {
    const auto row = plda.matrix().subspan(c * all, kept);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  const std::span<const double> mean = plda.mean(), spread = plda.spread().first(kept);
  return Plda({mean.begin(), mean.end()}, std::move(matrix), {spread.begin(), spread.end()},
              "discriminant of characters");
}

// Fitted without a prior: characters have pictures enough.
Discriminant discriminant_of(const ClassSums& sums, const CharacterFitSpec& spec) {
  ScatterPrior none;
  none.columns = sums.columns();
  none.remainder.assign(none.columns, 0.0);
  PldaSpec plda{/*prior_rows=*/0, /*prior_classes=*/0, spec.shrinkage, /*augmentation=*/0};
  const PldaFit fit(none, plda);
  PldaScatter scatter = fit.scatter_of(sums);
  Plda whole = fit.fit(scatter);
  return {with_directions(whole, static_cast<std::size_t>(spec.directions)),
          whitening_of(scatter.factor(), sums.columns())};
}

void add_means(std::vector<double>& totals, std::span<const float> x, std::span<const int> labels,
               std::size_t p) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(labels[i]) * p;
    for (std::size_t j = 0; j < p; ++j) totals[at + j] += x[i * p + j];
  }
}

// The mean of the clean rows of each character, in steps of a 127th of its largest number.
void add_templates(std::vector<std::int8_t>& templates, std::span<const double> totals,
                   std::size_t p) {
  for (std::size_t first = 0; first < totals.size(); first += p) {
    double largest = 0;
    for (std::size_t j = 0; j < p; ++j) largest = std::max(largest, std::abs(totals[first + j]));
    for (std::size_t j = 0; j < p; ++j) {
      const double share = largest > 0 ? totals[first + j] / largest : 0;
      templates.push_back(static_cast<std::int8_t>(std::lround(127 * share)));
    }
  }
}

// Styles are learnt or left out fold by fold; none is of this number.
constexpr std::size_t kNoFold = std::numeric_limits<std::size_t>::max();

// The parts of a classifier that learns the styles, all but those of a fold.
CharacterClassifier::Parts parts_of(std::span<const StyleRows> styles, std::size_t fold,
                                    std::size_t characters, const ClassSums& sums, double scale,
                                    const CharacterFitSpec& spec) {
  Discriminant discriminant = discriminant_of(sums, spec);
  const std::size_t p = discriminant.plda.dimension();
  CharacterClassifier::Parts parts{scale,
                                   std::move(discriminant.plda),
                                   std::move(discriminant.whitening),
                                   std::vector<std::size_t>(characters),
                                   /*means=*/{},
                                   /*templates=*/{},
                                   spec.template_weight};
  std::vector<double> means(characters * p);
  std::vector<std::vector<double>> templates(std::min(styles.size(), kMostTemplates));
  for (std::size_t s = 0; s < styles.size(); ++s) {
    if (fold_of(s) == fold) continue;
    std::vector<double>& clean = templates[s % templates.size()];
    const std::vector<float> x = parts.plda.transform(on_grid(styles[s].clean, scale));
    clean.resize(characters * p);
    add_means(clean, x, styles[s].labels, p);
    add_means(means, x, styles[s].labels, p);
    add_means(means, parts.plda.transform(on_grid(styles[s].damaged, scale)),
              styles[s].damaged_labels, p);
    for (const int label : styles[s].labels) ++parts.counts[static_cast<std::size_t>(label)];
    for (const int label : styles[s].damaged_labels) {
      ++parts.counts[static_cast<std::size_t>(label)];
    }
  }
  for (const std::vector<double>& clean : templates) add_templates(parts.templates, clean, p);
  for (std::size_t c = 0; c < characters; ++c) {
    for (std::size_t j = 0; j < p; ++j) {
      const double count = static_cast<double>(std::max<std::size_t>(1, parts.counts[c]));
      parts.means.push_back(static_cast<float>(means[c * p + j] / count));
    }
  }
  return parts;
}

// What the fits without a style found of its rows.
struct Judged {
  std::vector<CharacterSigns> right;   // of rows that were identified correctly
  std::vector<CharacterSigns> unlike;  // of rows that show no character
  std::vector<JudgedRow> rows;
};

// Every n-th row, so that at most `most` are left.
void thin_out(std::vector<float>& rows, std::vector<int>& labels, std::size_t columns,
              std::size_t most) {
  const std::size_t count = rows.size() / columns, step = count / (most + 1) + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; i += step, ++kept) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i * columns), columns,
                rows.begin() + static_cast<std::ptrdiff_t>(kept * columns));
    if (!labels.empty()) labels[kept] = labels[i];
  }
  rows.resize(kept * columns);
  if (!labels.empty()) labels.resize(kept);
}

// Judges labelled rows of characters that the classifier learnt (`learnt`), or rows of none.
JudgedShare judge(const CharacterClassifier& classifier, const std::vector<bool>& learnt,
                  std::vector<float> rows, std::vector<int> labels, Judged& judged) {
  JudgedShare count;
  thin_out(rows, labels, classifier.columns(), kMostJudged);
  const std::vector<FoundCharacters> all = classifier.find(rows, kJudgedCharacters);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_labelled = !labels.empty();
    const auto label = is_labelled ? static_cast<std::size_t>(labels[i]) : 0;
    if (is_labelled && !learnt[label]) continue;
    JudgedRow row;
    for (std::size_t k = 0; k < all[i].best.size(); ++k) {
      row.evidence.push_back(all[i].best[k].evidence);
      if (is_labelled &&
          classifier.shape_of(all[i].best[k].character) == classifier.shape_of(label)) {
        row.truth = k;
      }
    }
    const bool is_right = row.truth == 0U;
    ++count.rows;
    count.right += is_right;
    if (!is_labelled) judged.unlike.push_back(all[i].signs);
    if (is_right) judged.right.push_back(all[i].signs);
    if (!is_labelled || row.truth) judged.rows.push_back(std::move(row));
  }
  return count;
}

// A logistic regression by Newton's method, both kinds of rows with half of the weight, and a pull
// towards 0 that matters only if the kinds can be divided.
UnlikeRule rule_of(const Judged& judged) {
  constexpr std::size_t kSigns = std::tuple_size_v<CharacterSigns>, kAll = kSigns + 1;
  CharacterSigns mean{}, deviation{};
  const std::array kinds = {&judged.right, &judged.unlike};
  const auto rows = static_cast<double>(judged.right.size() + judged.unlike.size());
  for (std::size_t i = 0; i < kSigns; ++i) {
    for (const auto* kind : kinds) {
      for (const CharacterSigns& signs : *kind) mean[i] += signs[i] / rows;
    }
    for (const auto* kind : kinds) {
      for (const CharacterSigns& signs : *kind) deviation[i] += std::pow(signs[i] - mean[i], 2);
    }
    deviation[i] = std::max(std::sqrt(deviation[i] / rows), 1e-9);
  }
  std::array<double, kAll> weights{};
  for (int round = 0; round < 50; ++round) {
    std::vector<double> curvature(kAll * kAll), step(kAll);
    constexpr double kPull = 1e-4;
    for (std::size_t i = 0; i < kAll; ++i) {
      curvature[i * kAll + i] = kPull;
      step[i] = -kPull * weights[i];
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const double weight = 0.5 / static_cast<double>(kinds[kind]->size());
      for (const CharacterSigns& signs : *kinds[kind]) {
        std::array<double, kAll> z{};
        z[kSigns] = 1;
        double sum = weights[kSigns];
        for (std::size_t i = 0; i < kSigns; ++i) {
          z[i] = (signs[i] - mean[i]) / deviation[i];
          sum += weights[i] * z[i];
        }
        const double chance = 1 / (1 + std::exp(-sum));
        for (std::size_t i = 0; i < kAll; ++i) {
          step[i] += weight * (static_cast<double>(kind) - chance) * z[i];
          for (std::size_t j = 0; j <= i; ++j) {
            curvature[j * kAll + i] += weight * chance * (1 - chance) * z[i] * z[j];
          }
        }
      }
    }
    factorise(curvature, kAll);
    solve_factorised(curvature, step, kAll, 1);
    double largest = 0;
    for (std::size_t i = 0; i < kAll; ++i) {
      weights[i] += step[i];
      largest = std::max(largest, std::abs(step[i]));
    }
    if (largest < 1e-9) break;
  }
  UnlikeRule rule;
  rule.offset = weights[kSigns];
  for (std::size_t i = 0; i < kSigns; ++i) {
    rule.weights[i] = weights[i] / deviation[i];
    rule.offset -= rule.weights[i] * mean[i];
  }
  return rule;
}

// One correct prediction of a hundred is called unknown.
double threshold_of(const UnlikeRule& rule, std::span<const CharacterSigns> right) {
  std::vector<double> chances;
  for (const CharacterSigns& signs : right) chances.push_back(rule.probability(signs));
  const auto at = chances.begin() + static_cast<std::ptrdiff_t>(chances.size() * 99 / 100);
  std::nth_element(chances.begin(), at, chances.end());
  return *at;
}

constexpr double kUnknownShare = 0.1;  // of the weight in the calibration

void calibrate(CharacterClassifier::Parts& parts, const Judged& judged) {
  if (judged.right.empty() || judged.unlike.empty()) {
    throw UsageError(
        "how sure predictions are cannot be measured: add styles that have the same characters, or "
        "damaged copies");
  }
  parts.unlike = rule_of(judged);
  parts.unlike.threshold = threshold_of(parts.unlike, judged.right);
  parts.calibration = OpenSetCalibration::fit(judged.rows, kUnknownShare);
}

// Everything that fits of the same rows share.
struct FitInput {
  std::size_t characters, columns;
  double scale;
  const CharacterFitSpec& spec;
  const std::vector<std::size_t>& shapes;
};

// Judges the rows of styles whose fold is `fold` by a fit to the others, `sums`.
void judge_fold(std::span<const StyleRows> styles, std::size_t fold, const ClassSums& sums,
                const FitInput& input, Judged& judged, std::vector<StyleShare>& shares) {
  CharacterClassifier::Parts parts =
      parts_of(styles, fold, input.characters, sums, input.scale, input.spec);
  std::vector<bool> learnt;
  for (const std::size_t count : parts.counts) learnt.push_back(count > 0);
  // A character of this fold alone: its mean is 0, as likely as any that was never seen.
  std::ranges::replace(parts.counts, std::size_t{0}, std::size_t{1});
  parts.shapes = input.shapes;
  const CharacterClassifier classifier(std::move(parts));
  for (std::size_t s = 0; s < styles.size(); ++s) {
    if (fold_of(s) != fold) continue;
    const StyleRows& style = styles[s];
    const JudgedShare clean = judge(classifier, learnt, style.clean, style.labels, judged);
    const JudgedShare damaged =
        judge(classifier, learnt, style.damaged, style.damaged_labels, judged);
    judge(classifier, learnt, style.unlike, {}, judged);
    shares.push_back({style.name, clean, damaged});
  }
}

// All styles in two: one without half of the damaged copies, and these with the pictures that show
// none.
std::vector<StyleRows> half_of_copies(std::span<const StyleRows> styles, std::size_t columns) {
  std::vector<StyleRows> parts(2);
  const auto add = [&](StyleRows& part, const StyleRows& style, std::size_t from, std::size_t to) {
    part.damaged_labels.insert(part.damaged_labels.end(),
                               style.damaged_labels.begin() + static_cast<std::ptrdiff_t>(from),
                               style.damaged_labels.begin() + static_cast<std::ptrdiff_t>(to));
    part.damaged.insert(part.damaged.end(),
                        style.damaged.begin() + static_cast<std::ptrdiff_t>(from * columns),
                        style.damaged.begin() + static_cast<std::ptrdiff_t>(to * columns));
  };
  for (const StyleRows& style : styles) {
    const std::size_t all = style.damaged_labels.size();
    add(parts[0], style, 0, all / 2);
    add(parts[1], style, all / 2, all);
    parts[0].labels.insert(parts[0].labels.end(), style.labels.begin(), style.labels.end());
    parts[0].clean.insert(parts[0].clean.end(), style.clean.begin(), style.clean.end());
    parts[1].unlike.insert(parts[1].unlike.end(), style.unlike.begin(), style.unlike.end());
  }
  parts[1].name = "copies";
  return parts;
}

// Judges styles by the others; if they share no character, copies by all else.
StyleShares judge_all(std::span<const StyleRows> styles, std::span<const ClassSums> folds,
                      const ClassSums& all, const FitInput& input, Judged& judged) {
  StyleShares result;
  for (std::size_t fold = 0; fold < folds.size() && folds.size() > 1; ++fold) {
    ClassSums others = all;
    others.take_off(folds[fold]);
    if (shows_variation(others)) {
      judge_fold(styles, fold, others, input, judged, result.styles);
    }
  }
  if (!judged.right.empty()) return result;
  result = {/*by_others=*/false, {}};
  judged = {};
  const std::vector<StyleRows> parts = half_of_copies(styles, input.columns);
  const ClassSums sums = sums_of(parts[0], input.columns, input.scale);
  if (!parts[1].damaged.empty() && shows_variation(sums)) {
    judge_fold(parts, /*fold=*/1, sums, input, judged, result.styles);
  }
  return result;
}

}  // namespace

CharacterFit fit_characters(std::span<const StyleRows> styles, std::size_t characters,
                            std::size_t columns, const CharacterFitSpec& spec,
                            const std::vector<std::size_t>& shapes) {
  check_keys(spec, "classifier.");
  if (styles.empty() || characters < 2) {
    throw UsageError("there are pictures of no or one character; at least two are needed");
  }
  const FitInput input{characters, columns, usual_scale(styles.front().clean), spec, shapes};
  std::vector<ClassSums> folds(std::min(styles.size(), kFolds), ClassSums(columns));
  ClassSums all(columns);
  for (std::size_t s = 0; s < styles.size(); ++s) {
    folds[fold_of(s)].add(sums_of(styles[s], columns, input.scale));
  }
  for (const ClassSums& fold : folds) all.add(fold);
  if (all.classes().size() != characters) {
    throw UsageError(fmt::format("{} of {} characters have no picture",
                                 characters - all.classes().size(), characters));
  }
  if (!shows_variation(all)) {
    throw UsageError(
        "no character has two pictures, so how they vary is unknown: add fonts or copies");
  }
  Judged judged;
  StyleShares shares = judge_all(styles, folds, all, input, judged);
  CharacterClassifier::Parts parts = parts_of(styles, kNoFold, characters, all, input.scale, spec);
  parts.shapes = shapes;
  calibrate(parts, judged);
  return {CharacterClassifier(std::move(parts)), std::move(shares)};
}

}  // namespace leafglyph
