// Bodies of the kernels in transform_kernels.h. Included by one source file for each instruction
// set, which defines LEAFGLYPH_TRANSFORMS (the table's name), LEAFGLYPH_TRANSFORMS_NAME,
// LEAFGLYPH_LANES (doubles in a register) and LEAFGLYPH_CELLS (running sums that fit the
// registers). Everything but the table has internal linkage, so that no code for a newer processor
// leaks into the rest; for the same reason no standard-library template is used here.
#include "features/transform_kernels.h"

namespace leafglyph {
namespace {

constexpr std::size_t kLanes = LEAFGLYPH_LANES;
constexpr std::size_t kParts = kBlock / kLanes;
constexpr std::size_t kCells = LEAFGLYPH_CELLS;
constexpr std::size_t kWidth = kSpreadWidth;
static_assert(kWidth % kCells == 0);

using Vector = double __attribute__((vector_size(8 * kLanes)));
using Integers = std::int64_t __attribute__((vector_size(8 * kLanes)));

// Loads and stores anywhere: a copy promises no alignment, which clang believes of no vector type.
static_assert(sizeof(Vector) == kLanes * sizeof(double));
inline Vector load(const double* p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline void store(double* p, Vector v) { __builtin_memcpy(p, &v, sizeof v); }
inline Vector spread_out(double value) { return value - Vector{}; }
inline Vector choose(Integers mask, Vector yes, Vector no) { return mask ? yes : no; }

inline Vector root(Vector v) {
  double lanes[kLanes];
  store(lanes, v);
#pragma omp simd
  for (std::size_t l = 0; l < kLanes; ++l) lanes[l] = __builtin_sqrt(lanes[l]);
  return load(lanes);
}

// arccos s for |s| <= 1: pi/2 - asin s in the middle, 2 asin(sqrt((1 - |s|) / 2)) towards the ends.
inline Vector arccos(const ArcsineSeries& series, Vector s) {
  const Vector zero = {};
  const Vector size = choose(s < zero, -s, s);
  const Integers outer = size > spread_out(0.5);
  const Vector z = choose(outer, (1.0 - size) * 0.5, size * size);
  const Vector r = choose(outer, root(choose(z < zero, zero, z)), size);
  const Vector offset = z - 0.125;
  Vector p = spread_out(series.coefficient[ArcsineSeries::kTerms - 1]);
  for (int d = ArcsineSeries::kTerms - 2; d >= 0; --d) p = p * offset + series.coefficient[d];
  constexpr double kPi = 3.14159265358979323846;
  const Vector arc = r * p;
  const Vector angle = choose(outer, 2.0 * arc, kPi / 2 - arc);  // arccos |s|
  return choose(s < zero, kPi - angle, angle);
}

void polar(const ArcsineSeries& series, std::size_t count, bool doubled, double cells_per_radian,
           const PolarPoints& points) {
  const Vector zero = {};
  for (std::size_t p = 0; p < count; p += kLanes) {
    const Vector x = load(points.x + p);
    const Vector y = load(points.y + p);
    const Vector rho = root(x * x + y * y);
    const Integers centre = rho == zero;
    const Vector inverse = 1.0 / choose(centre, spread_out(1.0), rho);
    store(points.radius + p, rho);
    store(points.cosine + p, choose(centre, spread_out(1.0), x * inverse));
    store(points.sine + p, y * inverse);
    const Vector s = doubled ? 2.0 * rho - 1.0 : rho;
    store(points.position + p,
          arccos(series, choose(s > 1.0, spread_out(1.0), s)) * cells_per_radian);
  }
}

// The w weights of kLanes points with offsets z, weight i at out[i * stride].
inline void kernel_weights(const SpreadingKernel& kernel, Vector z, double* out,
                           std::size_t stride) {
  const Vector square = z * z;
  constexpr int kTerms = SpreadingKernel::kTerms;
  for (std::size_t i = 0; i < kWidth / 2; ++i) {
    Vector even = spread_out(kernel.even[i][kTerms - 1]);
    Vector odd = spread_out(kernel.odd[i][kTerms - 2]);
    for (int d = kTerms - 2; d >= 0; --d) even = even * square + kernel.even[i][d];
    for (int d = kTerms - 3; d >= 0; --d) odd = odd * square + kernel.odd[i][d];
    store(out + i * stride, even + z * odd);
    store(out + (kWidth - 1 - i) * stride, even - z * odd);
  }
}

inline Vector offset_in_cell(Vector position) {
  const Vector whole = __builtin_convertvector(__builtin_convertvector(position, Integers), Vector);
  return whole + 0.5 - position;
}

void weights(const SpreadingKernel& kernel, std::size_t count, const double* position,
             double* out) {
  for (std::size_t p = 0; p < count; p += kLanes) {
    kernel_weights(kernel, offset_in_cell(load(position + p)),
                   out + p / kBlock * kWidth * kBlock + p % kBlock, kBlock);
  }
}

// e^{j m theta} of the next eight m.
inline void turn(const SpreadGroup& group, std::size_t p, std::size_t part) {
  double* cosines = group.cosines + p * kBlock + part * kLanes;
  double* sines = group.sines + p * kBlock + part * kLanes;
  const Vector c = load(cosines);
  const Vector s = load(sines);
  store(cosines, c * group.turn_cosine[p] - s * group.turn_sine[p]);
  store(sines, s * group.turn_cosine[p] + c * group.turn_sine[p]);
}

// The four factors by m mod 4 as a register's lanes; kLanes = 2 has two such registers.
inline Vector by_residue(const double* four, std::size_t part) {
  Vector v;
  for (std::size_t l = 0; l < kLanes; ++l) v[l] = four[(part * kLanes + l) % 4];
  return v;
}

// What the points carry for one block of m, before it is spread.
inline void carried(const SpreadGroup& group) {
  for (std::size_t p = 0; p < group.count; ++p) {
    const double* factors = group.factors + 16 * p;
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = p * kBlock + part * kLanes;
      const Vector c = load(group.cosines + at);
      const Vector s = load(group.sines + at);
      store(group.real + at, by_residue(factors, part) * c + by_residue(factors + 4, part) * s);
      store(group.imaginary + at,
            -(by_residue(factors + 8, part) * s + by_residue(factors + 12, part) * c));
      turn(group, p, part);
    }
  }
}

// cells[i] += sum over points of weight i times value, for kCells cells kept in registers.
inline void accumulate(const SpreadGroup& group, const double* values, std::size_t first_cell,
                       double* cells, std::size_t row) {
  Vector sums[kCells] = {};
  for (std::size_t p = 0; p < group.count; ++p) {
    const double* weights = group.weights + p / kBlock * kWidth * kBlock + p % kBlock;
    const Vector value = load(values + p * kBlock);
#pragma GCC unroll 14
    for (std::size_t i = 0; i < kCells; ++i) sums[i] += weights[(first_cell + i) * kBlock] * value;
  }
  for (std::size_t i = 0; i < kCells; ++i) {
    double* cell = cells + (first_cell + i) * row;
    store(cell, load(cell) + sums[i]);
  }
}

void spread(const SpreadGroup& group, const GridRows& grid) {
  for (std::size_t b = 0; b < grid.blocks; ++b) {
    carried(group);
    for (std::size_t part = 0; part < kParts; ++part) {
      double* cells = grid.values + b * kBlock + part * kLanes;
      for (std::size_t first = 0; first < kWidth; first += kCells) {
        accumulate(group, group.real + part * kLanes, first, cells, grid.row);
        accumulate(group, group.imaginary + part * kLanes, first, cells + grid.row / 2, grid.row);
      }
    }
  }
}

void gather(const SpreadGroup& group, const GridRows& grid) {
  for (std::size_t p = 0; p < group.count * 4 * kBlock; ++p) group.sums[p] = 0.0;
  for (std::size_t b = 0; b < grid.blocks; ++b) {
    for (std::size_t p = 0; p < group.count; ++p) {
      const double* weights = group.weights + p / kBlock * kWidth * kBlock + p % kBlock;
      for (std::size_t part = 0; part < kParts; ++part) {
        const double* cells = grid.values + b * kBlock + part * kLanes;
        Vector real = {};
        Vector imaginary = {};
#pragma GCC unroll 14
        for (std::size_t i = 0; i < kWidth; ++i) {
          real += weights[i * kBlock] * load(cells + i * grid.row);
          imaginary += weights[i * kBlock] * load(cells + i * grid.row + grid.row / 2);
        }
        const Vector c = load(group.cosines + p * kBlock + part * kLanes);
        const Vector s = load(group.sines + p * kBlock + part * kLanes);
        double* sums = group.sums + p * 4 * kBlock + part * kLanes;
        store(sums, load(sums) + real * c);
        store(sums + kBlock, load(sums + kBlock) + real * s);
        store(sums + 2 * kBlock, load(sums + 2 * kBlock) + imaginary * c);
        store(sums + 3 * kBlock, load(sums + 3 * kBlock) + imaginary * s);
        turn(group, p, part);
      }
    }
  }
}

inline double sum_of(Vector v) {
  double sum = 0.0;
  for (std::size_t l = 0; l < kLanes; ++l) sum += v[l];
  return sum;
}

void node_sums(const NodePass& pass, const double* a, const double* b, double* real,
               double* imaginary) {
  Vector real_sums[kOrderBlock] = {};
  Vector imaginary_sums[kOrderBlock] = {};
  for (std::size_t g = 0; g < pass.nodes; g += kLanes) {
    const Vector t = load(pass.variable + g);
    const Vector left = load(a + g);
    const Vector right = load(b + g);
    Vector current = load(pass.current + g);
    Vector before = load(pass.before + g);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kOrderBlock; ++i) {
      const Vector next = (t * pass.slope[i] + pass.shift[i]) * current + before * pass.back[i];
      before = current;
      current = next;
      real_sums[i] += next * left;
      imaginary_sums[i] += next * right;
    }
    store(pass.current + g, current);
    store(pass.before + g, before);
  }
  for (std::size_t i = 0; i < kOrderBlock; ++i) {
    real[i] = sum_of(real_sums[i]);
    imaginary[i] = sum_of(imaginary_sums[i]);
  }
}

void node_values(const NodePass& pass, const double* real, const double* imaginary, double* a,
                 double* b) {
  for (std::size_t g = 0; g < pass.nodes; g += kLanes) {
    const Vector t = load(pass.variable + g);
    Vector left = load(a + g);
    Vector right = load(b + g);
    Vector current = load(pass.current + g);
    Vector before = load(pass.before + g);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kOrderBlock; ++i) {
      const Vector next = (t * pass.slope[i] + pass.shift[i]) * current + before * pass.back[i];
      before = current;
      current = next;
      left += next * real[i];
      right += next * imaginary[i];
    }
    store(pass.current + g, current);
    store(pass.before + g, before);
    store(a + g, left);
    store(b + g, right);
  }
}

