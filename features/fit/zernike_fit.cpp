#include "features/fit/zernike_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Rows that are reflected together: of many terms more, so that the triangle is gone through less
// often; of few terms fewer, so that what is left of several maps fits into a core's cache. Groups
// whose sums are added in this order, whatever the number of threads.
std::size_t rows_of(std::size_t terms) { return terms < 100 ? 128 : terms < 400 ? 256 : 1024; }
constexpr std::size_t kGroups = 8;

// The square of the condition and the rounding of a double must leave digits for the steps of
// fit().
constexpr double kMostCondition = 1e7;

}  // namespace

ZernikeFit::ZernikeFit(ZernikeBasis basis, FitPoints points)
    : basis_(std::move(basis)), points_(std::move(points)) {
  if (points_.pixels.empty()) {
    throw InputError(
        "no pixel counts: none has a finite value, a weight above 0 and a place in the aperture");
  }
  if (points_.pixels.size() < basis_.size()) {
    throw InputError(counted(points_.pixels.size(), "pixel counts", "pixels count") +
                     ", fewer than the " + std::to_string(basis_.size()) +
                     " terms of the fit; use a lower order");
  }
  find_mirrored();
  make_triangles();
}

// The points are symmetric if every mirror image of one is one, with the same weight.
void ZernikeFit::find_mirrored() {
  const std::size_t count = points_.pixels.size();
  const double columns = 2 * points_.circle.column, rows = 2 * points_.circle.row;
  const auto place_of = [&](double column, double row) {
    if (column < 0 || column >= points_.width || row < 0) return kNone;
    const double pixel = row * points_.width + column;
    const auto found = std::lower_bound(points_.pixels.begin(), points_.pixels.end(), pixel);
    return found == points_.pixels.end() || *found != pixel
               ? kNone
               : static_cast<std::uint32_t>(found - points_.pixels.begin());
  };
  bool is_symmetric = columns == std::floor(columns) && rows == std::floor(rows);
  for (std::uint32_t i = 0; i < count && is_symmetric; ++i) {
    const double column = points_.pixels[i] % static_cast<std::uint32_t>(points_.width);
    const double row = points_.pixels[i] / static_cast<std::uint32_t>(points_.width);
    const std::uint32_t images[] = {i, place_of(columns - column, row),
                                    place_of(column, rows - row),
                                    place_of(columns - column, rows - row)};
    Mirrored mirrored{{i, kNone, kNone, kNone}};
    for (int k = 1; k < 4 && is_symmetric; ++k) {
      is_symmetric = images[k] != kNone && weight(images[k]) == weight(i);
      // A point on an axis is its own image; its column or row of terms that are odd there is 0.
      if (std::find(images, images + k, images[k]) == images + k) mirrored.at[k] = images[k];
    }
    if (points_.x(i) >= 0 && points_.y(i) >= 0) mirrored_.push_back(mirrored);
  }
  if (!is_symmetric) {
    mirrored_.clear();
    for (std::uint32_t i = 0; i < count; ++i) mirrored_.push_back({{i, kNone, kNone, kNone}});
  }
  // cos(m theta) with pi - theta in place of theta changes its sign for odd m, sin for even m.
  for (int kind = 0; kind < (is_symmetric ? 4 : 1); ++kind) {
    std::vector<std::size_t> terms;
    for (std::size_t t = 0; t < basis_.size(); ++t) {
      const int m = basis_.terms()[t].m;
      const int of_term = (m < 0 ? 2 : 0) + (m % 2 == 0 ? 0 : 1);
      if (!is_symmetric || of_term == kind) terms.push_back(t);
    }
    if (terms.empty()) continue;
    const bool is_sine = kind >= 2, is_odd = kind % 2 == 1;
    const std::size_t size = terms.size();
    parts_.push_back(
        {std::move(terms), is_sine == is_odd ? 1.0 : -1.0, is_sine ? -1.0 : 1.0, Triangle(size)});
  }
}

