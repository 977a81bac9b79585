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

// Everything that fits of the same rows share.
struct FitInput {
  RowShape rows;
  double scale;
  const CharacterFitSpec& spec;
  const std::vector<std::size_t>& shapes;
};

// A classifier of some styles, and which characters these have.
struct Judge {
  CharacterClassifier classifier;
  std::vector<bool> learnt;
  std::size_t views;

  std::vector<FoundCharacters> found(std::span<const float> rows) const {
    return classifier.find(rows, {kJudgedCharacters, views, {}});
  }
};

JudgedRow judged_row(const FoundCharacters& found) {
  JudgedRow row;
  for (const CharacterCandidate& candidate : found.best) row.evidence.push_back(candidate.evidence);
  return row;
}

// Judges pictures of characters that the classifier learnt.
JudgedShare judge_pictures(const Judge& judge, const StyleRows::Pictures& pictures,
                           std::span<const int> labels, Judged& judged) {
  JudgedShare count;
  const std::vector<FoundCharacters> all = judge.found(pictures.rows);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[pictures.places[i]]);
    if (!judge.learnt[label]) continue;
    JudgedRow row = judged_row(all[i]);
    for (std::size_t k = 0; k < all[i].best.size(); ++k) {
      if (judge.classifier.shape_of(all[i].best[k].character) == judge.classifier.shape_of(label)) {
        row.truth = k;
      }
    }
    const bool is_right = row.truth == 0U;
    ++count.rows;
    count.right += is_right;
    if (is_right) judged.right.push_back(all[i].signs);
    if (row.truth) judged.rows.push_back(std::move(row));
  }
  return count;
}

// Judges pictures of no character.
void judge_unlike(const Judge& judge, std::span<const float> rows, Judged& judged) {
  for (const FoundCharacters& found : judge.found(rows)) {
    judged.unlike.push_back(found.signs);
    judged.rows.push_back(judged_row(found));
  }
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

constexpr double kUnknownShare = 0.03;  // of the weight in the calibration
// So many rows say as much of the slope as the usual one: those of thousands of characters say what
// it is, which is steeper than that of leaves.
constexpr double kPulledRows = 50;

void calibrate(CharacterClassifier::Parts& parts, const Judged& judged) {
  if (judged.right.empty() || judged.unlike.empty()) {
    throw UsageError(
        "how sure predictions are cannot be measured: add styles that have the same characters, or "
        "damaged copies");
  }
  parts.unlike = rule_of(judged);
  parts.unlike.threshold = threshold_of(parts.unlike, judged.right);
  const double pull = OpenSetCalibration::kPull *
                      std::min(1.0, kPulledRows / static_cast<double>(judged.rows.size()));
  parts.calibration = OpenSetCalibration::fit(judged.rows, kUnknownShare, pull);
}

// Judges the pictures of styles whose fold is `fold` by a fit to the others, `sums`.
void judge_fold(std::span<const StyleRows> styles, std::size_t fold, const ClassSums& sums,
                const FitInput& input, Judged& judged, std::vector<StyleShare>& shares) {
  CharacterClassifier::Parts parts =
      parts_of(styles, fold, input.rows.characters, sums, input.scale, input.spec);
  std::vector<bool> learnt;
  for (const std::size_t count : parts.counts) learnt.push_back(count > 0);
  // A character of this fold alone: its mean is 0, as likely as any that was never seen.
  std::ranges::replace(parts.counts, std::size_t{0}, std::size_t{1});
  parts.shapes = input.shapes;
  const Judge judge{CharacterClassifier(std::move(parts)), std::move(learnt), input.rows.views};
  for (std::size_t s = 0; s < styles.size(); ++s) {
    if (fold_of(s) != fold) continue;
    const StyleRows& style = styles[s];
    const JudgedShare clean = judge_pictures(judge, style.judged_clean, style.labels, judged);
    const JudgedShare damaged =
        judge_pictures(judge, style.judged_damaged, style.damaged_labels, judged);
    judge_unlike(judge, style.unlike, judged);
    shares.push_back({style.name, clean, damaged});
  }
}

// All styles in two: one without half of the damaged copies, and these with the pictures that show
// none. Places are those in all copies.
std::vector<StyleRows> half_of_copies(std::span<const StyleRows> styles, const RowShape& shape) {
  std::vector<StyleRows> parts(2);
  StyleRows &learnt = parts[0], &judged = parts[1];
  const std::size_t picture = shape.columns * shape.views;
  for (const StyleRows& style : styles) {
    const auto half = static_cast<std::ptrdiff_t>(style.damaged_labels.size() / 2);
    learnt.labels.insert(learnt.labels.end(), style.labels.begin(), style.labels.end());
    learnt.clean.insert(learnt.clean.end(), style.clean.begin(), style.clean.end());
    learnt.damaged_labels.insert(learnt.damaged_labels.end(), style.damaged_labels.begin(),
                                 style.damaged_labels.begin() + half);
    learnt.damaged.insert(
        learnt.damaged.end(), style.damaged.begin(),
        style.damaged.begin() + half * static_cast<std::ptrdiff_t>(shape.columns));
    const StyleRows::Pictures& copies = style.judged_damaged;
    for (std::size_t i = 0; i < copies.places.size(); ++i) {
      if (copies.places[i] < static_cast<std::size_t>(half)) continue;
      judged.judged_damaged.places.push_back(copies.places[i] + judged.damaged_labels.size());
      const auto row = copies.rows.begin() + static_cast<std::ptrdiff_t>(i * picture);
      judged.judged_damaged.rows.insert(judged.judged_damaged.rows.end(), row,
                                        row + static_cast<std::ptrdiff_t>(picture));
    }
    judged.damaged_labels.insert(judged.damaged_labels.end(), style.damaged_labels.begin(),
                                 style.damaged_labels.end());
    judged.unlike.insert(judged.unlike.end(), style.unlike.begin(), style.unlike.end());
  }
  judged.name = "copies";
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
  const std::vector<StyleRows> parts = half_of_copies(styles, input.rows);
  const ClassSums sums = sums_of(parts[0], input.rows.columns, input.scale);
  if (!parts[1].judged_damaged.places.empty() && shows_variation(sums)) {
    judge_fold(parts, /*fold=*/1, sums, input, judged, result.styles);
  }
  return result;
}

}  // namespace

std::size_t judged_step(std::size_t pictures) {
  return std::max<std::size_t>(1, (pictures + kMostJudged - 1) / kMostJudged);
}

CharacterFit fit_characters(std::span<const StyleRows> styles, const RowShape& rows,
                            const CharacterFitSpec& spec, const std::vector<std::size_t>& shapes) {
  check_keys(spec, "classifier.");
  const std::size_t characters = rows.characters, columns = rows.columns;
  if (styles.empty() || characters < 2) {
    throw UsageError("there are pictures of no or one character; at least two are needed");
  }
  const FitInput input{rows, usual_scale(styles.front().clean), spec, shapes};
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
