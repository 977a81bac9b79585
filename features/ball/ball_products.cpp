#include "features/ball/ball_products.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/ball/ball_rotations.h"

namespace leafglyph {
namespace {

std::size_t length(int n) { return static_cast<std::size_t>(n); }

// Numbers below `end` of a parity.
std::size_t count_of(int end, int parity) {
  return end <= parity ? 0 : length((end - parity + 1) / 2);
}

// values[i][at], i < count: polynomials of norm 1 under (1 - v^2)^alpha at points v, times
// start[at].
void gegenbauer(double alpha, const std::vector<double>& v, std::vector<double> start, int count,
                std::vector<std::vector<double>>& values) {
  const auto beside = [alpha](double i) {
    const double twice = 2 * (i + alpha);
    return std::sqrt(i * (i + 2 * alpha) / ((twice - 1) * (twice + 1)));
  };
  values.resize(length(count));
  values[0] = std::move(start);
  for (int i = 1; i < count; ++i) {
    const std::vector<double>& last = values[length(i) - 1];
    std::vector<double>& next = values[length(i)];
    const double up = 1 / beside(i);
    const double down = i > 1 ? beside(i - 1) : 0.0;
    next.resize(v.size());
    for (std::size_t at = 0; at < v.size(); ++at) {
      const double before = i > 1 ? values[length(i) - 2][at] : 0.0;
      next[at] = (v[at] * last[at] - down * before) * up;
    }
  }
}

// P_k(u) at [k][at], k < count.
void legendre(const std::vector<double>& u, int count, std::vector<std::vector<double>>& values) {
  values.resize(length(count));
  values[0].assign(u.size(), 1.0);
  for (int k = 1; k < count; ++k) {
    std::vector<double>& next = values[length(k)];
    next.resize(u.size());
    for (std::size_t at = 0; at < u.size(); ++at) {
      const double before = k > 1 ? values[length(k) - 2][at] : 0.0;
      next[at] = ((2 * k - 1) * u[at] * values[length(k) - 1][at] - (k - 1) * before) / k;
    }
  }
}

// Appends the rows first, first + 2, ... of values to a table.
std::size_t append(const std::vector<std::vector<double>>& values, int first,
                   std::vector<double>& table) {
  const std::size_t start = table.size();
  for (std::size_t r = length(first); r < values.size(); r += 2) {
    table.insert(table.end(), values[r].begin(), values[r].end());
  }
  return start;
}

std::uint32_t step(std::size_t units) { return static_cast<std::uint32_t>(units); }

}  // namespace

BallProducts::BallProducts(const BallGrid& grid, int order) : grid_(grid), order_(order) {
  planes_.push_back(0);
  repetitions_.push_back(0);
  parts_.push_back(0);
  for (int n = 0; n <= order; ++n) {
    const std::size_t degrees = length(n) + 1;
    planes_.push_back(planes_.back() + (terms() - length(n)) * degrees);
    repetitions_.push_back(repetitions_.back() + degrees * 2 * length(n / 2 + 1));
    parts_.push_back(parts_.back() + length(n / 2 + 1) * 2 * degrees);
  }
  double y = 2 / std::numbers::pi;
  double z = 0.75;
  for (int i = 0; i <= order; ++i) {
    if (i > 0) {
      y *= (i + 1.0) / (i + 0.5);
      z *= (i + 1.5) / (i + 1.0);
    }
    y_starts_.push_back(std::sqrt(y * (2 * i + 1) / 2));
    z_starts_.push_back(std::sqrt(z));
  }
}

std::size_t BallProducts::folded_length(int slice) const {
  std::size_t voxels = 0;
  for (std::size_t q = grid_.first_line(slice); q < grid_.first_line(slice + 1); ++q) {
    voxels += length(grid_.lines()[q].voxels);
  }
  return 8 * voxels;
}

std::size_t BallProducts::lines_length(int slice) const {
  return grid_.lines_of(slice) * terms() * 4;
}

std::size_t BallProducts::slices_length() const { return pair(order_ + 1, 0) * slices() * 2; }

// Position of [k][j] among those with k + j <= T.
std::size_t BallProducts::pair(int k, int j) const {
  const std::size_t before = length(k) * (2 * terms() + 1 - length(k)) / 2;
  return before + length(j);
}

std::size_t BallProducts::degree_at(int p, int i, int k) const {
  return planes_[length(p)] + length(i) * (length(p) + 1) + length(k);
}

std::size_t BallProducts::repetition_at(int n, int p, int parity, int m) const {
  return repetitions_[length(n)] + (length(p) * 2 + length(parity)) * length(n / 2 + 1) +
         length(m / 2);
}

std::size_t BallProducts::part_at(int n, int l, int parity, int m) const {
  return parts_[length(n)] + (length(l / 2) * 2 + length(parity)) * (length(n) + 1) + length(m);
}

BallStage BallProducts::x_stage(int slice) const {
  BallStage stage{4, {}, {}};
  std::vector<std::vector<double>> values;
  std::vector<double> u;
  std::size_t in = 0;
  std::size_t out = 0;
  for (std::size_t q = grid_.first_line(slice); q < grid_.first_line(slice + 1); ++q) {
    const BallLine& line = grid_.lines()[q];
    u.clear();
    for (int h = 0; h < line.voxels; ++h) {
      const auto x = static_cast<double>(grid_.x().coordinate(h));
      u.push_back(line.radius == 0.0 ? 0.0 : x / (grid_.side() * line.radius));
    }
    legendre(u, order_ + 1, values);
    for (const int parity : {0, 1}) {
      const std::size_t table = append(values, parity, stage.table);
      stage.products.push_back({table, in, out + 4 * length(parity),
                                step(count_of(order_ + 1, parity)), step(u.size()), 4, 8});
      in += 4 * u.size();
    }
    out += 4 * terms();
  }
  return stage;
}

BallStage BallProducts::y_stage(int slice) const {
  BallStage stage{2, {}, {}};
  const std::size_t lines = grid_.lines_of(slice);
  const double radius = grid_.slice_radius(slice);
  std::vector<double> v;
  std::vector<double> t;
  for (std::size_t q = grid_.first_line(slice); q < grid_.first_line(slice + 1); ++q) {
    const BallLine& line = grid_.lines()[q];
    v.push_back(static_cast<double>(grid_.y().coordinate(line.y)) / (grid_.side() * radius));
    t.push_back(line.radius / radius);
  }
  std::vector<std::vector<double>> values;
  std::vector<double> power(lines, 1.0);
  for (int k = 0; k <= order_; ++k) {
    std::vector<double> start = power;
    for (double& value : start) value *= y_starts_[length(k)];
    gegenbauer(k + 0.5, v, start, order_ - k + 1, values);
    for (const int parity : {0, 1}) {
      const std::size_t rows = count_of(order_ - k + 1, parity);
      const std::size_t table = append(values, parity, stage.table);
      stage.products.push_back({table, length(k) * 4 + length(parity) * 2,
                                (pair(k, parity) * slices() + length(slice)) * 2, step(rows),
                                step(lines), step(terms() * 4), step(slices() * 4)});
    }
    for (std::size_t at = 0; at < lines; ++at) power[at] *= t[at];
  }
  return stage;
}

BallStage BallProducts::z_stage() const {
  BallStage stage{1, {}, {}};
  std::vector<double> z;
  std::vector<double> s;
  for (int slice = 0; slice < grid_.z().count(); ++slice) {
    z.push_back(static_cast<double>(grid_.z().coordinate(slice)) / grid_.side());
    s.push_back(grid_.slice_radius(slice));
  }
  std::vector<std::vector<double>> values;
  std::vector<double> power(z.size(), 1.0);
  for (int p = 0; p <= order_; ++p) {
    std::vector<double> start = power;
    for (double& value : start) value *= z_starts_[length(p)];
    gegenbauer(p + 1.0, z, start, order_ - p + 1, values);
    for (const int parity : {0, 1}) {
      const std::size_t rows = count_of(order_ - p + 1, parity);
      const std::size_t table = append(values, parity, stage.table);
      for (int k = 0; k <= p; ++k) {
        stage.products.push_back({table, pair(k, p - k) * slices() * 2 + length(parity),
                                  degree_at(p, parity, k), step(rows), step(slices()), 2,
                                  step(2 * (length(p) + 1))});
      }
    }
    for (std::size_t at = 0; at < z.size(); ++at) power[at] *= s[at];
  }
  return stage;
}

BallStage BallProducts::plane_stage() const {
  BallStage stage{1, {}, {}};
  for (int p = 0; p <= order_; ++p) {
    for (const int parity : {0, 1}) {
      const Rotation rotation = plane_rotation(p, parity);
      const std::size_t table = stage.table.size();
      stage.table.insert(stage.table.end(), rotation.values.begin(), rotation.values.end());
      if (rotation.count == 0) continue;
      const int m = first_repetition(p, parity);
      for (int n = p; n <= order_; ++n) {
        stage.products.push_back({table, degree_at(p, n - p, parity),
                                  repetition_at(n, p, parity, m), step(rotation.count),
                                  step(rotation.count), 2, 1});
      }
    }
  }
  return stage;
}

BallStage BallProducts::space_stage() const {
  BallStage stage{1, {}, {}};
  for (int n = 0; n <= order_; ++n) {
    for (int m = 0; m <= n; ++m) {
      const Rotation rotation = space_rotation(n, m);
      const std::size_t table = stage.table.size();
      stage.table.insert(stage.table.end(), rotation.values.begin(), rotation.values.end());
      for (int parity = 0; parity <= (m > 0 ? 1 : 0); ++parity) {
        stage.products.push_back({table, repetition_at(n, m, parity, m),
                                  part_at(n, first_degree(n, m), parity, m), step(rotation.count),
                                  step(rotation.count), step(4 * length(n / 2 + 1)),
                                  step(2 * (length(n) + 1))});
      }
    }
  }
  return stage;
}

std::vector<BallPlace> BallProducts::places() const {
  std::vector<BallPlace> places;
  for (int n = 0; n <= order_; ++n) {
    for (int l = n % 2; l <= n; l += 2) {
      for (int m = 0; m <= l; ++m) places.push_back({part_at(n, l, 0, m), part_at(n, l, 1, m), m});
    }
  }
  return places;
}

double BallProducts::forward_scale(int m) const {
  const double voxel = std::pow(2.0 / grid_.side(), 3);
  const double unit = m == 0 ? 1.0 : 1 / std::numbers::sqrt2;
  return unit * voxel * std::sqrt(3 / (4 * std::numbers::pi));
}

double BallProducts::backward_scale(int m) const {
  const double unit = m == 0 ? 1.0 : 1 / std::numbers::sqrt2;
  return unit * std::sqrt(4 * std::numbers::pi / 3);
}

BallCounts::BallCounts(const ArraySize& size, int order) : slices(FoldedAxis(size.depth).count()) {
  const double terms = order + 1.0;
  const double pairs = terms * (terms + 1) / 2;
  const double x = FoldedAxis(size.width).count();
  const double y = FoldedAxis(size.height).count();
  // Of a quarter of a disk and an eighth of a ball, a voxel wider.
  const double radius = 0.5 * std::max({size.width, size.height, size.depth}) + 1;
  const double disk = std::numbers::pi / 4 * radius * radius;
  const double ball = std::numbers::pi / 6 * radius * radius * radius;
  slice_tables = std::min(x * y * slices, ball) * terms + std::min(y * slices, disk) * pairs;
  largest_slice = 8 * std::min(x * y, disk);
  largest_lines = 4 * y * terms;
  const double cube = terms * (terms + 1) * (terms + 2) / 6;
  other_tables = pairs * slices + cube + 4 * pairs + pairs * pairs / 6;
  // The sums along y; by degree; by repetition and the parts, of which few are not there.
  arrays = 2 * pairs * slices + 5 * cube;
}

}  // namespace leafglyph
