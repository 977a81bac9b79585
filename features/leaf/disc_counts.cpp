#include "features/leaf/disc_counts.h"

#include <algorithm>
#include <bit>

#include "features/base/errors.h"
#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/leaf/disc_counts.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Shared by the copies of every instruction set.
#ifndef LEAFGLYPH_LEAF_DISC_COUNTS_ONCE
#define LEAFGLYPH_LEAF_DISC_COUNTS_ONCE
namespace leafglyph {

// Rows of a window, of which the last is never in a disc.
inline constexpr std::size_t kWindowRows = 64;
static_assert(kWindowRows > 2 * kDiscReach);

/// The rows of the discs, centred in a window. Bit b of a row is the pixel b - kDiscReach columns
/// from the centre.
struct DiscRows {
  std::array<std::array<std::uint64_t, kWindowRows>, kDiscs> rows = {};

  DiscRows() {
    for (std::size_t disc = 0; disc < kDiscs; ++disc) {
      const int r = kDiscRadii[disc];
      for (int y = -r; y <= r; ++y) {
        for (int x = -r; x <= r; ++x) {
          if (x * x + y * y > r * r) continue;
          rows[disc][static_cast<std::size_t>(y + kDiscReach)] |= std::uint64_t{1}
                                                                  << (x + kDiscReach);
        }
      }
    }
  }
};

struct DiscKernels {
  // Bit i of `words` is whether coverage[i] is at least 1/2. Bits beyond `count` are 0.
  void (*bits)(std::span<const float> coverage, std::uint64_t* words);
  void (*count)(const MaskBits& mask, std::span<const MaskPoint> points, const DiscRows& discs,
                std::uint32_t* counts);
};

}  // namespace leafglyph
#endif

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::CappedTag<std::uint64_t, 8> kWords;
using Words = hn::Vec<hn::CappedTag<std::uint64_t, 8>>;

// Several rows of a window at a time: the 64 pixels of each row are cut out of two words of the
// mask, and those in a disc are counted by its bits.
void count(const MaskBits& mask, std::span<const MaskPoint> points, const DiscRows& discs,
           std::uint32_t* counts) {
  const std::size_t lanes = hn::Lanes(kWords);
  for (const MaskPoint& point : points) {
    const std::uint64_t* low = mask.window(point.column, point.row);
    const std::uint64_t* high = low + mask.next_strip();
    const int shift = point.column % 64;
    Words sums[kDiscs];
    for (Words& sum : sums) sum = hn::Zero(kWords);
    for (std::size_t row = 0; row < kWindowRows; row += lanes) {
      // Shifting by 64 bits is undefined: once by 1 and then by the rest.
      const Words above =
          hn::ShiftLeftSame(hn::ShiftLeft<1>(hn::LoadU(kWords, high + row)), 63 - shift);
      const Words pixels = hn::Or(hn::ShiftRightSame(hn::LoadU(kWords, low + row), shift), above);
      for (std::size_t disc = kDiscs; disc-- > 0;) {
        const auto first = static_cast<std::size_t>(kDiscReach - kDiscRadii[disc]);
        const auto last = static_cast<std::size_t>(kDiscReach + kDiscRadii[disc]);
        if (row > last || row + lanes <= first) break;  // nor in any smaller disc
        const Words inside = hn::And(pixels, hn::LoadU(kWords, discs.rows[disc].data() + row));
        sums[disc] = hn::Add(sums[disc], hn::PopulationCount(inside));
      }
    }
    for (const Words& sum : sums) {
      *counts++ = static_cast<std::uint32_t>(hn::GetLane(hn::SumOfLanes(kWords, sum)));
    }
  }
}

void bits(std::span<const float> coverage, std::uint64_t* words) {
  constexpr hn::CappedTag<float, 16> kFloats;
  const std::size_t lanes = hn::Lanes(kFloats), count = coverage.size();
  std::fill_n(words, (count + 63) / 64, 0);
  const auto half = hn::Set(kFloats, 0.5F);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    std::uint8_t block[8] = {};
    hn::StoreMaskBits(kFloats, hn::Ge(hn::LoadU(kFloats, coverage.data() + i), half), block);
    words[i / 64] |= static_cast<std::uint64_t>(block[0] | block[1] << 8) << i % 64;
  }
  for (; i < count; ++i) {
    words[i / 64] |= std::uint64_t{coverage[i] >= 0.5F} << i % 64;
  }
}

constexpr DiscKernels kTable = {bits, count};

const DiscKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {

LEAFGLYPH_FASTEST_TABLE(DiscKernels, disc_kernels)

}  // namespace

MaskBits::MaskBits(int width, int height)
    : rows_(static_cast<std::size_t>(height) + kWindowRows),
      words_((static_cast<std::size_t>(width) / 64 + 2) * rows_) {}

void MaskBits::set_row(int row, int first, std::span<const float> coverage) {
  std::vector<std::uint64_t> bits((coverage.size() + 63) / 64);
  disc_kernels().bits(coverage, bits.data());
  const auto x = static_cast<std::size_t>(first + kDiscReach);
  std::uint64_t* words =
      words_.data() + (x / 64) * rows_ + static_cast<std::size_t>(row + kDiscReach);
  for (std::size_t i = 0; i < bits.size(); ++i, words += rows_) {
    words[0] |= bits[i] << x % 64;
    // Shifting by 64 bits is undefined: once by 1 and then by the rest.
    if (const std::uint64_t beyond = bits[i] >> 1 >> (63 - x % 64); beyond != 0)
      words[rows_] |= beyond;
  }
}

// The neighbours of the 64 pixels of a word: shifted by one, and the words of the rows beside it.
std::vector<MaskPoint> MaskBits::outline() const {
  std::vector<MaskPoint> points;
  const std::size_t strips = words_.size() / rows_;
  for (std::size_t strip = 0; strip < strips; ++strip) {
    for (std::size_t row = 1; row + 1 < rows_; ++row) {
      const std::size_t here = strip * rows_ + row;
      const std::uint64_t word = words_[here];
      if (word == 0) continue;
      const std::uint64_t before = strip > 0 ? words_[here - rows_] >> 63 : 0;
      const std::uint64_t after = strip + 1 < strips ? words_[here + rows_] << 63 : 0;
      const std::uint64_t inner =
          (word << 1 | before) & (word >> 1 | after) & words_[here - 1] & words_[here + 1];
      for (std::uint64_t rest = word & ~inner; rest != 0; rest &= rest - 1) {
        points.push_back({static_cast<int>(64 * strip) + std::countr_zero(rest) - kDiscReach,
                          static_cast<int>(row) - kDiscReach});
      }
    }
  }
  return points;
}

void count_in_discs(const MaskBits& mask, std::span<const MaskPoint> points,
                    std::span<std::uint32_t> counts) {
  if (counts.size() != points.size() * kDiscs) {
    throw UsageError("count_in_discs: the counts do not fit the points");
  }
  static const DiscRows discs;
  disc_kernels().count(mask, points, discs, counts.data());
}

}  // namespace leafglyph
#endif
