#include "features/plan/moment_plan.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/moments/ball_grid.h"
#include "features/moments/disk_grid.h"

namespace leafglyph {
namespace {

bool is_finite(const std::complex<double>& z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

// Without a branch per number.
template <class Real>
bool all_finite(std::span<const Real> values) {
  bool finite = true;
  for (const Real value : values) finite &= std::abs(value) <= std::numeric_limits<Real>::max();
  return finite;
}
bool all_finite(std::span<const std::complex<double>> moments) {
  return all_finite(std::span(reinterpret_cast<const double*>(moments.data()), 2 * moments.size()));
}

void lower(std::atomic<std::size_t>& least, std::size_t to) {
  std::size_t before = least;
  while (to < before && !least.compare_exchange_weak(before, to)) {
  }
}

// Numbers that one thread looks at or weights in some 10 microseconds.
constexpr std::size_t kPart = std::size_t{1} << 14;

// Calls use(first, last) for parts of `length` elements of 0 to count - 1.
template <class Use>
void by_parts(std::size_t count, std::size_t length, const Use& use) {
  constexpr double kNanosecondsOfPart = 10'000;
  parallel_for({.count = (count + length - 1) / length, .nanoseconds = kNanosecondsOfPart},
               [&](std::size_t part) { use(part * length, std::min(count, (part + 1) * length)); });
}

// The first image whose moments are not all finite, or `images` if there is none. A value that is
// not finite affects the first moments of its image, one that is too large for double the last
// ones.
template <class T>
std::size_t first_non_finite(std::span<const T> values, std::size_t images) {
  constexpr std::size_t kLooked = 64;
  const std::size_t row = values.size() / images;
  const std::size_t looked = std::min(row, kLooked);
  std::atomic<std::size_t> first = images;
  // A batch of millions of images is no longer in the cache.
  by_parts(images, kPart / looked + 1, [&](std::size_t from, std::size_t to) {
    for (std::size_t b = from; b < to; ++b) {
      const auto of_image = values.subspan(b * row, row);
      if (all_finite(of_image.first(looked)) && all_finite(of_image.last(looked))) continue;
      return lower(first, b);
    }
  });
  return first;
}

// The value of an element by its number, counted row by row.
double pixel_of(const ImageBatch& image, std::size_t p) {
  const auto width = static_cast<std::size_t>(image.size.width);
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(p / width) * image.row_step() +
                            static_cast<std::ptrdiff_t>(p % width);
  return with_pixels(image.type, image.pixels,
                     [&](const auto* pixels) { return static_cast<double>(pixels[at]); });
}

// The weight of a moment of repetition m in the sum of Re(Z V).
double weight_of(int m, Repetitions repetitions) {
  switch (repetitions) {
    case Repetitions::kAll:
      return m == 0 ? 1.0 : 2.0;
    case Repetitions::kZero:
      return m == 0 ? 1.0 : 0.0;
    case Repetitions::kNonNegative:
    case Repetitions::kNonPositive:
      return 1.0;
    case Repetitions::kPositive:
    case Repetitions::kNegative:
      break;
  }
  return m == 0 ? 0.0 : 1.0;
}

}  // namespace

MomentPlan::MomentPlan(const MomentSpec& spec, const ArraySize& size, TransformMakers makers)
    : spec_(spec), size_(size), makers_(std::move(makers)) {
  validate(spec, size);
  moment_count_ = leafglyph::moment_count(spec, size);
  if (!size.is_volume()) indices_ = moment_indices(spec);
  if (!has_complex_moments(spec.family)) return;
  repetitions_.reserve(moment_count_);
  if (size.is_volume()) {
    for (const VolumeMomentIndex& index : volume_moment_indices(spec)) {
      repetitions_.push_back(index.back());
    }
  } else {
    for (const MomentIndex& index : indices_) repetitions_.push_back(index.m);
  }
}

ForwardTransform& MomentPlan::forward() {
  if (!forward_) {
    const SmallTeams teams(makers_.most_threads);
    forward_ = makers_.forward();
  }
  return *forward_;
}

BackwardTransform& MomentPlan::backward() {
  if (!backward_) {
    const SmallTeams teams(makers_.most_threads);
    backward_ = makers_.backward();
  }
  return *backward_;
}

void MomentPlan::prepare(Direction direction) {
  if (direction == Direction::kMoments) {
    forward();
  } else {
    backward();
  }
}

std::string MomentPlan::describe(Direction direction) {
  const std::string made =
      direction == Direction::kMoments ? forward().describe() : backward().describe();
  return makers_.choice ? made + "; " + makers_.choice(direction) : made;
}

const Image<unsigned char>& MomentPlan::mask() {
  if (!mask_) {
    if (is_circular(spec_.family) && is_inscribed_textbook(spec_.convention)) {
      mask_ = DiskGrid(size_.width, spec_).mask();
    } else if (size_.is_volume()) {
      mask_.emplace();
    } else {
      mask_.emplace(size_.width, size_.height, /*value=*/1);
    }
  }
  return *mask_;
}

bool MomentPlan::reads(const ImageBatch& images) {
  if (images.is_adjacent()) return true;
  // Transforms number the pixels of an image in 32 bits.
  constexpr std::ptrdiff_t kFarthest = std::numeric_limits<std::int32_t>::max();
  return !images.size.is_volume() &&
         std::abs(images.row_step()) <= kFarthest / (images.size.height + 1) &&
         forward().reads_rows_apart();
}

void MomentPlan::check_batch(const ImageBatch& images, std::size_t outputs) {
  if (images.count == 0) throw UsageError("a batch of 0 images has no moments");
  if (images.size != size_) {
    throw UsageError("the plan was made for arrays of " + leafglyph::describe(size_) + ", not " +
                     leafglyph::describe(images.size));
  }
  if (outputs != images.count * moment_count_) {
    throw UsageError("room for " + std::to_string(outputs) + " moments, but " +
                     std::to_string(images.count) + " images have " +
                     std::to_string(images.count * moment_count_));
  }
  if (!reads(images)) {
    throw UsageError("rows or images that are not adjacent are not read by this plan (" +
                     describe() + "); copy them one after another");
  }
}

void MomentPlan::report_non_finite(const ImageBatch& images, std::size_t image) {
  const std::string batch =
      images.count > 1 ? "image " + std::to_string(image) + " of the batch: " : std::string();
  if (images.memory == MemoryKind::kHost && is_floating(images.type)) {
    const ImageBatch one = images.slice(image, 1);
    const auto width = static_cast<std::size_t>(size_.width);
    const auto height = static_cast<std::size_t>(size_.height);
    std::optional<BallGrid> ball;
    if (is_spherical(spec_.family)) ball.emplace(size_);
    for (std::size_t p = 0; p < one.pixels_per_image(); ++p) {
      const bool counts = ball ? ball->contains(p) : size_.is_volume() || mask().data()[p] != 0;
      if (!counts || std::isfinite(pixel_of(one, p))) continue;
      const std::string slice = size_.is_volume()
                                    ? "slice " + std::to_string(p / (width * height)) + ", "
                                    : std::string();
      throw InputError(batch + "the value in " + slice + "row " +
                       std::to_string(p / width % height) + ", column " +
                       std::to_string(p % width) + " is not a finite number");
    }
  }
  throw InputError(batch + "the values are so large that their moments are not finite");
}

void MomentPlan::moments(const ImageBatch& images, std::span<std::complex<double>> out) {
  const SmallTeams teams(makers_.most_threads);
  check_batch(images, out.size());
  forward().compute_moments(images, out);
  // A pixel that is not finite makes every moment of its image non-finite, and checking the moments
  // is cheaper.
  const std::size_t bad =
      first_non_finite(std::span<const std::complex<double>>(out), images.count);
  if (bad < images.count) report_non_finite(images, bad);
}

void MomentPlan::magnitudes(const ImageBatch& images, std::span<float> out) {
  const SmallTeams teams(makers_.most_threads);
  check_batch(images, out.size());
  forward().compute_magnitudes(images, out);
  const std::size_t bad = first_non_finite(std::span<const float>(out), images.count);
  if (bad < images.count) report_non_finite(images, bad);
}

void MomentPlan::report_non_finite_moment(std::span<const std::complex<double>> of_image,
                                          std::size_t first) const {
  const auto bad =
      std::find_if(of_image.begin() + static_cast<std::ptrdiff_t>(first), of_image.end(),
                   [](const std::complex<double>& z) { return !is_finite(z); });
  const auto c = static_cast<std::size_t>(bad - of_image.begin());
  const std::string which = size_.is_volume() ? "number " + std::to_string(c)
                                              : "n = " + std::to_string(indices_[c].n) +
                                                    ", m = " + std::to_string(indices_[c].m);
  throw InputError("the moment " + which + " is not a finite number");
}

std::span<const std::complex<double>> MomentPlan::weighted(
    std::span<const std::complex<double>> moments, const MomentSelection& selection) {
  // The selected orders are contiguous. Moments that are not selected may be NaN.
  const std::size_t first = moment_count_to(spec_, size_, selection.first_order - 1);
  const std::size_t last = moment_count_to(spec_, size_, selection.last_order);
  const bool conjugates = has_complex_moments(spec_.family);
  const bool as_they_are = !conjugates && first == 0;
  weighted_.resize(as_they_are ? 0 : moments.size());
  const std::size_t images = moments.size() / moment_count_;
  const std::size_t selected = last - first;
  const std::size_t parts = std::max<std::size_t>(1, (selected + kPart - 1) / kPart);  // an image
  std::atomic<std::size_t> bad = images;
  const auto weight_part = [&](std::size_t image, std::size_t part) {
    const std::size_t from = first + part * kPart;
    const std::size_t to = std::min(last, from + kPart);
    const auto of_image = moments.subspan(image * moment_count_, moment_count_);
    if (!std::ranges::all_of(of_image.subspan(from, to - from), is_finite)) lower(bad, image);
    if (as_they_are) return;
    const auto out = std::span(weighted_).subspan(image * moment_count_, moment_count_);
    for (std::size_t c = from; c < to; ++c) {
      const double weight = conjugates ? weight_of(repetitions_[c], selection.repetitions) : 1.0;
      out[c] = weight * of_image[c];
    }
    if (from == first) std::ranges::fill(out.first(first), 0.0);
    if (to == last) std::ranges::fill(out.subspan(last), 0.0);
  };
  const std::size_t together = std::max<std::size_t>(1, kPart / std::max<std::size_t>(1, selected));
  by_parts(images * parts, together, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) weight_part(i / parts, i % parts);
  });
  if (bad < images) {
    report_non_finite_moment(moments.subspan(bad * moment_count_, last), first);
  }
  return as_they_are ? moments : weighted_;
}

