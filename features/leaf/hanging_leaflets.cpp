#include "features/leaf/hanging_leaflets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

// Stalks are thinner than this share of the photograph's longer side.
constexpr double kThin = 1.0 / 60;
// They differ from the paper by this share of the leaf's contrast, and by more than noise does.
constexpr double kShare = 0.1, kLeastStep = 3;

// Not 0 on thin lines that differ from what is beside them.
cv::Mat thin_lines(const Image<std::uint8_t>& grey, double contrast) {
  cv::Mat smooth, lines;
  cv::GaussianBlur(view(grey), smooth, {0, 0}, 1);
  const int side = 2 * cvCeil(kThin * std::max(grey.width(), grey.height()) / 2) + 1;
  cv::morphologyEx(smooth, lines, contrast > 0 ? cv::MORPH_BLACKHAT : cv::MORPH_TOPHAT,
                   cv::getStructuringElement(cv::MORPH_ELLIPSE, {side, side}));
  return lines > std::max(kLeastStep, kShare * std::abs(contrast));
}

/// Which of some parts of a foreground thin lines connect.
class LineLabels {
 public:
  LineLabels(const ForegroundParts& parts, const Image<std::uint8_t>& grey, double contrast)
      : parts_(parts), joined_(thin_lines(grey, contrast)) {}

  void add(std::size_t part) {
    cv::drawContours(joined_, parts_.outlines, static_cast<int>(part), cv::Scalar(255), cv::FILLED);
  }
  /// After all are added.
  void connect() {
    // Breaks of a pixel or two.
    cv::dilate(joined_, joined_, cv::Mat::ones(3, 3, CV_8U));
    cv::connectedComponents(joined_, labels_, 8, CV_32S);
  }
  int of(std::size_t part) const { return labels_.at<int>(parts_.outlines[part].front()); }

 private:
  const ForegroundParts& parts_;
  cv::Mat joined_, labels_;
};

}  // namespace

std::vector<std::size_t> with_hanging_leaflets(const ForegroundParts& parts,
                                               std::vector<std::size_t> leaf,
                                               const std::vector<std::size_t>& others,
                                               const Image<std::uint8_t>& grey, double contrast) {
  if (others.empty()) return leaf;
  LineLabels labels(parts, grey, contrast);
  for (const std::size_t part : leaf) labels.add(part);
  for (const std::size_t part : others) labels.add(part);
  labels.connect();
  std::vector<int> own;
  for (const std::size_t part : leaf) own.push_back(labels.of(part));
  for (const std::size_t other : others) {
    if (std::ranges::find(own, labels.of(other)) != own.end()) leaf.push_back(other);
  }
  return leaf;
}

void join_hanging_leaflets(const ForegroundParts& parts, std::vector<PhotographPart>& found,
                           const Image<std::uint8_t>& grey, double contrast) {
  const auto is_leaf = [](const PhotographPart& part) {
    return part.state != PartState::kNotALeaf;
  };
  if (std::ranges::count_if(found, is_leaf) < 2) return;
  LineLabels labels(parts, grey, contrast);
  for (const PhotographPart& part : found) {
    if (is_leaf(part)) std::ranges::for_each(part.outlines, [&](std::size_t i) { labels.add(i); });
  }
  labels.connect();
  std::map<int, std::size_t> leaf_with;  // the first leaf of each label
  std::vector<PhotographPart> joined;
  for (PhotographPart& part : found) {
    if (!is_leaf(part)) {
      joined.push_back(std::move(part));
      continue;
    }
    std::size_t leaf = joined.size();
    for (const std::size_t outline : part.outlines) {
      const auto known = leaf_with.find(labels.of(outline));
      if (known != leaf_with.end()) leaf = std::min(leaf, known->second);
    }
    for (const std::size_t outline : part.outlines) leaf_with.emplace(labels.of(outline), leaf);
    if (leaf == joined.size()) {
      joined.push_back(std::move(part));
    } else {
      std::vector<std::size_t>& own = joined[leaf].outlines;
      own.insert(own.end(), part.outlines.begin(), part.outlines.end());
    }
  }
  found = std::move(joined);
}

}  // namespace leafglyph
