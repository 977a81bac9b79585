// Sheets composed of photographs of single leaves, with drawn labels, rulers, colour charts and
// stems, for bench_sheets.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <random>
#include <string>
#include <vector>

#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

inline constexpr int kSheetWidth = 1600, kSheetHeight = 2200;

/// Photographs of a set; every other one is for tuning, the others for tests.
struct LeafSet {
  std::string name;
  std::vector<std::string> files;
};

/// A thing on a sheet.
struct Laid {
  std::string what;  ///< the set of a leaf, or "label", ...
  bool is_leaf = false;
  cv::Mat mask;    ///< CV_8U, of the sheet's size, 255 where it is seen
  int group = -1;  ///< leaves that overlap have the same
  bool is_cut = false;
  std::string file = {};  ///< of a leaf
  cv::Mat alone = {};     ///< CV_8UC3: the leaf as it is laid, but alone, on white paper
};

/// A photographed background.
struct Backdrop {
  std::string kind;  ///< "card", or what comes before the first - in the name of its file
  cv::Mat patch;     ///< CV_8UC3, mirrored to fill the sheet
};

struct ComposedSheet {
  cv::Mat colour;  ///< CV_8UC3: red, green, blue
  std::vector<Laid> laid;
  std::string background;  ///< "drawn paper", "drawn cloth", "drawn wood" or "photographed KIND"
};

/// How leaves are found, on a sheet and alone: thin stalks break on a sheet.
PrepareSpec finding();
/// The photograph at the size at which a leaf is found well; those of 256 x 256 were squeezed.
Photograph enlarged(const Photograph& photograph);
/// Patches of plain card in the corners of the colour photographs of the sets, and every other
/// picture of a folder, unless that is empty. `is_test`: other ones.
std::vector<Backdrop> backdrops_of(const std::vector<LeafSet>& sets, const std::string& folder,
                                   bool is_test);
/// The sheet of a seed. `is_test`: other leaves, and other designs of what is drawn.
ComposedSheet compose_sheet(bool is_test, std::uint64_t seed, const std::vector<LeafSet>& sets,
                            const std::vector<Backdrop>& backdrops);

}  // namespace leafglyph
