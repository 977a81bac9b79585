#include "datasets/leaf/example_photographs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "datasets/leaf/leafless_pictures.h"
#include "datasets/leaf/perturbation.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Any leaf would do; this one lies askew and has room around it.
constexpr int kDrawnSpecies = 6, kLeaf = 3;
constexpr std::uint64_t kSeed = 1;
constexpr int kPaperAbove = 170;  // grey values; the drawn leaves are darker

using Picture = Image<std::uint8_t>;

Picture leaf(int number = kLeaf) { return draw_synthetic_leaf(kDrawnSpecies, number, kSeed); }

cv::Mat pixels_of(Picture& picture) {
  return {picture.height(), picture.width(), CV_8U, picture.data()};
}

Picture mask_of(const Picture& picture) {
  Picture mask(picture.width(), picture.height());
  std::ranges::transform(picture.pixels(), mask.pixels().begin(), [](std::uint8_t value) {
    return static_cast<std::uint8_t>(value < kPaperAbove);
  });
  return mask;
}

Picture after(std::string_view perturbation) {
  const Picture plain = leaf();
  const auto found = std::ranges::find(perturbations(), perturbation,
                                       [](const Perturbation& p) { return p.name; });
  return perturbed(Photograph{plain}, mask_of(plain),
                   static_cast<std::size_t>(found - perturbations().begin()), kSeed)
      .grey;
}

// Moved so far to the right that a part of the leaf is beyond the frame.
Picture beyond_the_frame() {
  Picture picture = leaf();
  const Picture mask = mask_of(picture);
  int last = picture.width() - 1;
  const auto has_leaf = [&](int column) {
    for (int row = 0; row < mask.height(); ++row) {
      if (mask.at(row, column) != 0) return true;
    }
    return false;
  };
  while (!has_leaf(last)) --last;
  const int move = picture.width() - last + picture.width() / 8;
  cv::Mat moved;
  const cv::Mat shift = (cv::Mat_<double>(2, 3) << 1, 0, move, 0, 1, 0);
  cv::warpAffine(pixels_of(picture), moved, shift, {picture.width(), picture.height()},
                 cv::INTER_NEAREST, cv::BORDER_REPLICATE);
  moved.copyTo(pixels_of(picture));
  return picture;
}

Picture out_of_focus() {
  Picture picture = leaf();
  cv::GaussianBlur(pixels_of(picture), pixels_of(picture), {0, 0}, 22);
  return picture;
}

// Two leaves of half the size beside each other.
Picture two_leaves() {
  Picture first = leaf(), second = leaf(kLeaf + 1);
  Picture picture(first.width(), first.height(), 232);
  const cv::Size half(first.width() / 2, first.height() / 2);
  int left = 0;
  for (Picture* one : {&first, &second}) {
    cv::Mat small;
    cv::resize(pixels_of(*one), small, half, 0, 0, cv::INTER_AREA);
    small.copyTo(pixels_of(picture)(cv::Rect({left, half.height / 2}, half)));
    left += half.width;
  }
  return picture;
}

// On cloth with stripes as dark as the leaf.
Picture on_stripes() {
  Picture picture = leaf();
  const Picture mask = mask_of(picture);
  constexpr int kPeriod = 64;
  for (int row = 0; row < picture.height(); ++row) {
    for (int column = 0; column < picture.width(); ++column) {
      const bool dark = (row + column) % kPeriod < kPeriod / 2;
      if (mask.at(row, column) == 0 && dark) picture.at(row, column) = 90;
    }
  }
  return picture;
}

// On ground that is hardly lighter than it.
Picture on_dark_ground() {
  Picture picture = leaf();
  const Picture mask = mask_of(picture);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    sum += mask.data()[i] != 0 ? picture.data()[i] : 0;
    count += mask.data()[i];
  }
  const double mean = sum / count;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    if (mask.data()[i] != 0) continue;
    picture.data()[i] =
        static_cast<std::uint8_t>(std::clamp(mean + 8 + (picture.data()[i] - 232), 0.0, 255.0));
  }
  return picture;
}

struct ExampleDrawing {
  ExamplePhotograph text;
  Picture (*draw)();
};

constexpr std::array<ExampleDrawing, 10> kExampleDrawings = {{
    {{"plain-paper", true, "one leaf, flat, whole, on plain paper"}, [] { return leaf(); }},
    {{"any-direction", true, "in any direction"}, [] { return after("rotation"); }},
    {{"light-from-a-side", true, "light that falls off to a half across the picture"},
     [] { return after("light to 50 %"); }},
    {{"in-half-shadow", true, "half of it in a soft shadow"}, [] { return after("half shadow"); }},
    {{"beyond-the-frame", false, "a part of the leaf is beyond the frame"}, beyond_the_frame},
    {{"out-of-focus", false, "out of focus"}, out_of_focus},
    {{"two-leaves", false, "two leaves: only one is named, but for --every-leaf"}, two_leaves},
    {{"on-stripes", false, "on cloth with stripes as dark as the leaf"}, on_stripes},
    {{"on-dark-ground", false, "on ground as dark as the leaf"}, on_dark_ground},
    {{"no-leaf", false, "paper without a leaf"},
     [] {
       Picture picture(640, 480);
       Picture small = draw_leafless(2, kSeed);
       cv::resize(pixels_of(small), pixels_of(picture), {640, 480}, 0, 0, cv::INTER_LINEAR);
       return picture;
     }},
}};

constexpr auto texts() {
  std::array<ExamplePhotograph, kExampleDrawings.size()> all{};
  std::ranges::transform(kExampleDrawings, all.begin(),
                         [](const ExampleDrawing& drawing) { return drawing.text; });
  return all;
}
constexpr auto kTexts = texts();

}  // namespace

std::span<const ExamplePhotograph> example_photographs() { return kTexts; }

Image<std::uint8_t> draw_example(std::size_t which) {
  if (which >= kExampleDrawings.size()) throw UsageError("there is no such example");
  return kExampleDrawings[which].draw();
}

}  // namespace leafglyph
