#include "features/local/local_moments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/threads.h"
#include "features/local/local_kernels.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {
namespace {

// Writes what each site has: its numbers, or magnitudes.
template <class T>
void write_sites(const LocalTables& tables, const double* numbers, std::size_t stride,
                 std::size_t sites, T* out, std::size_t map) {
  if constexpr (std::is_same_v<T, double>) {
    for (std::size_t c = 0; c < tables.numbers.size(); ++c) {
      std::copy_n(numbers + c * stride, sites, out + c * map);
    }
  } else {
    for (std::size_t c = 0; c < tables.numbers.size(); ++c) {
      const double* const real = numbers + c * stride;
      const bool is_complex = tables.numbers[c].m > 0;
      const double* const imaginary = real + stride;
      for (std::size_t i = 0; i < sites; ++i) {
        out[i] = static_cast<float>(is_complex
                                        ? std::sqrt(real[i] * real[i] + imaginary[i] * imaginary[i])
                                        : std::abs(real[i]));
      }
      out += map;
      if (is_complex) ++c;
    }
  }
}

// The prefix sums of the rows around the current row of sites, of one piece of the columns.
class PieceRows {
 public:
  PieceRows(const LocalTables& tables, std::span<const double> image, int width, int height)
      : tables_(tables),
        image_(image),
        width_(width),
        height_(height),
        count_(2 * tables.reach + 1),
        sums_(count_ * tables.degrees * tables.row_length, 0.0),
        nothing_(tables.degrees * tables.row_length, 0.0),
        values_(tables.pixels),
        columns_(tables.pixels),
        rows_(count_) {}

  /// Goes to another piece: its first pixel is at column `left`, which may be outside the image.
  void start_piece(std::ptrdiff_t left) {
    for (std::size_t u = 0; u < columns_.size(); ++u) {
      columns_[u] = seen_at(left + static_cast<std::ptrdiff_t>(u), width_, tables_.spec.border);
    }
    next_ = kNone;
  }

  /// The rows around row `middle`, from the top. `middle` only grows within a piece.
  const double* const* around(int middle) {
    const auto reach = static_cast<std::ptrdiff_t>(tables_.reach);
    const std::ptrdiff_t top = middle - reach;
    for (std::ptrdiff_t row = std::max(top, next_); row <= middle + reach; ++row) sum_row(row);
    next_ = middle + reach + 1;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::ptrdiff_t row = top + static_cast<std::ptrdiff_t>(k);
      const bool is_there = seen_at(row, height_, tables_.spec.border) >= 0;
      rows_[k] = is_there ? slot(row) : nothing_.data();
    }
    return rows_.data();
  }

 private:
  static constexpr std::ptrdiff_t kNone = std::numeric_limits<std::ptrdiff_t>::min();

  double* slot(std::ptrdiff_t row) {
    const auto count = static_cast<std::ptrdiff_t>(count_);
    const auto number = static_cast<std::size_t>((row % count + count) % count);
    return sums_.data() + number * tables_.degrees * tables_.row_length;
  }

  void sum_row(std::ptrdiff_t row) {
    const int seen = seen_at(row, height_, tables_.spec.border);
    if (seen < 0) return;
    const double* const values =
        image_.data() + static_cast<std::size_t>(seen) * static_cast<std::size_t>(width_);
    for (std::size_t u = 0; u < values_.size(); ++u) {
      values_[u] = columns_[u] < 0 ? 0.0 : values[columns_[u]];
    }
    local_kernels().prefix_sums(tables_, values_.data(), slot(row));
  }

  const LocalTables& tables_;
  std::span<const double> image_;
  int width_;
  int height_;
  std::size_t count_;
  AlignedVector<double> sums_;  // rings of rows, row y in slot y modulo count_
  AlignedVector<double> nothing_;
  std::vector<double> values_;
  std::vector<int> columns_;  // seen at each pixel of the piece; -1: none
  std::vector<const double*> rows_;
  std::ptrdiff_t next_ = kNone;  // the first row that is not summed yet
};

// Bytes of prefix sums that a thread keeps: they are to stay in its second-level cache.
constexpr std::size_t kPrefixBytes = std::size_t{1} << 20U;

// Neighbouring pieces of the columns, whose sites are written together: maps are many, and a few
// sites of each at a time would take as long to write as to compute.
class Pieces {
 public:
  Pieces(const LocalTables& tables, std::span<const double> image, int width, int height)
      : tables_(tables),
        products_(2 * tables.degrees * tables.degrees * tables.padded_sites),
        stride_((at_a_time(tables) - 1) * tables.sites + tables.padded_sites),
        line_(tables.numbers.size() * stride_) {
    for (std::size_t k = 0; k < at_a_time(tables); ++k) {
      rows_.emplace_back(tables, image, width, height);
    }
  }

  static std::size_t at_a_time(const LocalTables& tables) {
    const std::size_t bytes =
        (2 * tables.reach + 2) * tables.degrees * tables.row_length * sizeof(double);
    return std::clamp<std::size_t>(kPrefixBytes / bytes, 1, 16);
  }