// use(first, count, values): the values of all terms at some of the mirrored points of a group.
template <class Use>
void ZernikeFit::each_piece(std::size_t group, const Use& use) const {
  const std::size_t total = mirrored_.size();
  const std::size_t first = total * group / kGroups, last = total * (group + 1) / kGroups;
  const std::size_t rows = rows_of(basis_.size());
  std::vector<double> values(rows * basis_.size());
  for (std::size_t from = first; from < last; from += rows) {
    throw_if_interrupted();
    const std::size_t count = std::min(rows, last - from);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t point = mirrored_[from + i].at[0];
      basis_.values_at(points_.x(point), points_.y(point),
                       std::span(values).subspan(i * basis_.size(), basis_.size()));
    }
    use(from, count, std::span<const double>(values));
  }
}

namespace {

// The columns of some terms.
void pick(std::span<const double> values, std::size_t all, std::span<const std::size_t> terms,
          std::size_t count, std::vector<double>& picked) {
  picked.resize(count * terms.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t t = 0; t < terms.size(); ++t) {
      picked[i * terms.size() + t] = values[i * all + terms[t]];
    }
  }
}

}  // namespace

// The mirrored points of a group, as few as have the same products of two terms.
std::vector<WeightedPoint> ZernikeFit::nodes_of(std::size_t group) const {
  // In radii: about an oscillation of a product of two terms, within which it cannot grow much.
  const double gap = 1.25 / std::max(1, basis_.order());
  const std::size_t total = mirrored_.size();
  std::vector<WeightedPoint> points;
  for (std::size_t i = total * group / kGroups; i < total * (group + 1) / kGroups; ++i) {
    const std::uint32_t* const images = mirrored_[i].at;
    const auto there = static_cast<double>(4 - std::count(images, images + 4, kNone));
    points.push_back({points_.x(images[0]), points_.y(images[0]), there * weight(images[0])});
  }
  return fewer_points(points, 2 * basis_.order(), gap);
}

void ZernikeFit::make_triangles() {
  // Multiply-adds of the reflections from which these take more than about a second.
  constexpr double kLong = 2e10;
  double work = 0.0;
  for (const Part& part : parts_) {
    const auto terms = static_cast<double>(part.terms.size());
    work += 2.0 * terms * terms * static_cast<double>(mirrored_.size());
  }
  if (work < kLong || !make_triangles_of_products()) make_triangles_of_rows();
}

// A^T A of nodes, of which there are far fewer than pixels: a tenth of the work. It squares the
// condition, which the steps of fit() undo; false where the condition is too high for that.
bool ZernikeFit::make_triangles_of_products() {
  // A step of fit() leaves condition^2 times the rounding of a double: 1e-6 here.
  constexpr double kMostOfProducts = 1e5;
  std::vector<std::vector<std::vector<double>>> of_groups(kGroups);
  parallel_for(kGroups, [&](std::size_t group) {
    for (const Part& part : parts_) {
      of_groups[group].emplace_back(part.terms.size() * part.terms.size(), 0.0);
    }
    const std::vector<WeightedPoint> nodes = nodes_of(group);
    const std::size_t all = basis_.size(), most = rows_of(all);
    std::vector<double> values(most * all), rows, weighted;
    for (std::size_t from = 0; from < nodes.size(); from += most) {
      throw_if_interrupted();
      const std::size_t count = std::min(most, nodes.size() - from);
      for (std::size_t i = 0; i < count; ++i) {
        basis_.values_at(nodes[from + i].x, nodes[from + i].y,
                         std::span(values).subspan(i * all, all));
      }
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const std::size_t terms = parts_[p].terms.size();
        pick(values, all, parts_[p].terms, count, rows);
        weighted = rows;
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t t = 0; t < terms; ++t) weighted[i * terms + t] *= nodes[from + i].weight;
        }
        add_product_tn(terms, terms, count, rows.data(), terms, weighted.data(), terms,
                       of_groups[group][p].data(), terms);
      }
    }
  });
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    std::vector<double>& products = of_groups[0][p];
    for (std::size_t group = 1; group < kGroups; ++group) {
      for (std::size_t i = 0; i < products.size(); ++i) products[i] += of_groups[group][p][i];
    }
    if (!parts_[p].triangle.take_products(products)) return false;
  }
  return condition(basis_.order()) <= kMostOfProducts;
}

