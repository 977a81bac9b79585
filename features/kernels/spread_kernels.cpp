#include "features/kernels/spread_kernels.h"

#include <cmath>

#include "features/kernels/instruction_set.h"
#include "features/kernels/spreading_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/kernels/spread_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Blocks of eight doubles are processed one register at a time, with the widest registers
// available.
using Lanes = hn::CappedTag<double, kSpreadBlock>;
using Vector = hn::Vec<Lanes>;
constexpr Lanes kTag;
constexpr std::size_t kLanes = hn::MaxLanes(kTag);
constexpr std::size_t kParts = kSpreadBlock / kLanes;
// Number of running sums that stay in registers: all cells of a point where there are 32 registers,
// half of them, in two passes over the points, where there are 16.
constexpr std::size_t kCells = kLanes == 8 ? 14 : 7;
constexpr std::size_t kWidth = kSpreadWidth;
static_assert(kSpreadBlock % kLanes == 0 && kWidth % kCells == 0);

HWY_INLINE Vector load(const double* p) { return hn::LoadU(kTag, p); }
HWY_INLINE void store(double* p, Vector v) { hn::StoreU(v, kTag, p); }
HWY_INLINE Vector all(double value) { return hn::Set(kTag, value); }

// arccos s for |s| <= 1: pi/2 - asin s in the middle, 2 asin(sqrt((1 - |s|) / 2)) towards the ends.
HWY_INLINE Vector arccos(const ArcsineSeries& series, Vector s) {
  const Vector size = hn::Abs(s);
  const auto outer = hn::Gt(size, all(0.5));
  const Vector z =
      hn::IfThenElse(outer, hn::Mul(hn::Sub(all(1.0), size), all(0.5)), hn::Mul(size, size));
  const Vector r = hn::IfThenElse(outer, hn::Sqrt(hn::Max(z, hn::Zero(kTag))), size);
  // Both branches have 0 <= z <= 1/4, so that one short series serves them.
  const Vector offset = hn::Sub(z, all(0.125));
  Vector p = all(series.coefficient[ArcsineSeries::kTerms - 1]);
  for (int d = ArcsineSeries::kTerms - 2; d >= 0; --d) {
    p = hn::MulAdd(p, offset, all(series.coefficient[d]));
  }
  constexpr double kPi = 3.14159265358979323846;
  const Vector arc = hn::Mul(r, p);
  const Vector angle =  // arccos |s|
      hn::IfThenElse(outer, hn::Add(arc, arc), hn::Sub(all(kPi / 2), arc));
  return hn::IfThenElse(hn::Lt(s, hn::Zero(kTag)), hn::Sub(all(kPi), angle), angle);
}

void polar(const ArcsineSeries& series, std::size_t count, bool doubled, double cells_per_radian,
           const PolarPoints& points) {
  for (std::size_t p = 0; p < count; p += kLanes) {
    const Vector x = load(points.x + p);
    const Vector y = load(points.y + p);
    const Vector rho = hn::Sqrt(hn::MulAdd(x, x, hn::Mul(y, y)));
    const auto centre = hn::Eq(rho, hn::Zero(kTag));
    const Vector inverse = hn::Div(all(1.0), hn::IfThenElse(centre, all(1.0), rho));
    store(points.radius + p, rho);
    store(points.cosine + p, hn::IfThenElse(centre, all(1.0), hn::Mul(x, inverse)));
    store(points.sine + p, hn::Mul(y, inverse));
    // Rounding may put a point of the rim beyond 1, where there is no angle.
    const Vector s = doubled ? hn::Sub(hn::Add(rho, rho), all(1.0)) : rho;
    store(points.position + p,
          hn::Mul(arccos(series, hn::Min(s, all(1.0))), all(cells_per_radian)));
  }
}

// The w weights of kLanes points with offsets z. Weight i goes to out[i * stride].
HWY_INLINE void kernel_weights(const SpreadingKernel& kernel, Vector z, double* out,
                               std::size_t stride) {
  // Cells i and w - 1 - i are mirror images: one even and one odd polynomial give both weights.
  const Vector square = hn::Mul(z, z);
  constexpr int kTerms = SpreadingKernel::kTerms;
  for (std::size_t i = 0; i < kWidth / 2; ++i) {
    Vector even = all(kernel.even[i][kTerms - 1]);
    // The last odd coefficient is 0.
    Vector odd = all(kernel.odd[i][kTerms - 2]);
    for (int d = kTerms - 2; d >= 0; --d) even = hn::MulAdd(even, square, all(kernel.even[i][d]));
    for (int d = kTerms - 3; d >= 0; --d) odd = hn::MulAdd(odd, square, all(kernel.odd[i][d]));
    store(out + i * stride, hn::MulAdd(z, odd, even));
    store(out + (kWidth - 1 - i) * stride, hn::NegMulAdd(z, odd, even));
  }
}

