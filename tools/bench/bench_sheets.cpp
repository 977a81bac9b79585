// Measures how well the leaves of sheets are found: composes sheets of leaves, labels, rulers,
// colour charts and stems on paper, cloth and wood, and compares what segment_leaves finds with
// what was drawn.
// Usage: bench_sheets SHEETS SEED tuning|test [--write FOLDER] SET=FOLDER...
//        bench_sheets single SET=FOLDER...   what the photographs of one leaf are taken for
// The sheets of `tuning` and of `test` have other leaves, and other designs of labels, rulers,
// charts and stems. A folder has photographs of one leaf each. Backgrounds of kind "photograph" are
// patches of the paper in colour photographs of the folders, mirrored to fill the sheet; the others
// are drawn.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"
#include "features/leaf/leaf_image.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/segment_leaf.h"
#include "tools/bench/composed_sheet.h"

namespace leafglyph {
namespace {

constexpr double kEqual = 0.8;  // intersection over union of a leaf that is found

struct Figures {
  int laid = 0, found = 0;
};

/// What was found on all sheets.
struct Result {
  std::map<std::string, Figures> leaves, cut;  // by set
  std::map<std::string, Figures> things;       // found: taken for a leaf
  std::map<std::string, Figures> on;           // leaves by background
  Figures overlapping;                         // groups; found: as one part of state overlapping
  int answers = 0, right = 0, called_overlapping = 0, refused = 0;
};

double equality(const cv::Mat& a, const cv::Mat& b) {
  const int both = cv::countNonZero(a & b);
  return both == 0 ? 0 : static_cast<double>(both) / cv::countNonZero(a | b);
}

void judge(const ComposedSheet& sheet, Result& result) {
  Photograph photograph = colour_photograph(
      kSheetWidth, kSheetHeight,
      {sheet.colour.data, sheet.colour.data + std::size_t{3} * kSheetWidth * kSheetHeight});
  // As the preparation reduces it (oversampling 3, size 256).
  photograph = resized(photograph, kSheetWidth / 2, kSheetHeight / 2);
  std::vector<LeafRegion> regions;
  try {
    regions = segment_leaves(photograph, "sheet", finding());
  } catch (const InputError& error) {
    ++result.refused;
    std::fprintf(stderr, "%s on %s\n", error.what(), sheet.background.c_str());
  }
  std::vector<cv::Mat> masks;
  std::map<int, cv::Mat> groups;
  for (const Laid& laid : sheet.laid) {
    cv::Mat& mask = masks.emplace_back();
    cv::resize(laid.mask, mask, {kSheetWidth / 2, kSheetHeight / 2}, 0, 0, cv::INTER_AREA);
    mask = mask > 127;
    if (laid.group < 0) continue;
    cv::Mat& all = groups[laid.group];
    all = all.empty() ? mask.clone() : cv::Mat(all | mask);
  }
  std::vector<bool> used(regions.size(), false);
  const auto best = [&](const cv::Mat& mask, const auto& fits) {
    std::size_t found = regions.size();
    double most = kEqual;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      if (used[r] || !fits(regions[r])) continue;
      const double equal = equality(view(regions[r].mask) * 255, mask);
      if (equal >= most) {
        most = equal;
        found = r;
      }
    }
    return found;
  };
  const auto is_leaf = [](const LeafRegion& region) {
    return region.state != PartState::kNotALeaf;
  };
  for (const auto& [group, mask] : groups) {
    ++result.overlapping.laid;
    const std::size_t r = best(mask, is_leaf);
    if (r == regions.size()) continue;
    used[r] = true;
    const bool is_right = regions[r].state == PartState::kOverlapping;
    result.overlapping.found += is_right;
    result.right += is_right;
    ++result.answers;
  }
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const Laid& laid = sheet.laid[i];
    if (laid.group >= 0) continue;
    if (!laid.is_leaf) {
      ++result.things[laid.what].laid;
      const std::size_t r = best(masks[i], is_leaf);
      result.things[laid.what].found += r < regions.size();
      continue;
    }
    ++result.leaves[laid.what].laid;
    ++result.on[sheet.background].laid;
    const std::size_t r = best(masks[i], is_leaf);
    if (laid.is_cut) ++result.cut[laid.what].laid;
    if (r == regions.size()) continue;
    used[r] = true;
    ++result.leaves[laid.what].found;
    ++result.on[sheet.background].found;
    ++result.answers;
    ++result.right;
    result.called_overlapping += regions[r].state == PartState::kOverlapping;
    if (laid.is_cut) result.cut[laid.what].found += regions[r].state == PartState::kCut;
  }
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (!used[r] && is_leaf(regions[r])) ++result.answers;
  }
}

