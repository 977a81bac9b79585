// Measures how well the leaves of sheets are found: composes sheets of leaves, labels, rulers,
// colour charts and stems on paper, cloth and wood, and compares what segment_leaves finds with
// what was laid.
// Usage: bench_sheets SHEETS SEED tuning|test [--backgrounds FOLDER] [--write FOLDER] SET=FOLDER...
//        bench_sheets single SET=FOLDER...   what the photographs of one leaf are taken for
// The sheets of `tuning` and of `test` have other leaves and photographed backgrounds, and other
// designs of labels, rulers, charts and stems. A folder has photographs of one leaf each. Half of
// the backgrounds are photographs: patches of the card in colour photographs of the sets, and every
// other picture of the folder of backgrounds, whose names begin with their kind, such as wood-oak;
// the others are drawn. --write keeps the sheets, with green lines around what was laid (blue
// around what is not a leaf) and red ones around what was taken for leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <future>
#include <map>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>

#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/numbers.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/sample_mat.h"
#include "features/leaf/leaf_image.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/segment_leaf.h"
#include "tools/bench/composed_sheet.h"
#include "tools/bench/sheet_judgement.h"
#include "tools/bench/sheet_rows.h"

namespace leafglyph {
namespace {

void write_sheet(const std::filesystem::path& file, const ComposedSheet& sheet,
                 const std::vector<LeafRegion>& regions) {
  cv::Mat picture;
  cv::resize(sheet.colour, picture, {kSheetWidth / 2, kSheetHeight / 2}, 0, 0, cv::INTER_AREA);
  const auto outline = [&](const cv::Mat& mask, const cv::Scalar& colour, int width) {
    cv::Mat at_size;
    cv::resize(mask, at_size, picture.size(), 0, 0, cv::INTER_NEAREST);
    std::vector<std::vector<cv::Point>> outlines;
    cv::findContours(at_size, outlines, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
    cv::drawContours(picture, outlines, -1, colour, width);
  };
  for (const Laid& laid : sheet.laid) {
    outline(laid.mask, laid.is_leaf ? cv::Scalar(0, 200, 0) : cv::Scalar(0, 0, 255), 3);
  }
  for (const LeafRegion& region : regions) {
    if (region.state != PartState::kNotALeaf) outline(view(region.mask), {255, 0, 0}, 1);
  }
  write_file(file, encode_png(samples_of(picture)));
}

void print(const char* title, const std::map<std::string, Figures>& figures) {
  Figures all;
  const auto line = [title](const std::string& name, const Figures& one) {
    std::printf("%-14s %-20s %5d of %5d  %.4f\n", title, name.c_str(), one.found, one.laid,
                static_cast<double>(one.found) / one.laid);
  };
  for (const auto& [name, one] : figures) {
    line(name, one);
    all.laid += one.laid;
    all.found += one.found;
  }
  if (all.laid > 0) line("all", all);
}

void print(const char* title, const std::map<std::string, int>& counts) {
  for (const auto& [name, count] : counts) {
    std::printf("%-14s %-28s %5d\n", title, name.c_str(), count);
  }
}

void print(const SheetFigures& figures) {
  print("recall", figures.leaves);
  print("recall on", figures.on);
  print("lost", figures.lost);
  print("called cut", figures.cut);
  print("as a leaf", figures.things);
  print("pairs", figures.pairs);
  print("wrong", figures.wrong);
  const auto share = [&](const char* title, int of) {
    std::printf("%s %d of %d  %.4f\n", title, figures.right, of,
                static_cast<double>(figures.right) / std::max(1, of));
  };
  share("precision", figures.answers);
  share("precision, with pairs taken for a leaf", figures.answers + figures.pairs_as_one);
  std::printf("single leaves called overlapping: %d\n", figures.called_overlapping);
  std::printf("sheets refused: %d\n", figures.refused);
}

// What the largest part of each photograph of one leaf is taken for.
void measure_single(const std::vector<LeafSet>& sets) {
  for (const LeafSet& set : sets) {
    int leaves = 0, others = 0, overlapping = 0, several = 0, refused = 0;
    for (const std::string& file : set.files) {
      try {
        const std::vector<LeafRegion> found =
            segment_leaves(enlarged(read_photograph(file)), file, finding());
        const PartState state = std::ranges::max_element(found, {}, &LeafRegion::area)->state;
        ++leaves;
        several += std::ranges::count_if(found, [](const LeafRegion& region) {
                     return region.state != PartState::kNotALeaf;
                   }) > 1;
        others += state == PartState::kNotALeaf;
        overlapping += state == PartState::kOverlapping;
      } catch (const InputError&) {
        ++refused;
      }
    }
    std::printf("%-14s %5d leaves, %d refused, %d not a leaf, %d overlapping, %d several\n",
                set.name.c_str(), leaves, refused, others, overlapping, several);
  }
}

/// A sheet, and what was found on it.
struct SheetFound {
  ComposedSheet sheet;
  Photograph photograph;
  std::vector<LeafRegion> regions;
  std::string error;  // why it was refused
};
constexpr int kAhead = 2;  // sheets composed at once

SheetFound found_on(ComposedSheet sheet) {
  SheetFound found;
  found.photograph = colour_photograph(
      kSheetWidth, kSheetHeight,
      {sheet.colour.data, sheet.colour.data + std::size_t{3} * sheet.colour.total()});
  found.sheet = std::move(sheet);
  try {
    // As prepare_leaves with oversampling 3 and size 256: only a sheet keeps all pixels.
    auto sheet = segment_sheet(found.photograph, "sheet", finding(), nullptr, /*pixel_aspect=*/1);
    found.regions =
        sheet ? std::move(*sheet)
              : segment_leaves(resized(found.photograph, kSheetWidth / 2, kSheetHeight / 2),
                               "sheet", finding());
  } catch (const InputError& error) {
    found.error = error.what();
  }
  return found;
}

int number(const std::string& text) {
  const auto value = number_in<int>(text);
  if (!value || *value < 0) throw UsageError("'" + text + "' is not a number");
  return *value;
}

void measure(const std::vector<std::string>& words) {
  const bool is_single = !words.empty() && words[0] == "single";
  if (words.size() < (is_single ? 2U : 4U)) {
    throw UsageError(
        "bench_sheets SHEETS SEED tuning|test [--backgrounds FOLDER] [--write FOLDER] "
        "SET=FOLDER..., or single SET=FOLDER...");
  }
  const bool is_test = !is_single && words[2] == "test";
  std::string folder, backgrounds;
  std::vector<LeafSet> sets;
  for (std::size_t i = is_single ? 1 : 3; i < words.size(); ++i) {
    if (words[i] == "--write") {
      folder = words.at(++i);
      continue;
    }
    if (words[i] == "--backgrounds") {
      backgrounds = words.at(++i);
      continue;
    }
    const std::size_t equal = words[i].find('=');
    sets.push_back({words[i].substr(0, equal), images_in(words[i].substr(equal + 1))});
  }
  if (is_single) return measure_single(sets);
  const std::vector<Backdrop> backdrops = backdrops_of(sets, backgrounds, is_test);
  std::printf("%zu backgrounds are photographs\n", backdrops.size());
  SheetFigures figures;
  SheetRows rows;
  const int count = number(words[0]), first = number(words[1]);
  std::deque<std::future<SheetFound>> ahead;
  for (int s = 0; s < count + kAhead; ++s) {
    if (s < count) {
      ahead.push_back(std::async(std::launch::async, [&, seed = first + s] {
        return found_on(compose_sheet(is_test, static_cast<std::uint64_t>(seed), sets, backdrops));
      }));
    }
    if (s < kAhead || ahead.empty()) continue;
    const auto [sheet, photograph, regions, error] = ahead.front().get();
    ahead.pop_front();
    if (!error.empty()) {
      ++figures.refused;
      std::fprintf(stderr, "%s on %s\n", error.c_str(), sheet.background.c_str());
    }
    rows.add(photograph, sheet, regions, judge(sheet, regions, figures));
    if (!folder.empty()) {
      const std::string name = fmt::format("sheet{:04}.png", first + s - kAhead);
      write_sheet(std::filesystem::path(folder) / name, sheet, regions);
    }
  }
  print(figures);
  print("nearest is own", rows.nearest());
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
