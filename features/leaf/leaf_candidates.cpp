#include "features/leaf/leaf_candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "features/base/names.h"
#include "features/base/statistics.h"
#include "features/image/resample.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/paper_light.h"
#include "features/leaf/pixel_kernels.h"

namespace leafglyph {
namespace {

// Sides of the squares of the two envelopes, as shares of the photograph's shorter side: wider than
// most leaves, and wider than slender leaves.
constexpr double kWideSquare = 0.7, kNarrowSquare = 0.3;
// A candidate replaces the plain one only if its score is higher by kClearlyBetter. Colours, and
// paper without its lines, replace grey values if their score is at least kIsAsGood times as high.
constexpr double kClearlyBetter = 0.04, kIsAsGood = 0.85;
// Paper is ruled if lines that are darker by kRulingDepth cover at least kRuledShare of it in three
// quarters of its parts: graph paper with a line every 5 mm, 0.2 mm wide, has 8 %, lines every
// centimetre have 2 %.
constexpr double kRulingDepth = 0.06, kRuledShare = 0.015;
// Longer side in pixels, at most, of the photograph in which edges are searched.
constexpr int kEdgeSide = 512;
// A larger share of the frame than a stalk or a tip covers.
constexpr double kFrameTaken = 0.02;
// Added before taking logarithms, so that noise in dark areas creates no edges.
constexpr double kBlackLevel = 8;
// A pixel whose chromaticity differs by this much from the paper's is black in the colour picture.
constexpr float kFarChromaticity = 0.25F;
// Colours of pixels darker than this are mostly noise.
constexpr float kDark = 40;
// In the picture of colours and darkness a pixel is black at this distance from the paper, as a
// share of the paper's own values.
constexpr float kFarColour = 0.6F;
// A shadow leaves at least this share of the paper's encoded values: 0.39 of the light.
constexpr float kShadow = 0.65F;

// Calls `use` with the colours of each pixel within a twentieth of the sides from the frame. Takes
// every other pixel of every other row.
template <class Use>
void along_the_frame(const Photograph& photograph, Use use) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  const int rim_x = std::max(1, width / 20), rim_y = std::max(1, height / 20);
  for (int row = 0; row < height; row += 2) {
    const auto* colours = photograph.colour.data() + std::size_t{3} * row * width;
    const auto take = [&](int first, int last) {
      for (int column = first + first % 2; column < last; column += 2) {
        use(colours + std::ptrdiff_t{3} * column);
      }
    };
    if (row < rim_y || row >= height - rim_y) {
      take(0, width);
    } else {
      take(0, rim_x);
      take(std::max(rim_x, width - rim_x), width);
    }
  }
}

PaperChromaticity median_chromaticity(const Photograph& photograph) {
  std::vector<float> red, green;
  along_the_frame(photograph, [&](const std::uint8_t* p) {
    // 1 is added to each value, so that black has a chromaticity, too: that of grey.
    const float share = 1 / static_cast<float>(p[0] + p[1] + p[2] + 3);
    red.push_back(static_cast<float>(p[0] + 1) * share);
    green.push_back(static_cast<float>(p[1] + 1) * share);
  });
  return {median(std::move(red)), median(std::move(green)), kFarChromaticity, kDark};
}

PaperColour median_colour(const Photograph& photograph) {
  std::array<std::vector<float>, 3> values;
  along_the_frame(photograph, [&](const std::uint8_t* p) {
    for (std::size_t c = 0; c < 3; ++c) values[c].push_back(p[c]);
  });
  PaperColour paper{median(std::move(values[0])), median(std::move(values[1])),
                    median(std::move(values[2])), kShadow};
  const float length = std::hypot(paper.red, paper.green, paper.blue);
  // On dark paper the distance would be within the noise.
  paper.farthest = kFarColour * std::max(length, std::sqrt(3.0F) * kDark);
  return paper;
}

// A grey picture of how near the colours are to those of the paper along the frame.
Image<std::uint8_t> colour_picture(const Photograph& photograph, SegmentedBy by) {
  const PixelKernels& kernels = pixel_kernels();
  const std::uint8_t* colours = photograph.colour.data();
  Image<std::uint8_t> picture(photograph.grey.width(), photograph.grey.height());
  if (by == SegmentedBy::kColour) {
    // Chromaticity does not see shadows, nor leaves that are only darker than the paper.
    kernels.likeness(colours, picture.size(), median_chromaticity(photograph), picture.data());
  } else {
    kernels.nearness(colours, picture.size(), median_colour(photograph), picture.data());
  }
  // Cameras store colours at half the resolution.
  cv::GaussianBlur(view(picture), view(picture), {0, 0}, 1);
  return picture;
}

bool is_by_colour(SegmentedBy by) {
  return by == SegmentedBy::kColour || by == SegmentedBy::kDarkColour;
}

Image<float> first_light(const Image<std::uint8_t>& grey, SegmentedBy by) {
  if (by == SegmentedBy::kSmoothLight) return smooth_light(grey);
  return envelope_light(grey, by == SegmentedBy::kWideEnvelope ? kWideSquare : kNarrowSquare);
}

// Segments by Otsu's threshold. The result is 1 on dark pixels, or on light pixels if `light` is
// set.
Image<std::uint8_t> divided(const Image<std::uint8_t>& picture, int& threshold,
                            bool light = false) {
  Image<std::uint8_t> binary(picture.width(), picture.height());
  cv::Mat pixels = view(binary);
  threshold = static_cast<int>(
      cv::threshold(view(picture), pixels, 0, 1,
                    cv::THRESH_OTSU | (light ? cv::THRESH_BINARY : cv::THRESH_BINARY_INV)));
  return binary;
}

// 1 where every path to the frame crosses a sharp edge. Edges are found in the logarithm of the
// grey values, by two thresholds on the slope, relative to its 99th percentile.
Image<std::uint8_t> inside_edges(const Image<std::uint8_t>& grey) {
  const double factor =
      std::min(1.0, static_cast<double>(kEdgeSide) / std::max(grey.width(), grey.height()));
  cv::Mat values;
  cv::resize(view(grey), values, {}, factor, factor, cv::INTER_AREA);
  values.convertTo(values, CV_32F, 1, kBlackLevel);
  cv::GaussianBlur(values, values, {0, 0}, 1);
  cv::log(values, values);
  cv::Mat across, down, slope;
  cv::Sobel(values, across, CV_32F, 1, 0);
  cv::Sobel(values, down, CV_32F, 0, 1);
  cv::magnitude(across, down, slope);
  // Not the largest slope, which a speck of dust may have.
  const float steepest =
      quantile(std::vector<float>(slope.begin<float>(), slope.end<float>()), 0.99);
  const cv::Mat strong = slope > 0.5 * steepest, weak = slope > 0.25 * steepest;
  cv::Mat edges = connected_to(strong, weak);
  // Through one gap in its outline the whole leaf would be outside.
  cv::morphologyEx(edges, edges, cv::MORPH_CLOSE,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, {7, 7}));
  // A free border joins everything outside, wherever the leaf touches the frame.
  cv::Mat open;
  cv::copyMakeBorder(edges, open, 1, 1, 1, 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  cv::floodFill(open, cv::Point(0, 0), cv::Scalar(2));
  cv::Mat inside = open(cv::Rect(1, 1, edges.cols, edges.rows)) != 2;
  cv::threshold(inside, inside, 0, 1, cv::THRESH_BINARY);
  Image<std::uint8_t> result(grey.width(), grey.height());
  cv::Mat pixels = view(result);
  cv::resize(inside, pixels, pixels.size(), 0, 0, cv::INTER_NEAREST);
  return result;
}

// Wider than the lines on paper. Odd.
int line_width(const Image<std::uint8_t>& grey) {
  return std::max(3, 2 * (std::max(grey.width(), grey.height()) / 200) + 1);
}

/// A picture, and the foreground segmented in it.
struct Segmented {
  Image<std::uint8_t> picture;
  Image<std::uint8_t> binary;
  int threshold = 0;
};

// Segments a picture without the lines on the paper. What the closing took off the leaf's own edge
// and is as dark as the leaf is put back.
Segmented unruled(const Image<std::uint8_t>& grey) {
  Segmented segmented;
  segmented.picture = without_lines(grey);
  segmented.binary = divided(segmented.picture, segmented.threshold);
  cv::Mat near, dark;
  const int side = line_width(grey);
  cv::dilate(view(segmented.binary), near, cv::Mat::ones(side, side, CV_8U));
  cv::threshold(view(grey), dark, segmented.threshold, 1, cv::THRESH_BINARY_INV);
  cv::bitwise_and(near, dark, near);
  cv::bitwise_or(near, view(segmented.binary), view(segmented.binary));
  return segmented;
}

// Whether lines cover the paper, which is what `unruled` has as background: nearly everywhere,
// unlike the stalks of a leaf.
bool is_ruled(const Image<std::uint8_t>& grey, const Segmented& unruled) {
  constexpr int kCells = 8;
  const int width = grey.width(), height = grey.height();
  std::array<int, kCells * kCells> paper{}, lines{};
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      if (unruled.binary.at(row, column) != 0) continue;
      const auto cell =
          static_cast<std::size_t>(kCells * (kCells * row / height) + kCells * column / width);
      ++paper[cell];
      lines[cell] += grey.at(row, column) < (1 - kRulingDepth) * unruled.picture.at(row, column);
    }
  }
  int ruled = 0, blank = 0;
  for (std::size_t cell = 0; cell < paper.size(); ++cell) {
    if (2 * kCells * kCells * paper[cell] < width * height) continue;  // mostly leaf
    const bool has_lines = lines[cell] > 0 && lines[cell] >= kRuledShare * paper[cell];
    ++(has_lines ? ruled : blank);
  }
  // Three quarters of the parts that show enough paper.
  return ruled > 3 * blank;
}

