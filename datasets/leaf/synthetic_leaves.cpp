#include "datasets/leaf/synthetic_leaves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "datasets/leaf/augmented_copy.h"
#include "datasets/leaf/leaf_dataset.h"
#include "datasets/leaf/leaf_outline.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/image_io/encode_image.h"
#include "features/leaf/leaf_colour.h"

namespace leafglyph {
namespace {

constexpr int kWidth = 640, kHeight = 480;
constexpr int kFractionBits = 4;   // of the drawing coordinates
constexpr double kLens = 0.6;      // deviation of the camera's blur, in pixels
constexpr double kPatches = 0.06;  // spread of the logarithms of a leaf's colours across it

/// Leaf coordinates to pixels: the midrib is bent to an arc, then rotated, scaled and moved.
class Placement {
 public:
  Placement(const std::vector<Point>& outline, Point stalk_end, RandomNumbers& random)
      : bend_(random.normal(0, 0.12)), turn_(random.uniform(0, 2 * std::numbers::pi)) {
    Point low = turned(stalk_end), high = low;
    for (const Point& p : outline) {
      const Point q = turned(p);
      low = {std::min(low.x, q.x), std::min(low.y, q.y)};
      high = {std::max(high.x, q.x), std::max(high.y, q.y)};
    }
    // The largest size that fits with a free rim, times a natural spread of sizes.
    const double room = 0.9;
    const double fit =
        std::min(room * kWidth / (high.x - low.x), room * kHeight / (high.y - low.y));
    scale_ = std::min(fit, 460.0) * random.uniform(0.75, 1.0);
    const double slack_x = 0.5 * (room * kWidth - scale_ * (high.x - low.x));
    const double slack_y = 0.5 * (room * kHeight - scale_ * (high.y - low.y));
    shift_ = {0.5 * kWidth - 0.5 * scale_ * (low.x + high.x) + random.uniform(-slack_x, slack_x),
              0.5 * kHeight - 0.5 * scale_ * (low.y + high.y) + random.uniform(-slack_y, slack_y)};
  }

  double scale() const { return scale_; }

  cv::Point pixel(const Point& p) const {
    const Point q = turned(p);
    constexpr double kOne = 1 << kFractionBits;
    return {static_cast<int>(std::lround((scale_ * q.x + shift_.x) * kOne)),
            static_cast<int>(std::lround((scale_ * q.y + shift_.y) * kOne))};
  }
  std::vector<cv::Point> pixels(const std::vector<Point>& points) const {
    std::vector<cv::Point> result;
    result.reserve(points.size());
    for (const Point& p : points) result.push_back(pixel(p));
    return result;
  }

 private:
  Point turned(const Point& p) const {
    const double y = p.y + bend_ * p.x * (1 - p.x);
    return {p.x * std::cos(turn_) - y * std::sin(turn_),
            p.x * std::sin(turn_) + y * std::cos(turn_)};
  }