void ZernikeFit::make_triangles_of_rows() {
  for (Part& part : parts_) part.triangle = Triangle(part.terms.size());
  std::vector<std::vector<Triangle>> of_groups(kGroups);
  parallel_for(kGroups, [&](std::size_t group) {
    for (const Part& part : parts_) of_groups[group].emplace_back(part.terms.size());
    std::vector<double> rows;
    each_piece(group, [&](std::size_t from, std::size_t count, std::span<const double> values) {
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const std::size_t terms = parts_[p].terms.size();
        pick(values, basis_.size(), parts_[p].terms, count, rows);
        for (std::size_t i = 0; i < count; ++i) {
          const Mirrored& mirrored = mirrored_[from + i];
          const auto images = 4 - std::count(mirrored.at, mirrored.at + 4, kNone);
          const double root = std::sqrt(static_cast<double>(images) * weight(mirrored.at[0]));
          for (std::size_t t = 0; t < terms; ++t) rows[i * terms + t] *= root;
        }
        of_groups[group][p].add_rows(std::span(rows).first(count * terms));
      }
    });
  });
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].triangle = std::move(of_groups[0][p]);
    for (std::size_t group = 1; group < kGroups; ++group) {
      parts_[p].triangle.add(of_groups[group][p]);
    }
  }
}

double ZernikeFit::condition(int order) const {
  double most = 0.0, least = std::numeric_limits<double>::max();
  for (const Part& part : parts_) {
    const auto size = static_cast<std::size_t>(
        std::count_if(part.terms.begin(), part.terms.end(),
                      [&](std::size_t term) { return basis_.terms()[term].n <= order; }));
    if (size == 0) continue;
    const auto [of_least, of_most] = part.triangle.singular_range(size);
    most = std::max(most, of_most);
    least = std::min(least, of_least);
  }
  return least > 0.0 ? most / least : std::numeric_limits<double>::infinity();
}

int ZernikeFit::safe_order(double most) const {
  int order = 0;
  while (order < basis_.order() && condition(order + 1) <= most) ++order;
  return order;
}

// use(from, rows, columns, pixels, left) for each piece: the columns of every part's terms; for
// every mirror image of the piece's points its pixel, or kNone; for each map and image what is left
// there.
template <class Use>
void ZernikeFit::each_residual(std::span<const double> maps, std::size_t count,
                               std::span<const double> solution, std::size_t group,
                               const Use& use) const {
  const std::size_t all = basis_.size(), size = maps.size() / count;
  const std::size_t images = is_symmetric() ? 4 : 1;
  std::vector<std::vector<double>> columns(parts_.size());
  std::vector<std::uint32_t> pixels;
  std::vector<double> left, of_part, sums;
  each_piece(group, [&](std::size_t from, std::size_t rows, std::span<const double> of_terms) {
    pixels.assign(images * rows, kNone);
    for (std::size_t image = 0; image < images; ++image) {
      for (std::size_t i = 0; i < rows; ++i) {
        const std::uint32_t point = mirrored_[from + i].at[image];
        if (point != kNone) pixels[image * rows + i] = points_.pixels[point];
      }
    }
    left.resize(count * images * rows);
    for (std::size_t k = 0; k < count; ++k) {
      double* const to = &left[k * images * rows];
      const double* const map = &maps[k * size];
      for (std::size_t i = 0; i < images * rows; ++i) {
        to[i] = pixels[i] == kNone ? 0.0 : map[pixels[i]];
      }
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      pick(of_terms, all, part.terms, rows, columns[p]);
      if (solution.empty()) continue;
      pick(solution, all, part.terms, count, of_part);
      sums.assign(count * rows, 0.0);
      add_product_nt(count, rows, part.terms.size(), of_part.data(), part.terms.size(),
                     columns[p].data(), part.terms.size(), sums.data(), rows);
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t image = 0; image < images; ++image) {
          const double factor = sign(part, static_cast<int>(image));
          double* const to = &left[(k * images + image) * rows];
          for (std::size_t i = 0; i < rows; ++i) to[i] -= factor * sums[k * rows + i];
        }
      }
    }
    use(from, rows, columns, pixels, left);
  });
}

// Sums over weighted values, about a value near their mean.
struct ZernikeFit::Statistics {
  double sum = 0.0, squares = 0.0;
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();