// Levels the picture by the light around a first foreground, and segments the result.
Segmented levelled_around(const Image<std::uint8_t>& grey, const Image<std::uint8_t>& foreground) {
  Segmented segmented;
  segmented.picture = levelled(grey, light_around(grey, foreground));
  segmented.binary = divided(segmented.picture, segmented.threshold);
  return segmented;
}

Segmented segmented_by(const Photograph& photograph, SegmentedBy by, bool leaf_is_dark) {
  const Image<std::uint8_t>& grey = photograph.grey;
  Segmented segmented;
  switch (by) {
    case SegmentedBy::kGrey:
      segmented.picture = grey;
      segmented.binary = divided(grey, segmented.threshold, !leaf_is_dark);
      return segmented;
    case SegmentedBy::kSmoothLight:
    case SegmentedBy::kWideEnvelope:
    case SegmentedBy::kNarrowEnvelope:
      return levelled_around(grey,
                             divided(levelled(grey, first_light(grey, by)), segmented.threshold));
    case SegmentedBy::kEdges: {
      const Image<std::uint8_t> inside = inside_edges(grey);
      segmented = levelled_around(grey, inside);
      // Only what the edges enclose is the leaf, whatever the levelled picture shows elsewhere.
      cv::bitwise_and(view(segmented.binary), view(inside), view(segmented.binary));
      return segmented;
    }
    case SegmentedBy::kUnruled:
      return unruled(grey);
    case SegmentedBy::kColour:
    case SegmentedBy::kDarkColour:
      segmented.picture = colour_picture(photograph, by);
      segmented.binary = divided(segmented.picture, segmented.threshold);
      return segmented;
  }
  return segmented;
}

