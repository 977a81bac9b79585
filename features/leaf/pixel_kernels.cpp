#include "features/leaf/pixel_kernels.h"

#include <algorithm>

#include "features/image/image.h"
#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/leaf/pixel_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A block has as many pixels as a register holds floats. Products and sums are not fused, because
// not every instruction set supports that.
constexpr hn::ScalableTag<float> kFloats;
constexpr hn::Rebind<std::int32_t, hn::ScalableTag<float>> kInts;
constexpr hn::Rebind<std::uint8_t, hn::ScalableTag<float>> kBytes;
constexpr std::size_t kBlock = hn::MaxLanes(kFloats);
using Floats = hn::Vec<hn::ScalableTag<float>>;
using Ints = hn::Vec<hn::Rebind<std::int32_t, hn::ScalableTag<float>>>;
using Bytes = hn::Vec<hn::Rebind<std::uint8_t, hn::ScalableTag<float>>>;

HWY_INLINE Floats all(float value) { return hn::Set(kFloats, value); }

HWY_INLINE Floats floats_of(Bytes values) {
  return hn::ConvertTo(kFloats, hn::PromoteTo(kInts, values));
}

struct Colours {
  Floats red, green, blue;
  HWY_INLINE explicit Colours(const std::uint8_t* from) {
    Bytes r, g, b;
    hn::LoadInterleaved3(kBytes, from, r, g, b);
    red = floats_of(r);
    green = floats_of(g);
    blue = floats_of(b);
  }
};

// Writes value_of(colours of a block) to every pixel of `to`. The last pixels are padded to a full
// block.
template <class ValueOf>
HWY_INLINE void each_block(const std::uint8_t* colours, std::size_t count, std::uint8_t* to,
                           ValueOf value_of) {
  const std::size_t whole = count - count % kBlock;
  for (std::size_t i = 0; i < whole; i += kBlock) {
    hn::StoreU(value_of(Colours(colours + 3 * i)), kBytes, to + i);
  }
  if (whole == count) return;
  std::uint8_t in[3 * kBlock] = {}, out[kBlock];
  std::copy(colours + 3 * whole, colours + 3 * count, in);
  hn::StoreU(value_of(Colours(in)), kBytes, out);
  std::copy(out, out + (count - whole), to + whole);
}

// grey_of: a division by 1000, rounded down. The sums of products are integers that floats
// represent exactly. The additional 0.5 keeps the quotient 0.0005 away from integers, sixteen times
// the error of the product.
void grey(const std::uint8_t* colours, std::size_t count, std::uint8_t* to) {
  each_block(colours, count, to, [](const Colours& c) HWY_ATTR {
    const Floats sum =
        hn::Add(hn::Add(hn::Mul(c.red, all(kRedWeight)), hn::Mul(c.green, all(kGreenWeight))),
                hn::Add(hn::Mul(c.blue, all(kBlueWeight)), all(500.5F)));
    return hn::DemoteTo(kBytes, hn::ConvertTo(kInts, hn::Mul(sum, all(0.001F))));
  });
}

void likeness(const std::uint8_t* colours, std::size_t count, const PaperChromaticity& paper,
              std::uint8_t* to) {
  const Floats red = all(paper.red), green = all(paper.green), one = all(1);
  const Floats of_sum = all(1 / (3 * paper.darkest)), slope = all(-255 / paper.farthest);
  each_block(colours, count, to, [=](const Colours& c) HWY_ATTR {
    const Floats sum = hn::Add(hn::Add(c.red, c.green), c.blue);
    const Floats share = hn::Div(one, hn::Add(sum, all(3)));
    const Floats r = hn::Mul(hn::Add(c.red, one), share);
    const Floats g = hn::Mul(hn::Add(c.green, one), share);
    const Floats x = hn::Sub(r, red), y = hn::Sub(g, green);
    const Floats distance = hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
    const Floats far = hn::Mul(distance, hn::Min(one, hn::Mul(sum, of_sum)));
    return hn::DemoteTo(kBytes, hn::NearestInt(hn::Add(hn::Mul(far, slope), all(255))));
  });
}

void nearness(const std::uint8_t* colours, std::size_t count, const PaperColour& paper,
              std::uint8_t* to) {
  const Floats red = all(paper.red), green = all(paper.green), blue = all(paper.blue);
  const float square = paper.red * paper.red + paper.green * paper.green + paper.blue * paper.blue;
  const Floats of_square = all(square > 0 ? 1 / square : 0), shadow = all(paper.shadow);
  const Floats slope = all(-255 / paper.farthest);
  each_block(colours, count, to, [=](const Colours& c) HWY_ATTR {
    const Floats along =
        hn::Add(hn::Add(hn::Mul(c.red, red), hn::Mul(c.green, green)), hn::Mul(c.blue, blue));
    const Floats light = hn::Max(shadow, hn::Mul(along, of_square));
    const Floats r = hn::Sub(c.red, hn::Mul(light, red));
    const Floats g = hn::Sub(c.green, hn::Mul(light, green));
    const Floats b = hn::Sub(c.blue, hn::Mul(light, blue));
    const Floats far = hn::Sqrt(hn::Add(hn::Add(hn::Mul(r, r), hn::Mul(g, g)), hn::Mul(b, b)));
    return hn::DemoteTo(kBytes, hn::NearestInt(hn::Add(hn::Mul(far, slope), all(255))));
  });
}