  void add(std::span<const double> values, std::span<const double> weights, double about) {
    double added = 0.0, added_squares = 0.0, least = low, most = high;
#pragma omp simd reduction(+ : added, added_squares) reduction(min : least) reduction(max : most)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i];
      added += weights[i] * (value - about);
      added_squares += weights[i] * (value - about) * (value - about);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    sum += added;
    squares += added_squares;
    low = least;
    high = most;
  }
  void add(const Statistics& other) {
    sum += other.sum;
    squares += other.squares;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// A^T W r of every map, its terms in the order of the basis.
std::vector<double> ZernikeFit::projected(std::span<const double> maps, std::size_t count,
                                          std::span<const double> solution) const {
  const std::size_t all = basis_.size(), images = is_symmetric() ? 4 : 1;
  std::vector<std::vector<double>> of_groups(kGroups);
  parallel_for(kGroups, [&](std::size_t group) {
    std::vector<double>& own = of_groups[group];
    own.assign(count * all, 0.0);
    std::vector<double> folded, sums;
    const auto project = [&](std::size_t from, std::size_t rows,
                             const std::vector<std::vector<double>>& columns,
                             const std::vector<std::uint32_t>& pixels, std::vector<double>& left) {
      for (std::size_t i = 0; i < images * rows; ++i) {  // an image that is not there has no part
        if (pixels[i] != kNone) continue;
        for (std::size_t k = 0; k < count; ++k) left[k * images * rows + i] = 0.0;
      }
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const std::vector<std::size_t>& terms = parts_[p].terms;
        fold(parts_[p], from, rows, left, folded);
        sums.assign(count * terms.size(), 0.0);
        add_product_nn(count, terms.size(), rows, folded.data(), rows, columns[p].data(),
                       terms.size(), sums.data(), terms.size());
        for (std::size_t i = 0; i < sums.size(); ++i) {
          own[i / terms.size() * all + terms[i % terms.size()]] += sums[i];
        }
      }
    };
    each_residual(maps, count, solution, group, project);
  });
  for (std::size_t group = 1; group < kGroups; ++group) {
    for (std::size_t i = 0; i < count * all; ++i) of_groups[0][i] += of_groups[group][i];
  }
  return std::move(of_groups[0]);
}

// The weighted sums over mirror images, with the signs that a part's terms have there.
void ZernikeFit::fold(const Part& part, std::size_t from, std::size_t rows,
                      std::span<const double> left, std::vector<double>& folded) const {
  const std::size_t images = is_symmetric() ? 4 : 1, count = left.size() / (images * rows);
  folded.assign(count * rows, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    double* const to = &folded[k * rows];
    for (std::size_t image = 0; image < images; ++image) {
      const double factor = sign(part, static_cast<int>(image));
      const double* const of_image = &left[(k * images + image) * rows];
      for (std::size_t i = 0; i < rows; ++i) to[i] += factor * of_image[i];
    }
    if (points_.weights.empty()) continue;
    for (std::size_t i = 0; i < rows; ++i) to[i] *= weight(mirrored_[from + i].at[0]);
  }
}

// Of the maps, and then of what is left of each.
std::vector<ZernikeFit::Statistics> ZernikeFit::measured(std::span<const double> maps,
                                                         std::size_t count,
                                                         std::span<const double> solution) const {
  const std::size_t size = maps.size() / count;
  std::vector<std::vector<Statistics>> of_groups(kGroups, std::vector<Statistics>(2 * count));
  parallel_for(kGroups, [&](std::size_t group) {
    std::vector<std::size_t> there;
    std::vector<double> weights, of_map, of_rest;
    const auto measure = [&](std::size_t from, std::size_t rows, const auto& /*columns*/,
                             const std::vector<std::uint32_t>& pixels,
                             const std::vector<double>& left) {
      there.clear();
      weights.clear();
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        if (pixels[i] == kNone) continue;
        there.push_back(i);
        weights.push_back(weight(mirrored_[from + i % rows].at[0]));
      }
      of_map.resize(there.size());
      of_rest.resize(there.size());
      for (std::size_t k = 0; k < count; ++k) {
        const double* const map = &maps[k * size];
        const double* const rest = &left[k * pixels.size()];
        for (std::size_t i = 0; i < there.size(); ++i) {
          of_map[i] = map[pixels[there[i]]];
          of_rest[i] = rest[there[i]];
        }
        of_groups[group][k].add(of_map, weights, map[points_.pixels[0]]);
        of_groups[group][count + k].add(of_rest, weights, 0.0);
      }
    };
    each_residual(maps, count, solution, group, measure);
  });
  for (std::size_t group = 1; group < kGroups; ++group) {
    for (std::size_t i = 0; i < 2 * count; ++i) of_groups[0][i].add(of_groups[group][i]);
  }
  return std::move(of_groups[0]);
}