// The pixels that the threshold assigned to the background.
Image<std::uint8_t> inverted(const Image<std::uint8_t>& binary) {
  Image<std::uint8_t> result(binary.width(), binary.height());
  cv::bitwise_xor(view(binary), cv::Scalar(1), view(result));
  return result;
}

// The number of pixels whose second difference, down and across, is at most `most` in magnitude.
std::size_t flat_pixels(const Image<std::uint8_t>& grey, int most) {
  const auto width = static_cast<std::size_t>(grey.width());
  std::vector<std::int16_t> room(width + 2);
  std::size_t flat = 0;
  for (int row = 0; row < grey.height(); ++row) {
    const int above = row > 0 ? row - 1 : 1;
    const int below = row + 1 < grey.height() ? row + 1 : grey.height() - 2;
    flat += pixel_kernels().flat_pixels(&grey.at(above, 0), &grey.at(row, 0), &grey.at(below, 0),
                                        width, most, room.data());
  }
  return flat;
}

LeafCandidate candidate(Segmented segmented, SegmentedBy by, bool leaf_is_dark, double to_beat) {
  ScoredOutline scored = score_outline(segmented.picture, segmented.binary, leaf_is_dark, to_beat);
  return {by,           leaf_is_dark, std::move(segmented.binary), segmented.threshold,
          scored.score, false,        std::move(scored.largest)};
}

// Whether levelling could help: the light on the paper found by the plain threshold is uneven, or
// part of the frame is taken for a leaf, as happens with a shadow.
bool needs_levelling(const Image<std::uint8_t>& grey, const LeafCandidate& plain) {
  return border_share(plain.binary) > kFrameTaken || uneven_light(grey, plain.binary);
}