void add_masked(const std::uint8_t* __restrict mask, const std::uint8_t* __restrict grey,
                std::size_t count, float weight, float* __restrict coverage,
                float* __restrict sums) {
  if (grey == nullptr) {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) coverage[i] += weight * static_cast<float>(mask[i]);
    return;
  }
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    coverage[i] += weight * static_cast<float>(mask[i]);
    sums[i] += weight * static_cast<float>(mask[i] * grey[i]);
  }
}

GreySums grey_sums(const std::uint8_t* mask, const std::uint8_t* grey, std::size_t count) {
  std::uint32_t inside = 0, of_inside = 0, of_all = 0;
#pragma omp simd reduction(+ : inside, of_inside, of_all)
  for (std::size_t i = 0; i < count; ++i) {
    inside += mask[i];
    of_inside += mask[i] != 0 ? grey[i] : 0U;
    of_all += grey[i];
  }
  return {inside, of_inside, of_all};
}

MaskSums mask_sums(const std::uint8_t* mask, std::size_t count) {
  // In stretches that are short enough for sums in 32 bits.
  constexpr std::size_t kStretch = 4096;
  MaskSums sums;
  for (std::size_t first = 0; first < count; first += kStretch) {
    const auto length = static_cast<std::uint32_t>(std::min(kStretch, count - first));
    std::uint32_t inside = 0, beyond = 0;
#pragma omp simd reduction(+ : inside, beyond)
    for (std::uint32_t i = 0; i < length; ++i) {
      inside += mask[first + i];
      beyond += mask[first + i] != 0 ? i : 0U;
    }
    sums.inside += inside;
    sums.columns += beyond + std::uint64_t{first} * inside;
  }
  return sums;
}

template <bool kTwo>
HWY_INLINE void take(const ColumnWeights& columns, std::size_t begin, std::size_t end,
                     const float* values, const float* others, float* to, float* others_to) {
  static_assert(kColumnBlock % kBlock == 0);
  for (std::size_t u = begin; u < end; u += kBlock) {
    const Ints first = hn::LoadU(kInts, columns.first.data() + u);
    Floats sum = hn::Zero(kFloats), others_sum = sum;
    for (std::size_t k = 0; k < columns.most; ++k) {
      const Floats weight = hn::LoadU(kFloats, columns.weight.data() + k * columns.pixels + u);
      sum = hn::Add(sum, hn::Mul(weight, hn::GatherIndex(kFloats, values + k, first)));
      if constexpr (kTwo) {
        others_sum =
            hn::Add(others_sum, hn::Mul(weight, hn::GatherIndex(kFloats, others + k, first)));
      }
    }
    hn::StoreU(sum, kFloats, to + u);
    if constexpr (kTwo) hn::StoreU(others_sum, kFloats, others_to + u);
  }
}

void take_columns(const ColumnWeights& columns, std::size_t begin, std::size_t end,
                  const float* values, const float* others, float* to, float* others_to) {
  if (others == nullptr) {
    take<false>(columns, begin, end, values, others, to, others_to);
  } else {
    take<true>(columns, begin, end, values, others, to, others_to);
  }
}

// Calls at(i) for whole blocks that cover the elements 0 to `count`, the last of which may overlap
// the one before it. Returns false if there are fewer elements than in a block.
template <class At>
HWY_INLINE bool in_blocks(std::size_t count, At at) {
  if (count < kBlock) return false;
  for (std::size_t i = 0; i + kBlock <= count; i += kBlock) at(i);
  if (count % kBlock != 0) at(count - kBlock);
  return true;
}

void scaled(const std::uint8_t* __restrict bytes, std::size_t count, float factor,
            float* __restrict to) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) to[i] = factor * static_cast<float>(bytes[i]);
}

void filter_rows(const float* const* rows, const float* weights, std::size_t radius,
                 std::size_t count, float* to) {
  const bool done = in_blocks(count, [=](std::size_t i) HWY_ATTR {
    Floats sum = hn::Mul(all(weights[0]), hn::LoadU(kFloats, rows[radius] + i));
    for (std::size_t k = 1; k <= radius; ++k) {
      const Floats pair = hn::Add(hn::LoadU(kFloats, rows[radius - k] + i),
                                  hn::LoadU(kFloats, rows[radius + k] + i));
      sum = hn::Add(sum, hn::Mul(all(weights[k]), pair));
    }
    hn::StoreU(sum, kFloats, to + i);
  });
  if (done) return;
  for (std::size_t i = 0; i < count; ++i) {
    float sum = weights[0] * rows[radius][i];
    for (std::size_t k = 1; k <= radius; ++k) {
      sum += weights[k] * (rows[radius - k][i] + rows[radius + k][i]);
    }
    to[i] = sum;
  }
}

