#include "classify/glyph/glyph_windows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/distance/pairwise_kernels.h"

namespace leafglyph {
namespace {

constexpr double kProfileSize = 24.0;  // glyph size that a profile's lengths refer to
constexpr std::size_t kLaneBlock = 16;
constexpr std::size_t kGlyphsATime = 8;  // that a thread processes together
// The nearest positions that a search tries, and how many of them the kernel processes at a time.
constexpr std::size_t kSoughtPositions = 12;
constexpr std::size_t kPositionsATime = 4;

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

GlyphWindows::GlyphWindows(const GlyphProfile& profile, int glyph_size) : glyph_size_(glyph_size) {
  validate(profile);
  const double scale = glyph_size / kProfileSize;
  saturation_ = profile.saturation * scale;
  window_size_ = std::max(2, static_cast<int>(std::lround(profile.window * scale)));
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
  std::vector<int> steps;  // fewer for small glyphs: equal steps are merged
  for (int step = -profile.shift; step <= profile.shift; ++step) {
    const auto pixels = static_cast<int>(std::lround(step * scale));
    if (steps.empty() || steps.back() != pixels) steps.push_back(pixels);
  }
  moves_.push_back({0, 0});
  for (const int down : steps) {
    for (const int across : steps) {
      if (down != 0 || across != 0) moves_.push_back({down, across});
    }
  }
  std::stable_sort(moves_.begin(), moves_.end(), [](const Corner& a, const Corner& b) {
    return std::hypot(a.row, a.column) < std::hypot(b.row, b.column);
  });
  int outermost = 0;
  for (const Corner& corner : corners_) {
    outermost = std::max({outermost, -corner.row, corner.row + window_size_ - glyph_size});
  }
  margin_ = outermost + steps.back();
  canvas_side_ = glyph_size + 2 * margin_;
  lanes_ = round_up(moves_.size(), kLaneBlock);
  build_basis(profile);
}

// Computes the weighted moments of unit pixels. Moments are linear, so those of any window are the
// product of its pixels and this basis.
void GlyphWindows::build_basis(const GlyphProfile& profile) {
  MomentSpec spec;
  spec.family = Family::kZernike;
  spec.order = profile.order;
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  const auto pixels = static_cast<std::size_t>(window_size_) * window_size_;
  options.images = pixels;
  const auto engine = make_moment_plan(spec, window_size_, options);
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

GlyphWindows::Layout GlyphWindows::layout() const {
  Layout layout{window_size_, {}, {}, basis_, saturation_};
  for (const Corner& corner : corners_) layout.corners.push_back({corner.row, corner.column});
  for (const Corner& move : moves_) layout.moves.push_back({move.row, move.column});
  return layout;
}

void GlyphWindows::fill_canvas(const std::uint8_t* ink, std::vector<float>& canvas) const {
  canvas.assign(static_cast<std::size_t>(canvas_side_) * canvas_side_, 0.0F);
  for (int j = 0; j < glyph_size_; ++j) {
    float* row = canvas.data() + (j + margin_) * canvas_side_ + margin_;
    for (int i = 0; i < glyph_size_; ++i) row[i] = static_cast<float>(ink[j * glyph_size_ + i]);
  }
}

// Uses a product of the same shape for every position and glyph, so that equal patches have equal
// moments to the last bit.
void GlyphWindows::project(const std::vector<float>& canvas, const Corner& move, std::size_t kept,
                           std::vector<float>& rows) const {
  const auto pixels = static_cast<std::size_t>(window_size_) * window_size_;
  std::vector<float> patches(windows() * pixels);
  float* patch = patches.data();
  for (const Corner& corner : corners_) {
    const float* source = canvas.data() + (corner.row + move.row + margin_) * canvas_side_ +
                          corner.column + move.column + margin_;
    for (int j = 0; j < window_size_; ++j, patch += window_size_) {
      std::copy_n(source + j * canvas_side_, window_size_, patch);
    }
  }
  rows.assign(windows() * kept, 0.0F);
  add_product_nt(windows(), kept, pixels, patches.data(), pixels, basis_.data(), pixels,
                 rows.data(), kept);
}

void GlyphWindows::fixed(std::span<const std::uint8_t> ink, std::span<float> fixed) const {
  const auto area = static_cast<std::size_t>(glyph_size_) * glyph_size_;
  const std::size_t count = ink.size() / area;
  parallel_for({count, kGlyphsATime, /*serial=*/kGlyphsATime}, [&](std::size_t glyph) {
    std::vector<float> canvas;
    std::vector<float> rows;
    fill_canvas(ink.data() + glyph * area, canvas);
    project(canvas, moves_.front(), length_, rows);
    std::copy(rows.begin(), rows.end(), fixed.begin() + glyph * dimension());
  });
}

void GlyphWindows::moved(std::span<const std::uint8_t> ink, std::span<float> moved) const {
  std::vector<float> canvas;
  std::vector<float> rows;
  fill_canvas(ink.data(), canvas);
  for (std::size_t s = 0; s < lanes_; ++s) {
    if (s < moves_.size()) project(canvas, moves_[s], length_, rows);
    const std::size_t from = s < moves_.size() ? 0 : dimension();  // repeats of position 0
    for (std::size_t c = 0; c < dimension(); ++c) {
      moved[c * lanes_ + s] = from == 0 ? rows[c] : moved[c * lanes_];
    }
  }
}

GlyphWindows::Sought GlyphWindows::sought(std::span<const std::uint8_t> ink, int order) const {
  Sought glyph;
  glyph.kept_ = length_to(order);
  glyph.positions_ = round_up(std::min(moves_.size(), kSoughtPositions), kPositionsATime);
  glyph.doubled_.resize(windows() * glyph.positions_ * glyph.kept_);
  glyph.squares_.resize(windows() * glyph.positions_);
  std::vector<float> canvas;
  std::vector<float> rows;
  fill_canvas(ink.data(), canvas);
  for (std::size_t s = 0; s < glyph.positions_; ++s) {
    project(canvas, moves_[s < moves_.size() ? s : 0], glyph.kept_, rows);
    for (std::size_t w = 0; w < windows(); ++w) {
      const float* row = rows.data() + w * glyph.kept_;
      float* doubled = glyph.doubled_.data() + (w * glyph.positions_ + s) * glyph.kept_;
      float& square = glyph.squares_[w * glyph.positions_ + s];
      for (std::size_t k = 0; k < glyph.kept_; ++k) {
        doubled[k] = -2.0F * row[k];
        square += row[k] * row[k];
      }
    }
  }
  return glyph;
}

double GlyphWindows::saturated(double square) const {
  return saturation_ > 0 ? 1.0 - std::exp(-square / (saturation_ * saturation_))
                         : std::sqrt(square);
}

double GlyphWindows::one_way(std::span<const float> moved_a, std::span<const float> fixed_b) const {
  const auto smallest = pairwise_kernels().smallest_square;
  double sum = 0.0;
  for (std::size_t w = 0; w < windows(); ++w) {
    sum += saturated(static_cast<double>(smallest(moved_a.data() + w * length_ * lanes_,
                                                  fixed_b.data() + w * length_, length_, lanes_)));
  }
  return sum / static_cast<double>(windows());
}

void GlyphWindows::search(const Sought& glyph, const float* rows, std::size_t stride,
                          std::span<float> sums) const {
  const auto add_nearest = pairwise_kernels().add_nearest;
  const auto limit = static_cast<float>(saturation_ * saturation_);
  for (std::size_t w = 0; w < windows(); ++w) {
    const SoughtWindow window{glyph.doubled_.data() + w * glyph.positions_ * glyph.kept_,
                              glyph.squares_.data() + w * glyph.positions_, glyph.positions_,
                              glyph.kept_};
    add_nearest(window, rows + w * glyph.kept_ * stride, stride, sums.size(), limit, sums.data());
  }
}

}  // namespace leafglyph