void MomentPlan::reconstruct(std::span<const std::complex<double>> moments,
                             const MomentSelection& selection, std::span<double> images) {
  const std::size_t count = moments.size() / moment_count_;
  if (count == 0 || moments.size() != count * moment_count_) {
    throw UsageError(std::to_string(moments.size()) + " moments, but " +
                     leafglyph::describe(spec_) + " has " + std::to_string(moment_count_) +
                     " an image");
  }
  if (images.size() != count * size_.elements()) {
    throw UsageError("room for " + std::to_string(images.size()) + " values, but " +
                     std::to_string(count) + " of " + leafglyph::describe(size_) + " have " +
                     std::to_string(count * size_.elements()));
  }
  if (selection.first_order < 0 || selection.last_order < selection.first_order ||
      selection.last_order > top_order(spec_)) {
    throw UsageError("orders " + std::to_string(selection.first_order) + " to " +
                     std::to_string(selection.last_order) + " are not a range within 0 to " +
                     std::to_string(top_order(spec_)));
  }
  if (!has_complex_moments(spec_.family) && selection.repetitions != Repetitions::kAll) {
    throw UsageError(std::string(family_name(spec_.family)) +
                     " moments have no repetitions to choose from; use all");
  }
  const SmallTeams teams(makers_.most_threads);
  const std::span<const std::complex<double>> selected = weighted(moments, selection);
  backward().compute_images(selected, count, selection.last_order, images);
}

}  // namespace leafglyph