  double bend_, turn_, scale_ = 1;
  Point shift_;
};

// Smooth random shading: an enlarged coarse grid of normal values.
cv::Mat shading(int columns, int rows, double sigma, RandomNumbers& random) {
  cv::Mat coarse(rows, columns, CV_32F), fine;
  for (int i = 0; i < rows * columns; ++i) {
    coarse.ptr<float>()[i] = static_cast<float>(random.normal(0, sigma));
  }
  cv::resize(coarse, fine, {kWidth, kHeight}, 0, 0, cv::INTER_CUBIC);
  return fine;
}

// Coverage 0..1 of the blade and its stalk.
cv::Mat draw_blade(const std::vector<Point>& outline, const LeafShape& shape,
                   const Placement& place) {
  cv::Mat picture(kHeight, kWidth, CV_8U, cv::Scalar(0));
  const std::vector<std::vector<cv::Point>> polygon = {place.pixels(outline)};
  cv::fillPoly(picture, polygon, cv::Scalar(255), cv::LINE_AA, kFractionBits);
  const int thickness = std::max(2, static_cast<int>(std::lround(0.014 * place.scale())));
  cv::line(picture, place.pixel({0.03, 0}), place.pixel({-shape.stalk, 0}), cv::Scalar(255),
           thickness, cv::LINE_AA, kFractionBits);
  cv::Mat coverage;
  picture.convertTo(coverage, CV_32F, 1.0 / 255);
  return coverage;
}

// The share of each pixel covered by veins, 0..1.
cv::Mat draw_veins(const LeafShape& shape, const Placement& place, RandomNumbers& random) {
  cv::Mat picture(kHeight, kWidth, CV_8U, cv::Scalar(0));
  for (const Vein& vein : leaf_veins(shape, random)) {
    const double thickness = 0.012 * vein.thickness * place.scale();
    // A line thinner than a pixel is drawn one pixel wide and fainter.
    const double strength = std::min(1.0, 0.35 + 0.65 * thickness);
    cv::polylines(picture, std::vector<std::vector<cv::Point>>{place.pixels(vein.path)}, false,
                  cv::Scalar(255 * strength), std::max(1, static_cast<int>(std::lround(thickness))),
                  cv::LINE_AA, kFractionBits);
  }
  cv::Mat result;
  cv::GaussianBlur(picture, picture, {0, 0}, 0.8);
  picture.convertTo(result, CV_32F, 1.0 / 255);
  return result;
}

/// The photographed scene, before the camera's noise.
struct DrawnScene {
  cv::Mat grey;
  cv::Mat coverage;  ///< of each pixel by the leaf, 0..1
};

DrawnScene draw_scene(const LeafShape& shape, RandomNumbers& random) {
  const std::vector<Point> outline = leaf_outline(shape, random);
  const Placement place(outline, {-shape.stalk, 0}, random);
  const cv::Mat coverage = draw_blade(outline, shape, place);
  const cv::Mat veins = draw_veins(shape, place, random);

  // One draw per statement: the compiler decides the order within a statement.
  const double paper = random.uniform(222, 242);
  cv::Mat background = shading(3, 3, 4, random) + paper;
  cv::Mat shadow;
  cv::GaussianBlur(coverage, shadow, {0, 0}, 6);
  background -= 14 * shadow;
  const cv::Mat fine = shading(40, 30, 2.5, random);
  const cv::Mat blade = shading(5, 4, 5, random) + fine + shape.tone + shape.vein_contrast * veins;
  return {background + coverage.mul(blade - background), coverage};
}

void check_spec(const SyntheticSpec& spec) {
  const int most = synthetic_species_count() - spec.first;
  if (spec.first < 0 || spec.species < 1 || spec.species > most) {
    throw UsageError("species is " + std::to_string(spec.species) + "; it must lie in 1.." +
                     std::to_string(most));
  }
  if (spec.leaves_per_species < 1 || spec.leaves_per_species > kMaxGeneratedLeaves) {
    throw UsageError("leaves_per_species is " + std::to_string(spec.leaves_per_species) +
                     "; it must lie in 1.." + std::to_string(kMaxGeneratedLeaves));
  }
}

void check_leaf(int species, int leaf) {
  if (species < 0 || species >= synthetic_species_count() || leaf < 0) {
    throw UsageError("there is no generated leaf " + std::to_string(leaf) + " of species " +
                     std::to_string(species));
  }
}

RandomNumbers numbers_of(int species, int leaf, std::uint64_t seed) {
  // One stream per leaf, so that leaves can be drawn in any order.
  RandomNumbers streams(seed);
  return RandomNumbers(streams.bits() ^ (static_cast<std::uint64_t>(species) << 32 |
                                         static_cast<std::uint64_t>(leaf)) *
                                            0x9e3779b97f4a7c15u);
}

// The scene including the blur of the lens.
DrawnScene scene_of(int species, RandomNumbers& random) {
  const LeafShape shape = varied(leaf_shapes()[static_cast<std::size_t>(species)], random);
  DrawnScene scene = draw_scene(shape, random);
  cv::GaussianBlur(scene.grey, scene.grey, {0, 0}, kLens);
  return scene;
}

std::uint8_t with_noise(double value, RandomNumbers& random) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value + random.normal(0, 2)), 0L, 255L));
}

}  // namespace

int synthetic_species_count() { return static_cast<int>(leaf_shapes().size()); }

LeafDataset synthetic_leaves(const SyntheticSpec& spec) {
  check_spec(spec);
  LeafDataset dataset;
  dataset.seed = spec.seed;
  dataset.colours = spec.colours;
  dataset.first_species = spec.first;
  dataset.description = "generated leaves: " + std::to_string(spec.species) + " species, " +
                        std::to_string(spec.leaves_per_species) + " leaves of each, seed " +
                        std::to_string(spec.seed);
  if (spec.colours != DrawnColours::kNone) {
    dataset.description += ", colours: " + std::string(name_of(spec.colours));
  }
  const std::vector<LeafShape> shapes = leaf_shapes();
  for (int s = 0; s < spec.species; ++s) {
    dataset.class_names.emplace_back(shapes[static_cast<std::size_t>(spec.first + s)].name);
    for (int i = 0; i < spec.leaves_per_species; ++i) {
      dataset.samples.push_back({.file = {}, .generated = i, .label = s});
    }
  }
  dataset.scientific_names.resize(dataset.class_names.size());
  dataset.chinese_names.resize(dataset.class_names.size());
  return dataset;
}