std::size_t flat_pixels(const std::uint8_t* __restrict above, const std::uint8_t* __restrict here,
                        const std::uint8_t* __restrict below, std::size_t count, int most,
                        std::int16_t* __restrict room) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    room[i + 1] = static_cast<std::int16_t>(above[i] + below[i] - 2 * here[i]);
  }
  room[0] = room[2];
  room[count + 1] = room[count - 1];
  // In stretches that are short enough for sums in 16 bits.
  constexpr std::size_t kStretch = 4096;
  const auto least = static_cast<std::int16_t>(-most), largest = static_cast<std::int16_t>(most);
  std::size_t flat = 0;
  for (std::size_t first = 0; first < count; first += kStretch) {
    const std::size_t end = std::min(count, first + kStretch);
    std::int16_t in_stretch = 0;
#pragma omp simd reduction(+ : in_stretch)
    for (std::size_t i = first; i < end; ++i) {
      const auto second = static_cast<std::int16_t>(room[i] + room[i + 2] - 2 * room[i + 1]);
      const bool is_flat = second >= least && second <= largest;
      in_stretch = static_cast<std::int16_t>(in_stretch + (is_flat ? 1 : 0));
    }
    flat += static_cast<std::size_t>(in_stretch);
  }
  return flat;
}

void sample(const SampledPlane& plane, const SamplePositions& positions, std::size_t count,
            float* to) {
  const Ints start_x = hn::Set(kInts, positions.x), start_y = hn::Set(kInts, positions.y);
  const Ints last_x = hn::Set(kInts, plane.width - 1), last_y = hn::Set(kInts, plane.height - 1);
  const Ints half = hn::Set(kInts, 16), part = hn::Set(kInts, 31), before = hn::Set(kInts, -1);
  const Ints width = hn::Set(kInts, plane.width);
  const Floats one = all(1), of_part = all(1.0F / 32);
  const auto samples = [=](const std::int32_t* across, const std::int32_t* down) HWY_ATTR {
    const auto position = [=](Ints start, const std::int32_t* more) HWY_ATTR {
      return hn::ShiftRight<5>(hn::Add(hn::Add(start, half), hn::LoadU(kInts, more)));
    };
    const Ints x = position(start_x, across), y = position(start_y, down);
    const Ints column = hn::ShiftRight<5>(x), row = hn::ShiftRight<5>(y);
    const auto shown = hn::And(hn::And(hn::Gt(column, before), hn::Lt(column, last_x)),
                               hn::And(hn::Gt(row, before), hn::Lt(row, last_y)));
    const Ints at = hn::IfThenElseZero(shown, hn::Add(hn::Mul(row, width), column));
    const Floats right = hn::Mul(hn::ConvertTo(kFloats, hn::And(x, part)), of_part);
    const Floats below = hn::Mul(hn::ConvertTo(kFloats, hn::And(y, part)), of_part);
    const Floats left = hn::Sub(one, right), above = hn::Sub(one, below);
    const auto weighted = [=](const float* values, Floats vertical, Floats horizontal) HWY_ATTR {
      return hn::Mul(hn::GatherIndex(kFloats, values, at), hn::Mul(vertical, horizontal));
    };
    const float* values = plane.values;
    const float* next = values + plane.width;
    const Floats sum =
        hn::Add(hn::Add(hn::Add(weighted(values, above, left), weighted(values + 1, above, right)),
                        weighted(next, below, left)),
                weighted(next + 1, below, right));
    return hn::IfThenElseZero(hn::RebindMask(kFloats, shown), sum);
  };
  const bool done = in_blocks(count, [=](std::size_t i) HWY_ATTR {
    hn::StoreU(samples(positions.across + i, positions.down + i), kFloats, to + i);
  });
  if (done) return;
  std::int32_t across[kBlock] = {}, down[kBlock] = {};
  std::copy(positions.across, positions.across + count, across);
  std::copy(positions.down, positions.down + count, down);
  float out[kBlock];
  hn::StoreU(samples(across, down), kFloats, out);
  std::copy(out, out + count, to);
}

constexpr PixelKernels kTable = {grey,        likeness,    nearness,     add_masked,
                                 grey_sums,   mask_sums,   take_columns, scaled,
                                 filter_rows, flat_pixels, sample};

const PixelKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(PixelKernels, pixel_kernels)

}  // namespace leafglyph
#endif
