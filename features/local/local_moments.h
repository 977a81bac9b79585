// Zernike moments about every pixel of an image: what the image looks like there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "features/local/local_tables.h"

namespace leafglyph {

/// Immutable; one object serves several threads. The sites are the pixels of every step-th row and
/// column, from the first on. Relative to the largest value around a circle, results are within
/// 1e-10 of the sum over its pixels.
class LocalMoments {
 public:
  /// For images of height x width pixels. Throws UsageError as validate(spec) and for a size that
  /// is not 1 to kMaxAxisLength pixels per side.
  LocalMoments(const LocalSpec& spec, int width, int height);
  virtual ~LocalMoments() = default;

  const LocalSpec& spec() const { return tables_.spec; }
  int width() const { return width_; }
  int height() const { return height_; }
  /// Of the sites.
  int rows() const { return (height_ + tables_.spec.step - 1) / tables_.spec.step; }
  int columns() const { return (width_ + tables_.spec.step - 1) / tables_.spec.step; }
  /// The numbers of a site: (order + 1)(order + 2) / 2.
  const std::vector<LocalNumber>& numbers() const { return tables_.numbers; }
  /// The moments of a site, m >= 0.
  std::size_t moment_count() const;
  /// What computes, for people.
  virtual std::string describe() const;

  /// The numbers about the sites of the rows [first, last), at maps[(c * (last - first) + row -
  /// first) * columns() + column] for number c. Strips of rows keep memory small: the maps of 1024
  /// x 1024 pixels at order 8 take 377 MB. `image` has height x width values, rows from the top.
  /// Throws UsageError when sizes or rows do not fit, InputError when a value is not finite.
  void moments(std::span<const double> image, int first, int last, std::span<double> maps) const;
  /// The magnitudes |Z_nm| of the moments, which turning the image about the site keeps, likewise.
  void magnitudes(std::span<const double> image, int first, int last, std::span<float> maps) const;

 protected:
  const LocalTables& tables() const { return tables_; }

 private:
  virtual void compute(std::span<const double> image, int first, int last,
                       std::span<double> maps) const;
  virtual void compute(std::span<const double> image, int first, int last,
                       std::span<float> maps) const;

  LocalTables tables_;
  int width_;
  int height_;
};

/// The row or column of the image that is seen at `at`, which may be beyond its `length`; -1 where
/// there is none.
int seen_at(std::ptrdiff_t at, int length, LocalBorder border);

}  // namespace leafglyph