std::vector<LeafCandidate> candidates_of(const Photograph& photograph, Background background) {
  std::vector<LeafCandidate> all;
  double best = 0;
  const auto add_segmented = [&](Segmented segmented, SegmentedBy by, bool leaf_is_dark) {
    // A candidate with a lower score replaces no other; see best_of.
    LeafCandidate next = candidate(std::move(segmented), by, leaf_is_dark, kIsAsGood * best);
    if (is_by_colour(by) && next.score.contrast < kLeastContrast) return;
    best = std::max(best, next.score.total());
    all.push_back(std::move(next));
  };
  const auto add = [&](SegmentedBy by, bool leaf_is_dark) {
    add_segmented(segmented_by(photograph, by, leaf_is_dark), by, leaf_is_dark);
  };
  if (background != Background::kDark) {
    add(SegmentedBy::kGrey, /*leaf_is_dark=*/true);
    if (needs_levelling(photograph.grey, all.front())) {
      for (const SegmentedBy by : {SegmentedBy::kSmoothLight, SegmentedBy::kWideEnvelope,
                                   SegmentedBy::kNarrowEnvelope, SegmentedBy::kEdges}) {
        add(by, /*leaf_is_dark=*/true);
      }
      if (Segmented without = unruled(photograph.grey); is_ruled(photograph.grey, without)) {
        add_segmented(std::move(without), SegmentedBy::kUnruled, /*leaf_is_dark=*/true);
      }
    } else {
      all.front().light_is_even = true;
    }
  }
  // A dark background reflects too little light for levelling.
  if (background == Background::kAuto) {
    add_segmented({photograph.grey, inverted(all.front().binary), all.front().threshold},
                  SegmentedBy::kGrey, /*leaf_is_dark=*/false);
  } else if (background == Background::kDark) {
    add(SegmentedBy::kGrey, /*leaf_is_dark=*/false);
  }
  if (photograph.has_colour()) {
    add(SegmentedBy::kColour, /*leaf_is_dark=*/true);
    add(SegmentedBy::kDarkColour, /*leaf_is_dark=*/true);
  }
  return all;
}

std::size_t best_of(const std::vector<LeafCandidate>& all) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool both_by_colour = is_by_colour(all[best].by) && is_by_colour(all[i].by);
    const bool rival_is_plain =
        all[best].by == SegmentedBy::kGrey && all[i].by != SegmentedBy::kGrey;
    const double better = rival_is_plain || both_by_colour ? kClearlyBetter : 0;
    if (!both_by_colour && (is_by_colour(all[i].by) || all[i].by == SegmentedBy::kUnruled)) {
      if (all[i].score.total() >= kIsAsGood * all[best].score.total()) best = i;
    } else if (all[i].score.total() > all[best].score.total() + better) {
      best = i;
    }
  }
  return best;
}

}  // namespace

LeafCandidate best_candidate(const Photograph& photograph, Background background) {
  const int width = photograph.grey.width(), height = photograph.grey.height();
  const int reduction = power_of_two_reduction(std::max(width, height), kCandidateSide);
  if (reduction == 1) {
    std::vector<LeafCandidate> all = candidates_of(photograph, background);
    return std::move(all[best_of(all)]);
  }
  // The candidates differ in what they take for the leaf, which a small photograph shows as well.
  const Photograph small = resized(photograph, (width + reduction - 1) / reduction,
                                   (height + reduction - 1) / reduction);
  const std::vector<LeafCandidate> all = candidates_of(small, background);
  const LeafCandidate& best = all[best_of(all)];
  Segmented segmented = segmented_by(photograph, best.by, best.leaf_is_dark);
  return {best.by,    best.leaf_is_dark, std::move(segmented.binary), segmented.threshold,
          best.score, best.light_is_even};
}

Image<std::uint8_t> without_lines(const Image<std::uint8_t>& grey) {
  const int side = line_width(grey);
  Image<std::uint8_t> closed(grey.width(), grey.height());
  cv::morphologyEx(view(grey), view(closed), cv::MORPH_CLOSE, cv::Mat::ones(side, side, CV_8U));
  return closed;
}

double noise_of(const Image<std::uint8_t>& grey, double least) {
  if (grey.width() < 3 || grey.height() < 3) return 0;
  // For white noise of standard deviation s, the kernel's response has standard deviation 6 s, and
  // the median of its magnitude is 0.6745 times that.
  constexpr double kOfDeviation = 6 * 0.6745;
  const double low = std::ceil(least * kOfDeviation) - 1;  // largest magnitude of noise below
                                                           // `least`
  if (low >= 0 && flat_pixels(grey, static_cast<int>(low)) > grey.size() / 2) return 0;
  const cv::Mat kernel = (cv::Mat_<float>(3, 1) << 1, -2, 1);
  cv::Mat second;
  cv::sepFilter2D(view(grey), second, CV_16S, kernel, kernel);
  // 1 - 2 + 1 down and across: the magnitudes of the nine factors add up to 16, half of either
  // sign.
  constexpr int kLargest = 8 * 255;
  std::array<std::size_t, kLargest + 1> counts{};
  for (int row = 0; row < second.rows; ++row) {
    const auto* p = second.ptr<std::int16_t>(row);
    for (int column = 0; column < second.cols; ++column) ++counts[std::abs(p[column])];
  }
  std::size_t below = counts[0];
  int middle = 0;
  while (below <= grey.size() / 2) below += counts[++middle];
  return middle / kOfDeviation;
}

}  // namespace leafglyph
