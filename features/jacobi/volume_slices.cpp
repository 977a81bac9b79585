#include "features/jacobi/volume_slices.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/moments/axis_tables.h"

namespace leafglyph {

VolumeSlices::VolumeSlices(const MomentSpec& spec, const ArraySize& size)
    : spec_(spec), size_(size), lengths_{size.width, size.height, size.depth} {
  if (!size.is_volume()) {
    throw UsageError("slices come from moments of volumes, not of " + describe(size));
  }
  for (const Axis axis : {Axis::kX, Axis::kY, Axis::kZ}) {
    values_[static_cast<std::size_t>(axis)] = axis_tables(spec, size, axis).values;
  }
}

// The moments summed over the degree across the slice, at [row degree * (order + 1) + column
// degree], for the degrees along the slice's rows and columns.
std::vector<double> VolumeSlices::summed_across(std::span<const std::complex<double>> moments,
                                                Axis axis, int position) const {
  const auto count = static_cast<std::size_t>(spec_.order) + 1;
  const auto across = static_cast<std::size_t>(axis);
  std::vector<double> there(count);
  for (std::size_t d = 0; d < count; ++d) {
    there[d] = values_[across][d * static_cast<std::size_t>(lengths_[across]) +
                               static_cast<std::size_t>(position)];
  }
  std::vector<double> sums(count * count);
  std::size_t c = 0;
  for (std::size_t total = 0; total < count; ++total) {
    for (std::size_t o = 0; o <= total; ++o) {
      for (std::size_t m = 0; m <= total - o; ++m) {
        const std::size_t n = total - o - m;
        const double moment = moments[c++].real();
        switch (axis) {
          case Axis::kX:
            sums[o * count + m] += there[n] * moment;
            break;
          case Axis::kY:
            sums[o * count + n] += there[m] * moment;
            break;
          case Axis::kZ:
            sums[m * count + n] += there[o] * moment;
            break;
        }
      }
    }
  }
  return sums;
}

Image<double> VolumeSlices::slice(std::span<const std::complex<double>> moments, Axis axis,
                                  int position) const {
  check_slice(lengths_, axis, position);
  if (moments.size() != moment_count(spec_, size_)) {
    throw UsageError(std::to_string(moments.size()) + " moments instead of " +
                     std::to_string(moment_count(spec_, size_)));
  }
  const std::vector<double> sums = summed_across(moments, axis, position);
  if (!std::all_of(sums.begin(), sums.end(), [](double sum) { return std::isfinite(sum); })) {
    throw InputError("the moments of the volume are not all finite numbers");
  }
  const std::size_t columns_axis = axis == Axis::kX ? 1 : 0;
  const std::size_t rows_axis = axis == Axis::kZ ? 1 : 2;
  const auto count = static_cast<std::size_t>(spec_.order) + 1;
  const auto columns = static_cast<std::size_t>(lengths_[columns_axis]);
  const auto rows = static_cast<std::size_t>(lengths_[rows_axis]);
  std::vector<double> half(count * columns);
  add_product_nn(count, columns, count, sums.data(), count, values_[columns_axis].data(), columns,
                 half.data(), columns);
  Image<double> image(lengths_[columns_axis], lengths_[rows_axis]);
  add_product_tn(rows, columns, count, values_[rows_axis].data(), rows, half.data(), columns,
                 image.data(), columns);
  return image;
}

}  // namespace leafglyph
