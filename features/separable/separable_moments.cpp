#include "features/separable/separable_moments.h"

#include <cmath>

#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {
namespace {

// Larger tables are read from memory more slowly than polynomials are made, and from these orders
// on even batches gain little from them (measured, 128 x 128 to 512 x 512 pixels): in float nothing
// at 120; in double 6 to 25 % beyond 100, where one image alone takes two to six times as long.
constexpr double kMostTableBytes = 64.0 * 1024 * 1024;

int most_table_order(Precision precision) { return precision == Precision::kFloat ? 120 : 100; }

bool has_tables(const DiskLines& lines, Precision precision) {
  if (lines.rule().order > most_table_order(precision)) return false;
  const double bytes = precision == Precision::kFloat ? TableMoments<float>::bytes(lines)
                                                      : TableMoments<double>::bytes(lines);
  return bytes <= kMostTableBytes;
}

}  // namespace

SeparableMoments::SeparableMoments(const DiskRule& rule, Precision precision) : order_(rule.order) {
  if (!has_tables(DiskLines(rule), precision)) {
    stream_ = std::make_unique<StreamMoments>(rule);
  } else if (precision == Precision::kFloat) {
    float_tables_ = std::make_unique<TableMoments<float>>(rule);
  } else {
    double_tables_ = std::make_unique<TableMoments<double>>(rule);
  }
}

double SeparableMoments::bytes(const DiskRule& rule, Precision precision) {
  const DiskLines lines(rule);
  if (!has_tables(lines, precision)) return StreamMoments::bytes(rule);
  return precision == Precision::kFloat ? TableMoments<float>::bytes(lines)
                                        : TableMoments<double>::bytes(lines);
}

std::string SeparableMoments::describe() const {
  if (float_tables_) return "separable transform, tables in float";
  return double_tables_ ? "separable transform, tables in double"
                        : "separable transform, recurrences in double";
}

// use(image number, its moments): images on one thread each where there are enough of them, else
// one after the other on all threads.
template <class Use>
void SeparableMoments::stream(const ImageBatch& images, const Use& use) {
  const std::size_t count = moment_count(Family::kZernike, order_);
  const auto threads = static_cast<std::size_t>(thread_count());
  if (images.count < threads || threads == 1) {
    std::vector<std::complex<double>> moments(count);
    for (std::size_t b = 0; b < images.count; ++b) {
      stream_->moments(images.slice(b, 1), moments, workspace_);
      use(b, moments);
    }
    return;
  }
  parallel_for_with_scratch({images.count}, [&]() -> RoundJob {
    return [&, work = StreamMoments::Workspace(),
            moments = std::vector<std::complex<double>>(count)](std::size_t b) mutable {
      stream_->moments(images.slice(b, 1), moments, work);
      use(b, moments);
    };
  });
}

void SeparableMoments::moments(const ImageBatch& images, std::span<std::complex<double>> moments) {
  if (float_tables_) return float_tables_->moments(images, moments);
  if (double_tables_) return double_tables_->moments(images, moments);
  stream(images, [&](std::size_t b, const std::vector<std::complex<double>>& values) {
    std::copy(values.begin(), values.end(),
              moments.begin() + static_cast<std::ptrdiff_t>(b * values.size()));
  });
}

void SeparableMoments::magnitudes(const ImageBatch& images, std::span<float> magnitudes) {
  if (float_tables_) return float_tables_->magnitudes(images, magnitudes);
  if (double_tables_) return double_tables_->magnitudes(images, magnitudes);
  stream(images, [&](std::size_t b, const std::vector<std::complex<double>>& values) {
    float* row = magnitudes.data() + b * values.size();
    for (std::size_t c = 0; c < values.size(); ++c)
      row[c] = static_cast<float>(std::abs(values[c]));
  });
}

}  // namespace leafglyph