HWY_INLINE Vector offset_in_cell(Vector position) {
  return hn::Sub(hn::Add(hn::Floor(position), all(0.5)), position);
}

void weights(const SpreadingKernel& kernel, std::size_t count, const double* position,
             double* out) {
  for (std::size_t p = 0; p < count; p += kLanes) {
    kernel_weights(kernel, offset_in_cell(load(position + p)),
                   out + p / kSpreadBlock * kWidth * kSpreadBlock + p % kSpreadBlock, kSpreadBlock);
  }
}

// Advances e^{j m theta} to the next eight m.
HWY_INLINE void turn(const SpreadGroup& group, std::size_t p, std::size_t part) {
  double* cosines = group.cosines + p * kSpreadBlock + part * kLanes;
  double* sines = group.sines + p * kSpreadBlock + part * kLanes;
  const Vector c = load(cosines);
  const Vector s = load(sines);
  const Vector turn_c = all(group.turn_cosine[p]);
  const Vector turn_s = all(group.turn_sine[p]);
  store(cosines, hn::MulSub(c, turn_c, hn::Mul(s, turn_s)));
  store(sines, hn::MulAdd(s, turn_c, hn::Mul(c, turn_s)));
}

// The four factors by m mod 4 as the lanes of a register: twice if it has eight lanes, half of them
// if it has two.
HWY_INLINE Vector by_residue(const double* four, std::size_t part) {
#if HWY_MAX_BYTES >= 64
  const hn::Half<Lanes> half;
  const auto v = hn::LoadU(half, four);
  return hn::Combine(kTag, v, v);
#else
  return load(four + part * kLanes % 4);
#endif
}

// Computes what the points carry for one block of m, before it is spread.
HWY_INLINE void carried(const SpreadGroup& group) {
  for (std::size_t p = 0; p < group.count; ++p) {
    const double* factors = group.factors + 16 * p;
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::size_t at = p * kSpreadBlock + part * kLanes;
      const Vector c = load(group.cosines + at);
      const Vector s = load(group.sines + at);
      store(group.real + at,
            hn::MulAdd(by_residue(factors, part), c, hn::Mul(by_residue(factors + 4, part), s)));
      store(group.imaginary + at, hn::Neg(hn::MulAdd(by_residue(factors + 8, part), s,
                                                     hn::Mul(by_residue(factors + 12, part), c))));
      turn(group, p, part);
    }
  }
}

// cells[i] += sum over points of weight i times the value, with kCells cells kept in registers.
HWY_INLINE void accumulate(const SpreadGroup& group, const double* values, std::size_t first_cell,
                           double* cells, std::size_t row) {
  // All points of a group touch the same cells, which are therefore read and written once per
  // group, not once per point.
  Vector sums[kCells];
  for (Vector& sum : sums) sum = hn::Zero(kTag);
  for (std::size_t p = 0; p < group.count; ++p) {
    const double* weights =
        group.weights + p / kSpreadBlock * kWidth * kSpreadBlock + p % kSpreadBlock;
    const Vector value = load(values + p * kSpreadBlock);
    HWY_UNROLL(14)
    for (std::size_t i = 0; i < kCells; ++i) {
      sums[i] = hn::MulAdd(all(weights[(first_cell + i) * kSpreadBlock]), value, sums[i]);
    }
  }
  for (std::size_t i = 0; i < kCells; ++i) {
    double* cell = cells + (first_cell + i) * row;
    store(cell, hn::Add(load(cell), sums[i]));
  }
}

void spread(const SpreadGroup& group, const GridRows& grid) {
  for (std::size_t b = 0; b < grid.blocks; ++b) {
    carried(group);
    for (std::size_t part = 0; part < kParts; ++part) {
      double* cells = grid.values + b * kSpreadBlock + part * kLanes;
      for (std::size_t first = 0; first < kWidth; first += kCells) {
        accumulate(group, group.real + part * kLanes, first, cells, grid.row);
        accumulate(group, group.imaginary + part * kLanes, first, cells + grid.row / 2, grid.row);
      }
    }
  }
}

HWY_INLINE void add_product(double* to, Vector a, Vector b) {
  store(to, hn::MulAdd(a, b, load(to)));
}