void print(const char* title, const std::map<std::string, Figures>& figures) {
  Figures all;
  for (const auto& [name, one] : figures) {
    std::printf("%-12s %-14s %5d of %5d  %.4f\n", title, name.c_str(), one.found, one.laid,
                static_cast<double>(one.found) / one.laid);
    all.laid += one.laid;
    all.found += one.found;
  }
  if (all.laid > 0) {
    std::printf("%-12s %-14s %5d of %5d  %.4f\n", title, "all", all.found, all.laid,
                static_cast<double>(all.found) / all.laid);
  }
}

// What the largest part of each photograph of one leaf is taken for.
void measure_single(const std::vector<LeafSet>& sets) {
  for (const LeafSet& set : sets) {
    int leaves = 0, others = 0, overlapping = 0, refused = 0;
    for (const std::string& file : set.files) {
      try {
        const std::vector<LeafRegion> found =
            segment_leaves(enlarged(read_photograph(file)), file, finding());
        const PartState state = std::ranges::max_element(found, {}, &LeafRegion::area)->state;
        ++leaves;
        others += state == PartState::kNotALeaf;
        overlapping += state == PartState::kOverlapping;
      } catch (const InputError&) {
        ++refused;
      }
    }
    std::printf("%-14s %5d leaves, %d refused, %d not a leaf, %d overlapping\n", set.name.c_str(),
                leaves, refused, others, overlapping);
  }
}

int number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw UsageError("'" + text + "' is not a number");
  }
  return value;
}

void measure(const std::vector<std::string>& words) {
  const bool is_single = !words.empty() && words[0] == "single";
  if (words.size() < (is_single ? 2U : 4U)) {
    throw UsageError(
        "bench_sheets SHEETS SEED tuning|test [--write FOLDER] SET=FOLDER..., or single "
        "SET=FOLDER...");
  }
  const bool is_test = !is_single && words[2] == "test";
  std::string folder;
  std::vector<LeafSet> sets;
  for (std::size_t i = is_single ? 1 : 3; i < words.size(); ++i) {
    if (words[i] == "--write") {
      folder = words.at(++i);
      continue;
    }
    const std::size_t equal = words[i].find('=');
    sets.push_back({words[i].substr(0, equal), images_in(words[i].substr(equal + 1))});
  }
  if (is_single) return measure_single(sets);
  const std::vector<cv::Mat> papers = papers_of(sets, is_test);
  std::printf("%zu backgrounds are photographs\n", papers.size());
  Result result;
  for (int s = 0; s < number(words[0]); ++s) {
    const auto seed = static_cast<std::uint64_t>(number(words[1]) + s);
    const ComposedSheet sheet = compose_sheet(is_test, seed, sets, papers);
    if (!folder.empty()) {
      write_file(std::filesystem::path(folder) / fmt::format("sheet{:04}.jpg", seed),
                 encode_jpeg(samples_of(sheet.colour), 90, /*optimised=*/true));
    }
    judge(sheet, result);
  }
  print("recall", result.leaves);
  print("recall on", result.on);
  print("cut, called", result.cut);
  print("as a leaf", result.things);
  std::printf("overlapping groups found and called so: %d of %d\n", result.overlapping.found,
              result.overlapping.laid);
  std::printf("single leaves called overlapping: %d\n", result.called_overlapping);
  std::printf("sheets refused: %d\n", result.refused);
  std::printf("precision %d of %d  %.4f\n", result.right, result.answers,
              static_cast<double>(result.right) / std::max(1, result.answers));
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  try {
    leafglyph::measure({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_sheets: %s\n", error.what());
    return 1;
  }
  return 0;
}