  /// Goes to the pieces from site `column` on.
  void start(std::size_t column) {
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::size_t first =
          (column + k * tables_.sites) * static_cast<std::size_t>(tables_.spec.step);
      rows_[k].start_piece(static_cast<std::ptrdiff_t>(first) -
                           static_cast<std::ptrdiff_t>(tables_.reach));
    }
  }

  /// Writes the sites of a row, the pixel row `middle`: `sites` of every map.
  template <class T>
  void write_row(int middle, std::size_t sites, T* out, std::size_t map) {
    for (std::size_t k = 0; k * tables_.sites < sites; ++k) {
      // Padding is overwritten by the next piece.
      local_kernels().numbers(tables_, rows_[k].around(middle), products_.data(),
                              line_.data() + k * tables_.sites, stride_);
    }
    write_sites(tables_, line_.data(), stride_, sites, out, map);
  }

 private:
  const LocalTables& tables_;
  std::vector<PieceRows> rows_;
  AlignedVector<double> products_;
  std::size_t stride_;
  std::vector<double> line_;  // the numbers of all pieces, each number stride_ after the one before
};

// Groups of columns and bands of rows, in parallel. A band has so many rows that those around it,
// which the next band sums again, cost little.
template <class T>
void compute_on_cpu(const LocalTables& tables, std::span<const double> image, int width, int height,
                    int columns, int first, int last, std::span<T> maps) {
  const auto step = static_cast<std::size_t>(tables.spec.step);
  const auto count = static_cast<std::size_t>(last - first);
  const auto all_columns = static_cast<std::size_t>(columns);
  const std::size_t together = tables.sites * Pieces::at_a_time(tables);
  const std::size_t groups = (all_columns + together - 1) / together;
  const std::size_t band = std::max<std::size_t>(32, 4 * tables.reach / step);
  const std::size_t bands = (count + band - 1) / band;
  const std::size_t map = count * all_columns;
  parallel_for_with_scratch({groups * bands}, [&]() -> RoundJob {
    return [&, pieces = Pieces(tables, image, width, height)](std::size_t round) mutable {
      const std::size_t column = round % groups * together;
      const std::size_t sites = std::min(together, all_columns - column);
      pieces.start(column);
      const std::size_t from = round / groups * band;
      for (std::size_t row = from; row < std::min(from + band, count); ++row) {
        const int middle = static_cast<int>((static_cast<std::size_t>(first) + row) * step);
        pieces.write_row(middle, sites, maps.data() + row * all_columns + column, map);
      }
    };
  });
}

void check_call(std::span<const double> image, std::size_t pixels, int first, int last, int rows,
                std::size_t maps, std::size_t wanted) {
  if (image.size() != pixels) {
    throw UsageError("an image of " + std::to_string(image.size()) + " values instead of " +
                     std::to_string(pixels));
  }
  if (first < 0 || last < first || last > rows) {
    throw UsageError("rows " + std::to_string(first) + " to " + std::to_string(last) +
                     "; local moments have rows 0 to " + std::to_string(rows));
  }
  if (maps != wanted) {
    throw UsageError("room for " + std::to_string(maps) + " numbers instead of " +
                     std::to_string(wanted));
  }
  // One that is not would spread along its row.
  if (!std::all_of(image.begin(), image.end(), [](double value) { return std::isfinite(value); })) {
    throw InputError("the image has values that are not finite; local moments need them all");
  }
}

}  // namespace

int seen_at(std::ptrdiff_t at, int length, LocalBorder border) {
  if (at >= 0 && at < length) return static_cast<int>(at);
  if (border == LocalBorder::kZero) return -1;
  if (length == 1) return 0;
  const std::ptrdiff_t period = 2 * (static_cast<std::ptrdiff_t>(length) - 1);
  const std::ptrdiff_t within = (at % period + period) % period;
  return static_cast<int>(std::min(within, period - within));
}

LocalMoments::LocalMoments(const LocalSpec& spec, int width, int height)
    : tables_(spec), width_(width), height_(height) {
  if (std::min(width, height) < 1 || std::max(width, height) > kMaxAxisLength) {
    throw UsageError("local moments of an image of " + std::to_string(width) + " x " +
                     std::to_string(height) + " pixels; use 1 to " +
                     std::to_string(kMaxAxisLength) + " per side");
  }
}

std::size_t LocalMoments::moment_count() const {
  return moment_indices(Family::kZernike, tables_.spec.order).size();
}

std::string LocalMoments::describe() const {
  return "CPU, order " + std::to_string(tables_.spec.order) + " about every " +
         (tables_.spec.step == 1 ? "pixel" : std::to_string(tables_.spec.step) + "-th pixel") +
         ", " + std::to_string(thread_count()) + " threads";
}

void LocalMoments::moments(std::span<const double> image, int first, int last,
                           std::span<double> maps) const {
  const auto sites =
      static_cast<std::size_t>(std::max(last - first, 0)) * static_cast<std::size_t>(columns());
  check_call(image, static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), first,
             last, rows(), maps.size(), sites * numbers().size());
  compute(image, first, last, maps);
}

void LocalMoments::magnitudes(std::span<const double> image, int first, int last,
                              std::span<float> maps) const {
  const auto sites =
      static_cast<std::size_t>(std::max(last - first, 0)) * static_cast<std::size_t>(columns());
  check_call(image, static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), first,
             last, rows(), maps.size(), sites * moment_count());
  compute(image, first, last, maps);
}

void LocalMoments::compute(std::span<const double> image, int first, int last,
                           std::span<double> maps) const {
  compute_on_cpu(tables_, image, width_, height_, columns(), first, last, maps);
}

void LocalMoments::compute(std::span<const double> image, int first, int last,
                           std::span<float> maps) const {
  compute_on_cpu(tables_, image, width_, height_, columns(), first, last, maps);
}

}  // namespace leafglyph
