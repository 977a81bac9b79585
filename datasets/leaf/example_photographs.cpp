#include "datasets/leaf/example_photographs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/leaf/leaf_outline.h"
#include "datasets/leaf/perturbation.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/leaf/leaf_colour.h"

namespace leafglyph {
namespace {

// Any leaf is suitable; this one lies oblique and has room around it.
constexpr int kDrawnSpecies = 6, kLeaf = 3;
constexpr std::uint64_t kSeed = 1;
constexpr int kPaperAbove = 170;  // grey values; the generated leaves are darker

using Picture = Image<std::uint8_t>;

cv::Mat pixels_of(Picture& picture) {
  return {picture.height(), picture.width(), CV_8U, picture.data()};
}
// The same of the photograph's colours.
cv::Mat colours_of(Photograph& photograph) {
  return {photograph.grey.height(), photograph.grey.width(), CV_8UC3, photograph.colour.data()};
}
// Does the same to the grey values and to the colours.
template <class Change>
void change_both(Photograph& photograph, const Change& change) {
  change(pixels_of(photograph.grey));
  change(colours_of(photograph));
}

Picture mask_of(const Picture& picture) {
  Picture mask(picture.width(), picture.height());
  std::ranges::transform(picture.pixels(), mask.pixels().begin(), [](std::uint8_t value) {
    return static_cast<std::uint8_t>(value < kPaperAbove);
  });
  return mask;
}

// Sets a pixel to a grey value.
void paint(Photograph& photograph, std::size_t pixel, std::uint8_t value) {
  photograph.grey.data()[pixel] = value;
  std::fill_n(photograph.colour.begin() + static_cast<std::ptrdiff_t>(3 * pixel), 3, value);
}

// A drawn leaf, green on white paper: what is dark is the leaf, as bright as it was drawn.
Photograph leaf(int number = kLeaf) {
  constexpr std::array<double, 3> kGreen = {0.45, 1, 0.3};  // in linear light
  constexpr double kLuminance = 0.2126 * kGreen[0] + 0.7152 * kGreen[1] + 0.0722 * kGreen[2];
  constexpr double kAllLeaf = 140, kAllPaper = 200;  // grey values
  Photograph photograph{draw_synthetic_leaf(kDrawnSpecies, number, kSeed)};
  for (const std::uint8_t value : photograph.grey.pixels()) {
    const double covered = std::clamp((kAllPaper - value) / (kAllPaper - kAllLeaf), 0.0, 1.0);
    for (const double tone : kGreen) {
      const double light = linear_light(value) * (1 + covered * (tone / kLuminance - 1));
      photograph.colour.push_back(static_cast<std::uint8_t>(std::lround(encoded_light(light))));
    }
  }
  return photograph;
}

Photograph after(std::string_view perturbation) {
  const Photograph plain = leaf();
  const Picture mask = mask_of(plain.grey);
  const auto found = std::ranges::find(perturbations(), perturbation,
                                       [](const Perturbation& p) { return p.name; });
  const auto which = static_cast<std::size_t>(found - perturbations().begin());
  Photograph photograph = perturbed(plain, mask, which, kSeed);
  photograph.grey = perturbed(Photograph{plain.grey}, mask, which, kSeed).grey;
  return photograph;
}

// Shifted to the right until part of the leaf is outside the frame.
Photograph beyond_the_frame() {
  Photograph photograph = leaf();
  const Picture mask = mask_of(photograph.grey);
  int last = mask.width() - 1;
  const auto has_leaf = [&](int column) {
    for (int row = 0; row < mask.height(); ++row) {
      if (mask.at(row, column) != 0) return true;
    }
    return false;
  };
  while (!has_leaf(last)) --last;
  const int move = mask.width() - last + mask.width() / 8;
  const cv::Mat shift = (cv::Mat_<double>(2, 3) << 1, 0, move, 0, 1, 0);
  change_both(photograph, [&](cv::Mat pixels) {
    cv::warpAffine(pixels.clone(), pixels, shift, pixels.size(), cv::INTER_NEAREST,
                   cv::BORDER_REPLICATE);
  });
  return photograph;
}

Photograph out_of_focus() {
  Photograph photograph = leaf();
  change_both(photograph, [](cv::Mat pixels) { cv::GaussianBlur(pixels, pixels, {0, 0}, 22); });
  return photograph;
}

// Two leaves of half the size side by side.
Photograph two_leaves() {
  Photograph both = leaf(), first = both, second = leaf(kLeaf + 1);
  for (std::size_t i = 0; i < both.grey.size(); ++i) paint(both, i, 232);
  const cv::Size half(both.grey.width() / 2, both.grey.height() / 2);
  int left = 0;
  for (Photograph* one : {&first, &second}) {
    const cv::Rect place({left, half.height / 2}, half);
    const auto put = [&](const cv::Mat& from, const cv::Mat& to) {
      cv::Mat small;
      cv::resize(from, small, half, 0, 0, cv::INTER_AREA);
      small.copyTo(to(place));
    };
    put(pixels_of(one->grey), pixels_of(both.grey));
    put(colours_of(*one), colours_of(both));
    left += half.width;
  }
  return both;
}

// On cloth with stripes as dark as the leaf.
Photograph on_stripes() {
  Photograph photograph = leaf();
  const Picture mask = mask_of(photograph.grey);
  constexpr int kPeriod = 64;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const auto width = static_cast<std::size_t>(mask.width());
    const bool dark = (i / width + i % width) % kPeriod < kPeriod / 2;
    if (mask.data()[i] == 0 && dark) paint(photograph, i, 90);
  }
  return photograph;
}

// On ground that is hardly lighter than the leaf.
Photograph on_dark_ground() {
  Photograph photograph = leaf();
  Picture& picture = photograph.grey;
  const Picture mask = mask_of(picture);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    sum += mask.data()[i] != 0 ? picture.data()[i] : 0;
    count += mask.data()[i];
  }
  const double mean = sum / count;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    if (mask.data()[i] != 0) continue;
    const double value = std::clamp(mean + 8 + (picture.data()[i] - 232), 0.0, 255.0);
    paint(photograph, i, static_cast<std::uint8_t>(value));
  }
  return photograph;
}

