// Whole images and volumes as inputs of the row pipeline, and rows of their moments.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "classify/rows/row_pipeline.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// An image, a channel of one, or a volume.
template <class Pixel>
class PixelPart : public Part {
 public:
  PixelPart(const ArraySize& image_size, std::vector<Pixel> values)
      : size(image_size), pixels(std::move(values)) {}
  /// Bytes for an image of that size until its row is made. Small images are copied next to each
  /// other.
  static std::size_t bytes(const ArraySize& size) {
    return size.elements() * sizeof(Pixel) * (is_small(size) ? 2 : 1);
  }
  std::size_t bytes() const override { return bytes(size); }
  /// Whether the moments of several images are computed in one call. A large image keeps the
  /// processor busy by itself, and copying it would take longer than the call saves.
  static bool is_small(const ArraySize& size) {
    constexpr std::size_t kSmall = std::size_t{32} << 20;
    return size.elements() * sizeof(Pixel) <= kSmall;
  }
  void drop_pixels() override { pixels = {}; }

  ArraySize size;
  std::vector<Pixel> pixels;
};

/// Rows of magnitudes (Value: float, of PixelPart<float>) or of moments (Value:
/// std::complex<double>, of PixelPart<double>). On the ball, rows of floats are the norms that
/// turning keeps.
template <class Value>
class MomentRows : public RowKind<Value> {
 public:
  explicit MomentRows(const MomentSpec& spec, std::size_t batch = 32);

  std::size_t columns() const override { return columns_; }
  std::size_t batch() const override { return batch_; }
  DeviceChoice device(const DeviceChoice& requested, std::string& reason) const override;
  /// Its rows() throws what make_moment_plan and MomentPlan throw, and InputError for an image of a
  /// size that has no such moments.
  std::unique_ptr<RowMaker<Value>> make_maker(const PlanOptions& options) const override;

 private:
  MomentSpec spec_;
  std::size_t columns_;
  std::size_t batch_;
};

}  // namespace leafglyph
