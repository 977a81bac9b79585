#include "features/leaf/preprocess.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "features/base/errors.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/names.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/image/image.h"
#include "features/image/resample.h"
#include "features/leaf/leaf_picture.h"
#include "features/leaf/leaf_shape.h"
#include "features/leaf/leaf_texture.h"
#include "features/leaf/outline_curvature.h"
#include "features/leaf/resample_masked.h"
#include "features/leaf/segment_leaf.h"

namespace leafglyph {
namespace {

constexpr int kSmallestImage = 16;

/// The photograph in which the leaf is searched, and the shape of its pixels.
struct WorkingImage {
  const Photograph& given;
  std::optional<Photograph> other;  ///< the photograph at another size
  double pixel_aspect = 1;          ///< width / height of a pixel, in the scene

  WorkingImage(const Photograph& photograph, int width, int height) : given(photograph) {
    if (width == given.grey.width() && height == given.grey.height()) return;
    other = resized(given, width, height);
  }
  const Photograph& photograph() const { return other ? *other : given; }
  const Image<std::uint8_t>& grey() const { return photograph().grey; }
  /// Pixels of the photograph's file per pixel of this image.
  double across() const { return given.across() * given.grey.width() / grey().width(); }
  double down() const { return given.down() * given.grey.height() / grey().height(); }
};

PictureBox file_box(const MaskBox& box, const WorkingImage& work) {
  PictureBox result;
  result.left = static_cast<int>(work.across() * box.left);
  result.top = static_cast<int>(work.down() * box.top);
  result.width = static_cast<int>(work.across() * (box.right + 1)) - result.left;
  result.height = static_cast<int>(work.down() * (box.bottom + 1)) - result.top;
  return result;
}

// A longer side of at least twice as many pixels is reduced.
int enough_pixels(const PrepareSpec& spec) {
  return static_cast<int>(std::ceil(spec.oversampling * spec.size));
}

WorkingImage working_image(const Photograph& photograph, const PrepareSpec& spec) {
  const Image<std::uint8_t>& grey = photograph.grey;
  if (spec.geometry == Geometry::kPublished) return {photograph, spec.size, spec.size};
  const int longest = std::max(grey.width(), grey.height());
  const int reduction =
      power_of_two_reduction(longest, static_cast<std::uint64_t>(enough_pixels(spec)));
  const int width = (grey.width() + reduction - 1) / reduction;
  const int height = (grey.height() + reduction - 1) / reduction;
  WorkingImage work{photograph, width, height};
  // Of the sides of this image, which are whole pixels.
  work.pixel_aspect = photograph.shape(spec.source_aspect) * height / width;
  return work;
}

/// Output pixels per pixel of the working image, along columns and rows.
struct Scale {
  double x, y;
};

// Distance from the centroid to the farthest corner of a leaf pixel, in pixel heights. The farthest
// pixel of a row is its first or its last.
double leaf_radius(const LeafRegion& region, double pixel_aspect, const MaskBox& box) {
  double farthest = 0;
  for (int row = box.top; row <= box.bottom; ++row) {
    const RowSpan span = span_of(&region.mask.at(row, 0), region.mask.width());
    if (span.first > span.last) continue;
    const double dx = std::max(region.centroid_x - span.first, span.last - region.centroid_x) + 0.5;
    const double dy = std::abs(row - region.centroid_y) + 0.5;
    farthest = std::max(farthest, std::hypot(dx * pixel_aspect, dy));
  }
  return farthest;
}

Scale scale_of(const LeafRegion& region, const WorkingImage& work, const MaskBox& box,
               const PrepareSpec& spec, std::vector<std::string>& notes) {
  double scale = std::sqrt(spec.area / (region.area * work.pixel_aspect));
  if (spec.geometry == Geometry::kShapePreserving) {
    const double room = 0.5 * spec.size - kCircleRim;
    const double radius = leaf_radius(region, work.pixel_aspect, box);
    if (scale * radius > room) {
      scale = room / radius;
      const double area = scale * scale * region.area * work.pixel_aspect;
      notes.push_back("the leaf is too long for an area of " +
                      std::to_string(static_cast<int>(spec.area)) + " pixels and was scaled to " +
                      std::to_string(static_cast<int>(area)) + " to fit");
    }
  }
  return {scale * work.pixel_aspect, scale};
}

/// The output pixels, clipped to the image, that can show part of the leaf along one axis.
struct OutputRange {
  int first, count;
};

OutputRange output_range(int input_size, double scale, double origin, double centre, int size) {
  const double reach = std::max(1.0, scale) + 1;
  const double low = std::floor(centre - scale * origin - reach);
  const double high = std::ceil(centre + scale * (input_size - origin) + reach);
  const int first = static_cast<int>(std::clamp(low, 0.0, size - 1.0));
  const int last = static_cast<int>(std::clamp(high, 0.0, size - 1.0));
  return {first, last - first + 1};
}

/// The position of the leaf in the prepared image.
struct LeafPlace {
  MaskBox box;  ///< of the region
  ResampleAxis columns, rows;
  OutputRange across, down;
  std::vector<float> coverage;  ///< share of each output pixel that the leaf covers, 0..1
};

// Scales the leaf and moves its centroid to the image centre. Grey values are averaged over leaf
// pixels only, so that no background bleeds into the leaf's edge.
LeafPlace place_leaf(const LeafRegion& region, const MaskBox& box, Scale scale,
                     PreparedLeaf& leaf) {
  const int width = box.width(), height = box.height();
  const int size = leaf.grey.width();
  const double centre = 0.5 * (size - 1);
  const double x = region.centroid_x - box.left, y = region.centroid_y - box.top;
  const OutputRange across = output_range(width, scale.x, x, centre, size);
  const OutputRange down = output_range(height, scale.y, y, centre, size);
  const ResampleAxis columns{width, across.count, scale.x, x, centre - across.first};
  const ResampleAxis rows{height, down.count, scale.y, y, centre - down.first};
  std::vector<float> coverage(static_cast<std::size_t>(across.count) * down.count);
  std::vector<float> covered_grey(coverage.size());
  const auto stride = static_cast<std::size_t>(region.mask.width());
  const std::size_t corner = static_cast<std::size_t>(box.top) * stride + box.left;
  resample_masked({region.mask.data() + corner, region.grey.data() + corner, stride}, columns, rows,
                  coverage, covered_grey);
  for (int v = 0; v < down.count; ++v) {
    const float* covered = coverage.data() + static_cast<std::size_t>(v) * across.count;
    const float* sums = covered_grey.data() + static_cast<std::size_t>(v) * across.count;
    std::uint8_t* mask = &leaf.mask.at(down.first + v, across.first);
    float* grey = &leaf.grey.at(down.first + v, across.first);
    // Branch-free, so that compilers vectorise it.
    for (int u = 0; u < across.count; ++u) {
      const bool inside = covered[u] >= 0.5f;
      mask[u] = inside;
      grey[u] = inside ? sums[u] / std::max(covered[u], 0.5f) : 0;
    }
  }
  return {box, columns, rows, across, down, std::move(coverage)};
}

// Resamples a plane of the working image to the pixels where place_leaf put the leaf. As there,
// averages only include leaf pixels.
void place_plane(const Image<float>& plane, const LeafRegion& region, const LeafPlace& place,
                 const Image<std::uint8_t>& leaf, Image<float>& out) {
  const auto& [box, columns, rows, across, down, coverage] = place;
  std::vector<float> inside(static_cast<std::size_t>(box.width()) * box.height());
  for (int row = 0; row < box.height(); ++row) {
    for (int column = 0; column < box.width(); ++column) {
      const int y = box.top + row, x = box.left + column;
      if (region.mask.at(y, x) == 0) continue;
      inside[static_cast<std::size_t>(row) * box.width() + column] = plane.at(y, x);
    }
  }
  std::vector<float> sums(coverage.size());
  resample(inside, columns, rows, sums);
  for (int v = 0; v < down.count; ++v) {
    for (int u = 0; u < across.count; ++u) {
      if (leaf.at(down.first + v, across.first + u) == 0) continue;
      const std::size_t i = static_cast<std::size_t>(v) * across.count + u;
      out.at(down.first + v, across.first + u) = sums[i] / coverage[i];
    }
  }
}

PreparedLeaf prepared(LeafRegion region, const WorkingImage& work, const PrepareSpec& spec) {
  const MaskBox box = box_of(region.mask);
  PreparedLeaf leaf;
  leaf.box = file_box(box, work);
  leaf.area = region.area * work.across() * work.down();
  leaf.state = region.state;
  leaf.reason = std::move(region.reason);
  if (leaf.state == PartState::kNotALeaf) return leaf;
  leaf.notes = std::move(region.notes);
  const Scale scale = scale_of(region, work, box, spec, leaf.notes);
  leaf.grey = Image<float>(spec.size, spec.size);
  leaf.mask = Image<std::uint8_t>(spec.size, spec.size);
  const LeafPlace place = place_leaf(region, box, scale, leaf);
  if (region.colours) {
    leaf.colours = {Image<float>(spec.size, spec.size), Image<float>(spec.size, spec.size)};
    place_plane(region.colours->a, region, place, leaf.mask, leaf.colours->a);
    place_plane(region.colours->b, region, place, leaf.mask, leaf.colours->b);
  }
  if (spec.curvature) {
    const auto width = static_cast<std::size_t>(region.mask.width());
    leaf.curvature = outline_curvature({&region.mask.at(box.top, box.left), width, box.width(),
                                        box.height(), region.area, work.pixel_aspect});
  }
  if (spec.picture_side > 0) {
    leaf.picture =
        leaf_picture(work.photograph(), region.mask, work.pixel_aspect, spec.picture_side);
  }
  leaf.measures =
      measure_leaf(leaf.grey, leaf.mask, region.area / static_cast<double>(work.grey().size()));
  leaf.from_square = work.given.grey.width() == work.given.grey.height();
  leaf.from_colour = work.given.has_colour();
  leaf.warnings = work.given.notes;
  std::ranges::move(region.warnings, std::back_inserter(leaf.warnings));
  leaf.edge_width = region.edge_width;
  leaf.is_clear = region.is_clear;
  leaf.near_leaflets = region.near_leaflets;
  return leaf;
}

void show_prepared(const PreparedLeaf& leaf, StageSink& sink) {
  Image<std::uint8_t> picture(leaf.grey.width(), leaf.grey.height());
  std::transform(leaf.grey.pixels().begin(), leaf.grey.pixels().end(), picture.pixels().begin(),
                 [](float value) { return static_cast<std::uint8_t>(std::lround(value)); });
  sink.stage("4-prepared", picture);
}

// What a refused photograph was read as may be the reason.
template <class Work>
auto with_notes(const Photograph& photograph, const Work& work) {
  try {
    return work();
  } catch (const InputError& error) {
    if (photograph.notes.empty()) throw;
    std::string notes;
    for (const std::string& note : photograph.notes) notes += (notes.empty() ? "" : "; ") + note;
    throw InputError(std::string(error.what()) + " (" + notes + ")");
  }
}

bool is_aspect(double aspect) { return aspect == 0 || (aspect >= 0.01 && aspect <= 100); }

}  // namespace

PrepareSpec published_spec() {
  PrepareSpec spec;
  spec.geometry = Geometry::kPublished;
  spec.size = 256;
  spec.area = 10000;
  spec.parts = LeafParts::kAll;
  return spec;
}

double aspect_from_text(std::string_view text) {
  const auto number = [&](std::string_view part) {
    const auto value = number_in<double>(part);
    if (!value || !std::isfinite(*value)) {
      throw UsageError("'" + std::string(text) +
                       "' is not a shape; use width:height, such as 4:3, " +
                       "their quotient, or 0");
    }
    return *value;
  };
  const std::size_t colon = text.find(':');
  const double aspect = colon == std::string_view::npos
                            ? number(text)
                            : number(text.substr(0, colon)) / number(text.substr(colon + 1));
  if (!is_aspect(aspect)) {
    throw UsageError("'" + std::string(text) +
                     "': width / height must be 0 (not squeezed) or lie " + "in 0.01..100");
  }
  return aspect;
}

std::string aspect_text(double aspect) {
  constexpr int kLargestHeight = 16;
  for (int height = 1; height <= kLargestHeight && aspect > 0; ++height) {
    const double width = std::round(aspect * height);
    if (width / height == aspect) return number_text(width) + ":" + std::to_string(height);
  }
  return number_text(aspect);
}

void declare(Keys& keys, PrepareSpec& spec) {
  keys.choice("geometry", spec.geometry,
              "How the frame of a photograph becomes the prepared image: published squeezes it to "
              "a square");
  keys.unless_set(spec, spec.geometry == Geometry::kPublished ? published_spec() : PrepareSpec{});
  keys.number("size", spec.size, {kSmallestImage, kMaxPreparedSide},
              "Side of the prepared image, in pixels");
  keys.number("area", spec.area, {1.0, 1.0 * spec.size * spec.size},
              "Area of the prepared leaf, in pixels; at most size * size");
  keys.choice("background", spec.background,
              "Of the photographs; auto: either, whichever explains the photograph better");
  keys.choice("parts", spec.parts,
              "Which parts of the foreground are the leaf; leaf: the largest and its leaflets, by "
              "distance and size; together: all that may be leaves");
  keys.number("oversampling", spec.oversampling, {1, kMaxOversampling},
              "Photographs are halved first, as long as their longer side keeps size times this "
              "many pixels");
  keys.choice(
      "finder", spec.finder,
      "scene: frames, rulers and charts along the sides are left out, then as best, and with "
      "graph cuts where the background is not plain; best: the best of several ways to find "
      "the leaf, in levelled light and by colour; threshold: "
      "Otsu's threshold of the grey values");
  keys.choice("petiole", spec.petiole,
              "Whether the stalk is part of the leaf, or is taken off where there is one");
  keys.check("background", [&] {
    if (spec.finder == Finder::kThreshold && spec.background == Background::kAuto) {
      throw UsageError("auto needs finder: scene or best; state what the background is");
    }
  });
  keys.check("petiole", [&] {
    if (spec.petiole == Petiole::kCut && spec.parts == LeafParts::kAll) {
      throw UsageError(
          "cut does not go with parts: all; among several parts it is unclear which is the blade");
    }
  });
}

void validate(const PrepareSpec& spec) {
  check_keys(spec, "preparation.");
  if (!is_aspect(spec.source_aspect)) {
    throw UsageError("source_aspect is " + std::to_string(spec.source_aspect) +
                     "; it must be 0 (not squeezed) or lie in 0.01..100");
  }
  if (spec.geometry == Geometry::kPublished && spec.source_aspect != 0) {
    throw UsageError(
        "source_aspect is set, but the geometry is published, which squeezes every "
        "photograph; choose shape-preserving or leave source_aspect out");
  }
}

PrepareSpec for_sheets(PrepareSpec spec) {
  spec.oversampling = std::min<double>(2 * spec.oversampling, kMaxOversampling);
  return spec;
}

PreparedLeaf prepare_leaf(const Image<std::uint8_t>& photograph, std::string_view name,
                          const PrepareSpec& spec, StageSink* sink) {
  return prepare_leaf(Photograph{photograph}, name, spec, sink);
}

PreparedLeaf prepare_leaf(const Photograph& photograph, std::string_view name,
                          const PrepareSpec& spec, StageSink* sink) {
  validate(spec);
  if (photograph.grey.empty()) throw InputError(std::string(name) + ": the image has no pixels");
  const WorkingImage work = working_image(photograph, spec);
  LeafRegion region = with_notes(photograph, [&] {
    return segment_leaf(work.photograph(), name, spec, sink, work.pixel_aspect);
  });
  PreparedLeaf leaf = prepared(std::move(region), work, spec);
  if (sink != nullptr) show_prepared(leaf, *sink);
  return leaf;
}

std::vector<PreparedLeaf> prepare_leaves(const Photograph& photograph, std::string_view name,
                                         const PrepareSpec& spec, StageSink* sink) {
  validate(spec);
  if (photograph.grey.empty()) throw InputError(std::string(name) + ": the image has no pixels");
  const auto prepare = [&](std::vector<LeafRegion> regions, const WorkingImage& work) {
    std::vector<PreparedLeaf> leaves;
    leaves.reserve(regions.size());
    for (LeafRegion& region : regions) leaves.push_back(prepared(std::move(region), work, spec));
    return leaves;
  };
  const WorkingImage finer = working_image(photograph, for_sheets(spec));
  if (auto sheet = segment_sheet(finer.photograph(), name, spec, sink, finer.pixel_aspect)) {
    return prepare(std::move(*sheet), finer);
  }
  const WorkingImage work = working_image(photograph, spec);
  return prepare(
      with_notes(
          photograph,
          [&] { return segment_leaves(work.photograph(), name, spec, sink, work.pixel_aspect); }),
      work);
}

std::vector<PreparedLeaf> prepare_labelled(const Photograph& photograph, std::string_view name,
                                           const LabelImage& labels, const PrepareSpec& spec) {
  validate(spec);
  if (photograph.grey.empty()) throw InputError(std::string(name) + ": the image has no pixels");
  const double planes = spec.colours == LeafColour::kNone ? 1 : 3;
  const double pixels = static_cast<double>(spec.size) * spec.size;
  check_memory(static_cast<double>(labels.regions.size()) * pixels * (planes * sizeof(float) + 1),
               std::string(name) + ", with " + std::to_string(labels.regions.size()) + " regions,",
               "use fewer regions per image or a smaller preparation.size");
  const WorkingImage work = working_image(photograph, spec);
  std::vector<PreparedLeaf> leaves;
  for_each_labelled(
      work.photograph(), name, labels, spec, [&](const LabelRegion& labelled, LeafRegion region) {
        PreparedLeaf& leaf = leaves.emplace_back(prepared(std::move(region), work, spec));
        leaf.box = labelled.box;
        leaf.area = static_cast<double>(labelled.area);
      });
  return leaves;
}

PhotographRequest request_of(const PrepareSpec& spec, MemoryReservation& memory) {
  PhotographRequest request;
  request.memory = &memory;
  request.enough = enough_pixels(spec);
  request.bits = spec.bits;
  request.colour = spec.finder != Finder::kThreshold || spec.colours != LeafColour::kNone ||
                   spec.picture_side > 0;
  return request;
}

PreparedLeaf prepare_file(const std::filesystem::path& file, const PrepareSpec& spec,
                          StageSink* sink) {
  validate(spec);
  MemoryReservation memory;
  return prepare_leaf(read_photograph(file, request_of(spec, memory)), file.string(), spec, sink);
}

}  // namespace leafglyph