struct ExampleDrawing {
  ExamplePhotograph text;
  Photograph (*draw)();
};

constexpr std::array<ExampleDrawing, 10> kExampleDrawings = {{
    {{"plain-paper", true, "one leaf, flat, whole, on plain paper"}, [] { return leaf(); }},
    {{"any-direction", true, "in any direction"}, [] { return after("rotation"); }},
    {{"light-from-a-side", true, "light that fades to half across the picture"},
     [] { return after("light to 50 %"); }},
    {{"in-half-shadow", true, "half of it in a soft shadow"}, [] { return after("half shadow"); }},
    {{"beyond-the-frame", false, "part of the leaf is outside the frame"}, beyond_the_frame},
    {{"out-of-focus", false, "out of focus"}, out_of_focus},
    {{"two-leaves", false, "two leaves: only one is identified without --every-leaf"}, two_leaves},
    {{"on-stripes", false, "on cloth with stripes as dark as the leaf"}, on_stripes},
    {{"on-dark-ground", false, "on a background as dark as the leaf"}, on_dark_ground},
    {{"no-leaf", false, "paper without a leaf"},
     [] {
       Picture picture(640, 480);
       Picture small = draw_leafless(2, kSeed);
       cv::resize(pixels_of(small), pixels_of(picture), {640, 480}, 0, 0, cv::INTER_LINEAR);
       return Photograph{std::move(picture)};
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

Photograph draw_example(std::size_t which) {
  if (which >= kExampleDrawings.size()) throw UsageError("there is no such example");
  return kExampleDrawings[which].draw();
}

namespace {

constexpr int kLeaflessWidth = 320, kLeaflessHeight = 240;

void draw_noise(cv::Mat& picture, RandomNumbers& random) {
  for (int i = 0; i < kLeaflessWidth * kLeaflessHeight; ++i) {
    picture.ptr<float>()[i] = static_cast<float>(random.uniform(0, 255));
  }
}

void draw_clouds(cv::Mat& picture, RandomNumbers& random) {
  draw_noise(picture, random);
  cv::GaussianBlur(picture, picture, {0, 0}, random.uniform(3, 20));
  cv::normalize(picture, picture, 20, 235, cv::NORM_MINMAX);
}

void draw_paper(cv::Mat& picture, RandomNumbers& random) {
  draw_noise(picture, random);
  cv::GaussianBlur(picture, picture, {0, 0}, random.uniform(0.5, 2));
  cv::normalize(picture, picture, -12, 12, cv::NORM_MINMAX);
  const double across = random.uniform(-80, 80), down = random.uniform(-60, 60);
  for (int row = 0; row < kLeaflessHeight; ++row) {
    for (int column = 0; column < kLeaflessWidth; ++column) {
      picture.at<float>(row, column) +=
          static_cast<float>(190 + across * (column - 0.5 * kLeaflessWidth) / kLeaflessWidth +
                             down * (row - 0.5 * kLeaflessHeight) / kLeaflessHeight);
    }
  }
}

void draw_letters(cv::Mat& picture, RandomNumbers& random) {
  picture = 235;
  constexpr std::string_view kLetters = "ABDEFGHKMNPQRSTUWXYZ23456789&%";
  const int count = 1 + static_cast<int>(random.uniform(0, 4));
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += kLetters[static_cast<std::size_t>(
        random.uniform(0, static_cast<double>(kLetters.size()) - 1e-9))];
  }
  const int thickness = static_cast<int>(random.uniform(4, 16));
  cv::Size size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, 1, 1, nullptr);
  const double scale =
      std::min(0.75 * kLeaflessWidth / size.width, 0.7 * kLeaflessHeight / size.height);
  size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, scale, thickness, nullptr);
  cv::putText(
      picture, text, {(kLeaflessWidth - size.width) / 2, (kLeaflessHeight + size.height) / 2},
      cv::FONT_HERSHEY_SIMPLEX, scale, cv::Scalar(random.uniform(10, 90)), thickness, cv::LINE_AA);
}

// Tools, coins, stones: convex objects in plain or speckled grey.
void draw_things(cv::Mat& picture, RandomNumbers& random) {
  picture = random.uniform(210, 245);
  const cv::Point2f centre(static_cast<float>(random.uniform(0.4, 0.6) * kLeaflessWidth),
                           static_cast<float>(random.uniform(0.4, 0.6) * kLeaflessHeight));
  const cv::Size2f size(static_cast<float>(random.uniform(60, 200)),
                        static_cast<float>(random.uniform(40, 120)));
  const cv::RotatedRect box(centre, size, static_cast<float>(random.uniform(0, 180)));
  const cv::Scalar tone(random.uniform(30, 150));
  if (random.uniform(0, 1) < 0.5) {
    cv::Point2f corners[4];
    box.points(corners);
    std::vector<cv::Point> polygon;
    for (const cv::Point2f& corner : corners) polygon.emplace_back(corner);
    cv::fillConvexPoly(picture, polygon, tone, cv::LINE_AA);
  } else {
    cv::ellipse(picture, box, tone, cv::FILLED, cv::LINE_AA);
  }
  cv::Mat speckle(kLeaflessHeight, kLeaflessWidth, CV_32F);
  draw_noise(speckle, random);
  cv::GaussianBlur(speckle, speckle, {0, 0}, 1.5);
  picture += (speckle - 127.5) * random.uniform(0, 0.6);
}

// A wall of bricks or a fence: lines from border to border.
void draw_stripes(cv::Mat& picture, RandomNumbers& random) {
  const double angle = random.uniform(0, std::numbers::pi);
  const double period = random.uniform(12, 90), share = random.uniform(0.3, 0.7);
  const double dark = random.uniform(30, 110), bright = random.uniform(160, 240);
  for (int row = 0; row < kLeaflessHeight; ++row) {
    for (int column = 0; column < kLeaflessWidth; ++column) {
      const double phase = (column * std::cos(angle) + row * std::sin(angle)) / period;
      picture.at<float>(row, column) =
          static_cast<float>(phase - std::floor(phase) < share ? dark : bright);
    }
  }
  cv::GaussianBlur(picture, picture, {0, 0}, 1);
}

struct LeaflessDrawing {
  Perturbation text;
  void (*draw)(cv::Mat&, RandomNumbers&);
};

constexpr std::array<LeaflessDrawing, 6> kLeaflessDrawings = {{
    {{"noise alone", "every pixel random"}, draw_noise},
    {{"clouds", "noise blurred by 3 to 20 pixels"}, draw_clouds},
    {{"bare paper", "uneven light on paper"}, draw_paper},
    {{"letters", "one to four letters"}, draw_letters},
    {{"things", "a rectangle or an ellipse, plain or speckled"}, draw_things},
    {{"stripes", "bars from border to border"}, draw_stripes},
}};

constexpr auto kLeafless = [] {
  std::array<Perturbation, kLeaflessDrawings.size()> texts{};
  std::ranges::transform(kLeaflessDrawings, texts.begin(),
                         [](const auto& drawing) { return drawing.text; });
  return texts;
}();

}  // namespace

std::span<const Perturbation> leafless_pictures() { return kLeafless; }

Image<std::uint8_t> draw_leafless(std::size_t kind, std::uint64_t seed) {
  if (kind >= kLeaflessDrawings.size()) throw UsageError("there is no such kind of picture");
  RandomNumbers random = RandomNumbers::stream(seed, kind);
  cv::Mat picture(kLeaflessHeight, kLeaflessWidth, CV_32F);
  kLeaflessDrawings[kind].draw(picture, random);
  Image<std::uint8_t> result(kLeaflessWidth, kLeaflessHeight);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.data()[i] = cv::saturate_cast<std::uint8_t>(picture.ptr<float>()[i]);
  }
  return result;
}

}  // namespace leafglyph