void ridge(const ArcsineSeries& series, const SpreadingKernel& kernel, const RidgeRun& run) {
  alignas(64) double weight[kWidth * kBlock];
  std::int64_t first[kBlock];
  for (std::size_t p = 0; p < run.count; p += kBlock) {
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = p + part * kLanes;
      const Vector s = load(run.x + at) * run.cosine + load(run.y + at) * run.sine;
      const Vector position = arccos(series, s) * run.cells_per_radian;
      kernel_weights(kernel, offset_in_cell(position), weight + part * kLanes, kBlock);
      const Integers cell = __builtin_convertvector(position, Integers);
      for (std::size_t l = 0; l < kLanes; ++l) first[part * kLanes + l] = cell[l];
    }
    for (std::size_t q = 0; q < kBlock; ++q) {
      double* cells = run.grid + static_cast<std::size_t>(first[q]) * kBlock;
      for (std::size_t part = 0; part < kParts; ++part) {
        const Vector value = load(run.values + (p + q) * kBlock + part * kLanes);
#pragma GCC unroll 14
        for (std::size_t i = 0; i < kWidth; ++i) {
          double* cell = cells + i * kBlock + part * kLanes;
          store(cell, load(cell) + weight[i * kBlock + q] * value);
        }
      }
    }
  }
}

}  // namespace

extern const TransformKernels LEAFGLYPH_TRANSFORMS;
const TransformKernels LEAFGLYPH_TRANSFORMS = {
    LEAFGLYPH_TRANSFORMS_NAME, polar, weights, spread, gather, node_sums, node_values, ridge,
};

}  // namespace leafglyph
