#include "features/leaf/pixel_kernels.h"

#include <algorithm>

#include "features/image/grey_value.h"
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

// A block is as many pixels as a register holds floats. No product is fused with a sum, since not
// every instruction set could.
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

// value_of(colours of a block) to every pixel of `to`; the last ones are worked in a block of their
// own.
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

// grey_of: a division by 1000 that is rounded down. Sums of products are whole numbers that floats
// hold; a half more keeps the quotient 0.0005 clear of whole numbers, sixteen times the error of
// the product.
void grey(const std::uint8_t* colours, std::size_t count, std::uint8_t* to) {
  each_block(colours, count, to, [](const Colours& c) HWY_ATTR {
    const Floats sum =
        hn::Add(hn::Add(hn::Mul(c.red, all(kRedWeight)), hn::Mul(c.green, all(kGreenWeight))),
                hn::Add(hn::Mul(c.blue, all(kBlueWeight)), all(500.5F)));
    return hn::DemoteTo(kBytes, hn::ConvertTo(kInts, hn::Mul(sum, all(0.001F))));
  });
}

void likeness(const std::uint8_t* colours, std::size_t count, const PaperColour& paper,
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

void add_bare(const std::uint8_t* __restrict grey, const std::uint8_t* __restrict covered,
              std::size_t count, float weight, float* __restrict shares, float* __restrict sums) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const float share = covered[i] == 0 ? weight : 0.0F;
    shares[i] += share;
    sums[i] += share * static_cast<float>(grey[i]);
  }
}

constexpr PixelKernels kTable = {grey, likeness, add_bare};

const PixelKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {
HWY_EXPORT(table);
}

const PixelKernels& pixel_kernels() { return HWY_DYNAMIC_DISPATCH(table)(); }

}  // namespace leafglyph
#endif