// x = R^-1 R^-T A^T b squares the condition; each step with what is left of the map takes the error
// down by that much again (A. Bjorck, Numerical Methods for Least Squares Problems, 2.9.3), until
// it is that of Q R.
std::vector<FittedMap> ZernikeFit::fit(std::span<const double> all_maps, std::size_t count) const {
  const double of_all = condition(basis_.order());
  if (!(of_all <= kMostCondition)) {
    throw InputError("the pixels that count hardly determine the terms of the fit (condition " +
                     number_text(std::round(of_all)) + "); use order " +
                     std::to_string(safe_order(kGoodCondition)) + " or less");
  }
  // (condition^2 epsilon)^steps is to be below condition * epsilon.
  constexpr double kOneStepIsEnough = 10.0, kTwoAreEnough = 1e3;
  const int steps = of_all <= kOneStepIsEnough ? 1 : of_all <= kTwoAreEnough ? 2 : 4;
  const std::size_t all = basis_.size();
  // Maps at a time, which are gone through twice or more often: few enough to stay in a cache.
  constexpr std::size_t kTogether = 32;
  std::vector<FittedMap> maps;
  double total = 0.0;
  for (std::size_t i = 0; i < points_.pixels.size(); ++i) total += weight(i);
  for (std::size_t first = 0; first < count; first += kTogether) {
    const std::size_t together = std::min(kTogether, count - first);
    const std::size_t size = all_maps.size() / count;
    const std::span<const double> some = all_maps.subspan(first * size, together * size);
    std::vector<double> solution, of_part;
    for (int step = 0; step < steps; ++step) {
      const std::vector<double> change = projected(some, together, solution);
      const auto wrong =
          std::ranges::find_if_not(change, [](double x) { return std::isfinite(x); });
      if (wrong != change.end()) {
        const std::size_t map = first + static_cast<std::size_t>(wrong - change.begin()) / all;
        throw InputError("map " + std::to_string(map + 1) +
                         " has no finite value in a pixel that counts");
      }
      solution.resize(together * all);
      for (const Part& part : parts_) {
        pick(change, all, part.terms, together, of_part);
        part.triangle.solve_both(of_part);
        for (std::size_t k = 0; k < together; ++k) {
          for (std::size_t t = 0; t < part.terms.size(); ++t) {
            solution[k * all + part.terms[t]] += of_part[k * part.terms.size() + t];
          }
        }
      }
    }
    const std::vector<Statistics> found = measured(some, together, solution);
    for (std::size_t k = 0; k < together; ++k) {
      const Statistics &map = found[k], &left = found[together + k];
      const double mean = map.sum / total;
      const auto begin = solution.begin() + static_cast<std::ptrdiff_t>(k * all);
      maps.push_back({{begin, begin + static_cast<std::ptrdiff_t>(all)},
                      std::sqrt(std::max(0.0, map.squares / total - mean * mean)),
                      map.high - map.low,
                      std::sqrt(left.squares / total),
                      left.high - left.low});
    }
  }
  return maps;
}

std::vector<double> ZernikeFit::residual(std::span<const double> map,
                                         std::span<const double> coefficients) const {
  std::vector<double> all(points_.pixels.size());
  parallel_for(kGroups, [&](std::size_t group) {
    each_residual(map, 1, coefficients, group,
                  [&](std::size_t from, std::size_t rows, const auto& /*columns*/,
                      const auto& /*pixels*/, const std::vector<double>& left) {
                    for (std::size_t i = 0; i < left.size(); ++i) {
                      const std::uint32_t point = mirrored_[from + i % rows].at[i / rows];
                      if (point != kNone) all[point] = left[i];
                    }
                  });
  });
  return all;
}

std::vector<double> ZernikeFit::covariance_diagonal() const {
  std::vector<double> diagonal(basis_.size());
  for (const Part& part : parts_) {
    const std::vector<double> of_part = part.triangle.inverse_diagonal();
    for (std::size_t t = 0; t < of_part.size(); ++t) diagonal[part.terms[t]] = of_part[t];
  }
  return diagonal;
}

}  // namespace leafglyph