Image<std::uint8_t> draw_synthetic_leaf(int species, int leaf, std::uint64_t seed) {
  check_leaf(species, leaf);
  RandomNumbers random = numbers_of(species, leaf, seed);
  const DrawnScene scene = scene_of(species, random);
  Image<std::uint8_t> photograph(kWidth, kHeight);
  for (std::size_t i = 0; i < photograph.size(); ++i) {
    photograph.data()[i] = with_noise(scene.grey.ptr<float>()[i], random);
  }
  return photograph;
}

namespace {

/// Factors of red, green and blue in linear light.
struct SceneTones {
  Tint leaf;   ///< of the leaf's reflectance; keeps the luminance of the grey leaf
  Tint paper;  ///< of the paper, relative to white
  Tint lamp;   ///< of the light
};

constexpr std::uint64_t kSpeciesSeed = 20;  // a species keeps its colours whatever the leaves' seed

Tint leaf_tone(int species, RandomNumbers& random) {
  RandomNumbers own = RandomNumbers::stream(kSpeciesSeed, static_cast<std::size_t>(species));
  const double red = std::log(0.75) + own.normal(0, 0.12) + random.normal(0, 0.07);
  const double blue = std::log(0.5) + own.normal(0, 0.15) + random.normal(0, 0.09);
  const double r = std::exp(red), b = std::exp(blue);
  // The luminance weights of linear sRGB.
  const double luminance = 0.2126 * r + 0.7152 + 0.0722 * b;
  return {r / luminance, 1 / luminance, b / luminance};
}

/// The tones of one leaf. Green is 1; the logarithms of red and blue are normal. The means of a
/// species are themselves normal about log 0.75 and log 0.5, with deviations 0.12 and 0.15; its
/// leaves vary about those means by 0.07 and 0.09, so that neighbouring species overlap. For
/// kDaylight the lamp's warmth has deviation 0.05 and the paper's 0.01. For kLamps they are uniform
/// in -0.6..0.6 and -0.06..0.06, and the greenness has deviation 0.08.
SceneTones scene_tones(int species, DrawnColours colours, RandomNumbers& random) {
  const Tint leaf = leaf_tone(species, random);
  if (colours == DrawnColours::kLamps) {
    const double warmth = random.uniform(-0.6, 0.6), greenness = random.normal(0, 0.08);
    return {leaf, tint_of(random.uniform(-0.06, 0.06), 0), tint_of(warmth, greenness)};
  }
  const double warmth = random.normal(0, 0.05);
  return {leaf, tint_of(random.normal(0, 0.01), 0), tint_of(warmth, 0)};
}

}  // namespace

Photograph draw_synthetic_leaf(int species, int leaf, std::uint64_t seed, DrawnColours colours) {
  if (colours == DrawnColours::kNone) return {draw_synthetic_leaf(species, leaf, seed)};
  check_leaf(species, leaf);
  RandomNumbers random = numbers_of(species, leaf, seed);
  DrawnScene scene = scene_of(species, random);
  cv::GaussianBlur(scene.coverage, scene.coverage, {0, 0}, kLens);
  const SceneTones tones = scene_tones(species, colours, random);
  const cv::Mat redder = shading(4, 3, kPatches, random), bluer = shading(4, 3, kPatches, random);
  std::vector<std::uint8_t> pixels;
  pixels.reserve(3 * scene.grey.total());
  for (std::size_t i = 0; i < scene.grey.total(); ++i) {
    const Tint patch = {std::exp(redder.ptr<float>()[i]), 1, std::exp(bluer.ptr<float>()[i])};
    const double light = linear_light(std::clamp(scene.grey.ptr<float>()[i], 0.0F, 255.0F));
    const double of_leaf = scene.coverage.ptr<float>()[i];
    for (std::size_t c = 0; c < 3; ++c) {
      const double tone = of_leaf * tones.leaf[c] * patch[c] + (1 - of_leaf) * tones.paper[c];
      pixels.push_back(
          with_noise(encoded_light(std::min(1.0, light * tone * tones.lamp[c])), random));
    }
  }
  return colour_photograph(kWidth, kHeight, std::move(pixels));
}

Photograph drawn_photograph(const LeafDataset& dataset, const LeafSample& leaf) {
  return draw_synthetic_leaf(dataset.first_species + leaf.label, leaf.generated, dataset.seed,
                             dataset.colours);
}

bool is_drawn_leaf(const std::filesystem::path& file) {
  if (!is_regular(file)) return false;
  std::array<char, 100> head{};
  const FileHandle handle = open_input(file);
  const std::size_t count = std::fread(head.data(), 1, head.size(), handle.get());
  return begins_as_png_of({head.data(), count}, kDrawnSource);
}

bool is_drawn_leaf(const LeafSample& sample) {
  return sample.generated >= 0 || is_drawn_leaf(sample.file);
}

}  // namespace leafglyph
