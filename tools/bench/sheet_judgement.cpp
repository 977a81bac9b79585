#include "tools/bench/sheet_judgement.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "features/leaf/mat_view.h"

namespace leafglyph {
namespace {

constexpr double kEqual = 0.8;  // intersection over union of a leaf that is found
constexpr double kAlmost = 0.5;

double equality(const cv::Mat& a, const cv::Mat& b) {
  const int both = cv::countNonZero(a & b);
  return both == 0 ? 0 : static_cast<double>(both) / cv::countNonZero(a | b);
}

bool is_leaf(const LeafRegion& region) { return region.state != PartState::kNotALeaf; }

/// A part, or none.
struct Match {
  std::size_t region = 0;
  double equal = 0;
};

class Judge {
 public:
  Judge(const ComposedSheet& sheet, const std::vector<LeafRegion>& regions, SheetFigures& figures)
      : sheet_(sheet), regions_(regions), figures_(figures), used_(regions.size(), false) {
    if (regions.empty()) return;
    const cv::Size size(regions[0].mask.width(), regions[0].mask.height());
    for (const Laid& laid : sheet.laid) {
      cv::Mat& mask = masks_.emplace_back();
      cv::resize(laid.mask, mask, size, 0, 0, cv::INTER_AREA);
      mask = mask > 127;
      if (laid.group < 0) continue;
      cv::Mat& pair = pairs_[laid.group];
      pair = pair.empty() ? mask.clone() : cv::Mat(pair | mask);
    }
    for (const LeafRegion& region : regions) {
      found_.push_back(view(region.mask) * 255);
      figures_.answers += is_leaf(region);
    }
  }

  void judge_pairs() {
    for (const auto& [group, mask] : pairs_) {
      std::vector<Match> ones;
      for (std::size_t i = 0; i < masks_.size(); ++i) {
        if (sheet_.laid[i].group == group) ones.push_back(best(masks_[i]));
      }
      const bool both =
          std::ranges::all_of(ones, [](const Match& match) { return match.equal >= kEqual; });
      const Match pair = best(mask);
      if (both) {
        for (const Match& one : ones) take(one);
        ++figures_.pairs["both leaves found"];
      } else if (pair.equal < kEqual) {
        ++figures_.pairs["neither"];
      } else if (regions_[pair.region].state == PartState::kOverlapping) {
        used_[pair.region] = true;
        --figures_.answers;
        ++figures_.pairs["one part, called overlapping"];
      } else {
        used_[pair.region] = true;
        --figures_.answers;
        ++figures_.pairs_as_one;
        ++figures_.pairs["one part, taken for a leaf"];
      }
    }
  }

  void judge_thing(std::size_t i) {
    Figures& of = figures_.things[sheet_.laid[i].what];
    ++of.laid;
    of.found += !masks_.empty() && best(masks_[i]).equal >= kEqual;
  }

  std::optional<FoundLeaf> judge_leaf(std::size_t i) {
    const Laid& laid = sheet_.laid[i];
    Figures &of_set = figures_.leaves[laid.what], &on = figures_.on[sheet_.background];
    ++of_set.laid;
    ++on.laid;
    if (masks_.empty()) return std::nullopt;
    const Match match = best(masks_[i]);
    if (match.equal < kEqual) {
      ++figures_.lost[why_lost(i, match)].laid;
      return std::nullopt;
    }
    take(match);
    ++of_set.found;
    ++on.found;
    const PartState state = regions_[match.region].state;
    figures_.called_overlapping += state == PartState::kOverlapping;
    if (laid.is_cut) {
      ++figures_.cut[laid.what].laid;
      figures_.cut[laid.what].found += state == PartState::kCut;
    }
    return FoundLeaf{match.region, i};
  }

  void judge_others() {
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (used_[r] || !is_leaf(regions_[r])) continue;
      std::string what = "background";
      double most = 0.1;
      for (std::size_t i = 0; i < masks_.size(); ++i) {
        const double shared = cv::countNonZero(masks_[i] & found_[r]) / regions_[r].area;
        if (shared > most) {
          most = shared;
          what = sheet_.laid[i].group >= 0 ? "part of a pair" : sheet_.laid[i].what;
        }
      }
      ++figures_.wrong[what];
    }
  }

 private:
  Match best(const cv::Mat& mask) const {
    Match match;
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (used_[r] || !is_leaf(regions_[r])) continue;
      const double equal = equality(found_[r], mask);
      if (equal > match.equal) match = {r, equal};
    }
    return match;
  }

  void take(const Match& match) {
    used_[match.region] = true;
    ++figures_.right;
  }

  std::string why_lost(std::size_t i, const Match& match) const {
    const double own = cv::countNonZero(masks_[i]);
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      if (!is_leaf(regions_[r]) && equality(found_[r], masks_[i]) >= kAlmost) {
        return "called not a leaf";
      }
    }
    if (match.equal == 0) return "nothing there";
    const double area = regions_[match.region].area;
    if (match.equal >= kAlmost) return area > own ? "mask too large" : "mask too small";
    return area > own ? "joined to something" : "broken";
  }

  const ComposedSheet& sheet_;
  const std::vector<LeafRegion>& regions_;
  SheetFigures& figures_;
  std::vector<bool> used_;
  std::vector<cv::Mat> masks_, found_;
  std::map<int, cv::Mat> pairs_;
};

}  // namespace

std::vector<FoundLeaf> judge(const ComposedSheet& sheet, const std::vector<LeafRegion>& regions,
                             SheetFigures& figures) {
  Judge judge(sheet, regions, figures);
  judge.judge_pairs();
  std::vector<FoundLeaf> found;
  for (std::size_t i = 0; i < sheet.laid.size(); ++i) {
    if (!sheet.laid[i].is_leaf) {
      judge.judge_thing(i);
    } else if (sheet.laid[i].group < 0) {
      if (const std::optional<FoundLeaf> leaf = judge.judge_leaf(i)) found.push_back(*leaf);
    }
  }
  judge.judge_others();
  return found;
}

}  // namespace leafglyph