void gather(const SpreadGroup& group, const GridRows& grid) {
  for (std::size_t p = 0; p < group.count * 4 * kSpreadBlock; ++p) group.sums[p] = 0.0;
  for (std::size_t b = 0; b < grid.blocks; ++b) {
    for (std::size_t p = 0; p < group.count; ++p) {
      const double* weights =
          group.weights + p / kSpreadBlock * kWidth * kSpreadBlock + p % kSpreadBlock;
      for (std::size_t part = 0; part < kParts; ++part) {
        const double* cells = grid.values + b * kSpreadBlock + part * kLanes;
        Vector real = hn::Zero(kTag);
        Vector imaginary = hn::Zero(kTag);
        HWY_UNROLL(14)
        for (std::size_t i = 0; i < kWidth; ++i) {
          // One weight serves both parts, and neither is written back.
          const Vector weight = all(weights[i * kSpreadBlock]);
          real = hn::MulAdd(weight, load(cells + i * grid.row), real);
          imaginary = hn::MulAdd(weight, load(cells + i * grid.row + grid.row / 2), imaginary);
        }
        const Vector c = load(group.cosines + p * kSpreadBlock + part * kLanes);
        const Vector s = load(group.sines + p * kSpreadBlock + part * kLanes);
        double* sums = group.sums + p * 4 * kSpreadBlock + part * kLanes;
        add_product(sums, real, c);
        add_product(sums + kSpreadBlock, real, s);
        add_product(sums + 2 * kSpreadBlock, imaginary, c);
        add_product(sums + 3 * kSpreadBlock, imaginary, s);
        turn(group, p, part);
      }
    }
  }
}

// The recurrence of radial.h over kLanes nodes.
struct Recurrence {
  Vector t;
  Vector current;
  Vector before;

  HWY_INLINE Vector next(const NodePass& pass, std::size_t order) {
    const Vector factor = hn::MulAdd(t, all(pass.slope[order]), all(pass.shift[order]));
    const Vector value = hn::MulAdd(factor, current, hn::Mul(before, all(pass.back[order])));
    before = current;
    current = value;
    return value;
  }
};

HWY_INLINE Recurrence recurrence_at(const NodePass& pass, std::size_t node) {
  return {load(pass.variable + node), load(pass.current + node), load(pass.before + node)};
}

HWY_INLINE void keep(const Recurrence& recurrence, const NodePass& pass, std::size_t node) {
  store(pass.current + node, recurrence.current);
  store(pass.before + node, recurrence.before);
}

HWY_INLINE double sum_of(Vector v) {
  // Once for all nodes: until then, each lane has a sum of its own.
  double lanes[kLanes];
  store(lanes, v);
  double sum = 0.0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

void node_sums(const NodePass& pass, const double* a, const double* b, double* real,
               double* imaginary) {
  Vector real_sums[kOrderBlock];
  Vector imaginary_sums[kOrderBlock];
  for (std::size_t i = 0; i < kOrderBlock; ++i) {
    real_sums[i] = hn::Zero(kTag);
    imaginary_sums[i] = hn::Zero(kTag);
  }
  for (std::size_t g = 0; g < pass.nodes; g += kLanes) {
    const Vector left = load(a + g);
    const Vector right = load(b + g);
    Recurrence recurrence = recurrence_at(pass, g);
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kOrderBlock; ++i) {
      const Vector next = recurrence.next(pass, i);
      real_sums[i] = hn::MulAdd(next, left, real_sums[i]);
      imaginary_sums[i] = hn::MulAdd(next, right, imaginary_sums[i]);
    }
    keep(recurrence, pass, g);
  }
  for (std::size_t i = 0; i < kOrderBlock; ++i) {
    real[i] = sum_of(real_sums[i]);
    imaginary[i] = sum_of(imaginary_sums[i]);
  }
}

void node_values(const NodePass& pass, const double* real, const double* imaginary, double* a,
                 double* b) {
  for (std::size_t g = 0; g < pass.nodes; g += kLanes) {
    Vector left = load(a + g);
    Vector right = load(b + g);
    Recurrence recurrence = recurrence_at(pass, g);
    HWY_UNROLL(8)
    for (std::size_t i = 0; i < kOrderBlock; ++i) {
      const Vector next = recurrence.next(pass, i);
      left = hn::MulAdd(next, all(real[i]), left);
      right = hn::MulAdd(next, all(imaginary[i]), right);
    }
    keep(recurrence, pass, g);
    store(a + g, left);
    store(b + g, right);
  }
}

constexpr SpreadKernels kTable = {polar, weights, spread, gather, node_sums, node_values};

const SpreadKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

ArcsineSeries::ArcsineSeries() {
  const auto fitted = fit_polynomial(
      [](long double offset) {
        const long double z = 0.125L + offset;
        const long double root = std::sqrt(z);
        return root > 0 ? std::asin(root) / root : 1.0L;
      },
      kTerms - 1, 0.125L);
  for (int d = 0; d < kTerms; ++d) coefficient[d] = fitted[static_cast<std::size_t>(d)];
}

LEAFGLYPH_FASTEST_TABLE(SpreadKernels, spread_kernels)

}  // namespace leafglyph
#endif
