#include "classify/glyph/glyph_windows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/parallel_for.h"
#include "features/distance/pairwise_kernels.h"

namespace leafglyph {
namespace {

constexpr double kProfileSize = 24.0;  // glyph size that a profile's lengths refer to
constexpr std::size_t kLaneBlock = 16;
constexpr std::size_t kGlyphsATime = 8;  // that a thread takes together

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

GlyphWindows::GlyphWindows(const GlyphProfile& profile, int glyph_size) : glyph_size_(glyph_size) {
  validate(profile);
  const double scale = glyph_size / kProfileSize;
  window_size_ = std::max(2, static_cast<int>(std::lround(profile.window * scale)));
  const auto step = std::max(1, static_cast<int>(std::lround(scale)));
  const double middle = (glyph_size - window_size_) / 2.0;
  for (int j = 0; j < profile.grid; ++j) {
    for (int i = 0; i < profile.grid; ++i) {
      const auto place = [&](int number) {
        const double across = profile.grid == 1 ? 0.0 : 2.0 * number / (profile.grid - 1) - 1.0;
        return static_cast<int>(std::lround(middle + across * profile.reach * scale));
      };
      corners_.push_back({place(j), place(i)});
    }
  }
  moves_.push_back({0, 0});
  for (int dj = -profile.shift; dj <= profile.shift; ++dj) {
    for (int di = -profile.shift; di <= profile.shift; ++di) {
      if (dj != 0 || di != 0) moves_.push_back({dj * step, di * step});
    }
  }
  int outermost = 0;
  for (const Corner& corner : corners_) {
    outermost = std::max({outermost, -corner.row, corner.row + window_size_ - glyph_size});
  }
  margin_ = outermost + profile.shift * step;
  canvas_side_ = glyph_size + 2 * margin_;
  lanes_ = round_up(moves_.size(), kLaneBlock);
  build_basis(profile);
}

// Moments are linear: those of unit pixels give all others by a matrix product.
void GlyphWindows::build_basis(const GlyphProfile& profile) {
  MomentSpec spec;
  spec.family = Family::kZernike;
  spec.order = profile.order;
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  const auto engine = make_moment_plan(spec, window_size_, options);
  const auto pixels = static_cast<std::size_t>(window_size_) * window_size_;
  std::vector<double> units(pixels * pixels);
  for (std::size_t p = 0; p < pixels; ++p) units[p * pixels + p] = 1.0 / 255.0;
  std::vector<std::complex<double>> moments(pixels * engine->moment_count());
  engine->moments(ImageBatch(std::span<const double>(units), pixels, window_size_), moments);
  for (std::size_t c = 0; c < engine->moment_count(); ++c) {
    const auto [n, m] = engine->indices()[c];
    const double weight = std::exp(-std::pow(n / profile.falloff, 2)) *
                          std::sqrt(std::numbers::pi / (n + 1) * (m > 0 ? 2 : 1)) * window_size_ /
                          2.0;
    for (int part = 0; part < (m > 0 ? 2 : 1); ++part) {
      for (std::size_t p = 0; p < pixels; ++p) {
        const std::complex<double> moment = moments[p * engine->moment_count() + c];
        basis_.push_back(static_cast<float>(weight * (part == 0 ? moment.real() : moment.imag())));
      }
      ++length_;
    }
  }
}

std::size_t GlyphWindows::length_to(int order) const {
  std::size_t length = 0;
  for (const MomentIndex& index : moment_indices(Family::kZernike, order)) {
    length += index.m > 0 ? 2 : 1;
  }
  return std::min(length, length_);
}

void GlyphWindows::fill_canvas(const std::uint8_t* ink, std::vector<float>& canvas) const {
  canvas.assign(static_cast<std::size_t>(canvas_side_) * canvas_side_, 0.0F);
  for (int j = 0; j < glyph_size_; ++j) {
    float* row = canvas.data() + (j + margin_) * canvas_side_ + margin_;
    for (int i = 0; i < glyph_size_; ++i) row[i] = static_cast<float>(ink[j * glyph_size_ + i]);
  }
}

void GlyphWindows::copy_patch(const std::vector<float>& canvas, const Corner& corner,
                              const Corner& move, float* patch) const {
  const float* source = canvas.data() + (corner.row + move.row + margin_) * canvas_side_ +
                        corner.column + move.column + margin_;
  for (int j = 0; j < window_size_; ++j) {
    std::copy_n(source + j * canvas_side_, window_size_, patch + j * window_size_);
  }
}

std::vector<float> GlyphWindows::multiply(const std::vector<float>& patches) const {
  const auto pixels = static_cast<std::size_t>(window_size_) * window_size_;
  const std::size_t count = patches.size() / pixels;
  std::vector<float> rows(count * length_);
  add_product_nt(count, length_, pixels, patches.data(), pixels, basis_.data(), pixels, rows.data(),
                 length_);
  return rows;
}

void GlyphWindows::fixed(std::span<const std::uint8_t> ink, std::span<float> fixed) const {
  const auto area = static_cast<std::size_t>(glyph_size_) * glyph_size_;
  const auto pixels = static_cast<std::size_t>(window_size_) * window_size_;
  const std::size_t count = ink.size() / area;
  parallel_for({count, kGlyphsATime, /*serial=*/kGlyphsATime}, [&](std::size_t glyph) {
    std::vector<float> canvas;
    fill_canvas(ink.data() + glyph * area, canvas);
    std::vector<float> patches(windows() * pixels);
    for (std::size_t w = 0; w < windows(); ++w) {
      copy_patch(canvas, corners_[w], moves_.front(), patches.data() + w * pixels);
    }
    const std::vector<float> rows = multiply(patches);
    std::copy(rows.begin(), rows.end(), fixed.begin() + glyph * dimension());
  });
}

// Each glyph has a product of its own, always of the same shape, so that its moments are the same
// to the last bit whichever glyphs it is prepared with.
void GlyphWindows::moved(std::span<const std::uint8_t> ink, std::span<float> moved) const {
  const auto area = static_cast<std::size_t>(glyph_size_) * glyph_size_;
  const auto pixels = static_cast<std::size_t>(window_size_) * window_size_;
  const std::size_t count = ink.size() / area;
  const std::size_t positions = moves_.size();
  parallel_for({count, kGlyphsATime, /*serial=*/kGlyphsATime}, [&](std::size_t glyph) {
    std::vector<float> canvas;
    fill_canvas(ink.data() + glyph * area, canvas);
    std::vector<float> patches(windows() * positions * pixels);
    for (std::size_t p = 0; p < windows() * positions; ++p) {
      copy_patch(canvas, corners_[p / positions], moves_[p % positions],
                 patches.data() + p * pixels);
    }
    const std::vector<float> rows = multiply(patches);
    float* out = moved.data() + glyph * dimension() * lanes_;
    for (std::size_t w = 0; w < windows(); ++w) {
      for (std::size_t k = 0; k < length_; ++k, out += lanes_) {
        for (std::size_t s = 0; s < lanes_; ++s) {
          out[s] = rows[(w * positions + (s < positions ? s : 0)) * length_ + k];
        }
      }
    }
  });
}

double GlyphWindows::distance(std::span<const float> moved_a,
                              std::span<const float> moved_b) const {
  const auto smallest = pairwise_kernels().smallest_square;
  const std::size_t block = length_ * lanes_;
  double sum = 0.0;
  for (std::size_t w = 0; w < windows(); ++w) {
    const float* a = moved_a.data() + w * block;
    const float* b = moved_b.data() + w * block;
    sum += std::sqrt(static_cast<double>(smallest(a, b, length_, lanes_))) +
           std::sqrt(static_cast<double>(smallest(b, a, length_, lanes_)));
  }
  return sum / (2.0 * static_cast<double>(windows()));
}

}  // namespace leafglyph
