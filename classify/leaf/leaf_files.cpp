#include "classify/leaf/leaf_files.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <opencv2/imgproc.hpp>

#include "datasets/leaf/example_photographs.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/threads.h"
#include "features/image_io/encode_image.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

std::string png_bytes(const Image<std::uint8_t>& image, const std::string& source = "") {
  const auto pixels = image.pixels();
  return encode_png(
      {image.width(), image.height(), 1, std::vector<std::uint8_t>(pixels.begin(), pixels.end())},
      source);
}

std::string png_bytes(const Photograph& photograph, const std::string& source) {
  if (!photograph.has_colour()) return png_bytes(photograph.grey, source);
  return encode_png({photograph.grey.width(), photograph.grey.height(), 3, photograph.colour},
                    source);
}

// The first entry of the folder, at most one folder deep, that is not a drawn leaf; empty if there
// is none. Hidden names belong to other running writers and are not anybody's photographs.
fs::path other_file_in(const fs::path& folder, bool is_species = false) {
  for (const std::string& name : names_in_folder(folder)) {
    fs::path entry = folder / name;
    if (is_drawn_leaf(entry)) continue;
    if (is_species || is_link(entry) || !is_folder(entry)) return entry;
    fs::path inside = other_file_in(entry, /*is_species=*/true);
    if (!inside.empty()) return inside;
  }
  return {};
}

Image<std::uint8_t> overview_of_examples() {
  constexpr int kShrink = 4, kGap = 8;
  constexpr std::uint8_t kWhite = 255;
  const auto examples = example_photographs();
  const auto good = static_cast<std::size_t>(
      std::ranges::count_if(examples, [](const auto& example) { return example.is_good; }));
  const Image<std::uint8_t> first = draw_example(0).grey;
  const int width = first.width() / kShrink, height = first.height() / kShrink;
  const int columns = static_cast<int>(std::max(good, examples.size() - good));
  Image<std::uint8_t> all(columns * (width + kGap) - kGap, 2 * height + kGap, kWhite);
  cv::Mat pixels(all.height(), all.width(), CV_8U, all.data());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    Image<std::uint8_t> image = draw_example(i).grey;
    const bool is_good = examples[i].is_good;
    const int column = static_cast<int>(is_good ? i : i - good);
    // Rotated photographs have their sides swapped.
    const double factor = std::min(static_cast<double>(width) / image.width(),
                                   static_cast<double>(height) / image.height());
    cv::Mat small;
    cv::resize(cv::Mat(image.height(), image.width(), CV_8U, image.data()), small, {}, factor,
               factor, cv::INTER_AREA);
    const cv::Rect place(column * (width + kGap), is_good ? 0 : height + kGap,
                         std::min(width, small.cols), std::min(height, small.rows));
    small(cv::Rect(0, 0, place.width, place.height)).copyTo(pixels(place));
  }
  return all;
}

// The last `depth` names of a path, the last one without its extension.
std::string stem_with_folders(const fs::path& file, std::size_t depth) {
  const fs::path whole = fs::absolute(file).lexically_normal();
  std::string stem = whole.stem().string();
  fs::path folder = whole.parent_path();
  for (std::size_t i = 1; i < depth && folder.has_filename(); ++i) {
    stem = folder.filename().string() + "-" + stem;
    folder = folder.parent_path();
  }
  return stem;
}

}  // namespace

void write_synthetic_leaves(const SyntheticSpec& spec, const fs::path& folder,
                            const std::function<void(std::size_t)>& progress) {
  const LeafDataset dataset = synthetic_leaves(spec);
  const fs::path other = is_folder(folder) ? other_file_in(folder) : fs::path();
  if (!other.empty()) {
    throw Error(
        folder.string() + ": holds '" + other.lexically_relative(folder).string() +
        "', which is not a drawn leaf; generated leaves would mix with it: choose another folder");
  }
  std::vector<FileSeries> species;
  for (const std::string& name : dataset.class_names) species.emplace_back(folder / name);
  std::size_t written = 0;
  std::mutex counting;
  parallel_for(dataset.samples.size(), [&](std::size_t i) {
    const LeafSample& leaf = dataset.samples[i];
    std::string number = std::to_string(leaf.generated + 1);
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    species[static_cast<std::size_t>(leaf.label)].write(
        number + ".png", png_bytes(drawn_photograph(dataset, leaf), kDrawnSource));
    const std::lock_guard lock(counting);
    if (++written; progress) progress(written);
  });
}

void write_examples(const fs::path& folder) {
  const FileSeries files(folder);
  const auto examples = example_photographs();
  parallel_for(examples.size(), [&](std::size_t i) {
    const std::string kind = examples[i].is_good ? "good-" : "bad-";
    files.write(kind + std::string(examples[i].name) + ".png", png_bytes(draw_example(i).grey));
  });
  files.write("overview.png", png_bytes(overview_of_examples()));
}

void StageFiles::stage(std::string_view name, const Image<std::uint8_t>& image) {
  if (!files_) files_.emplace(folder_);
  files_->write(stem_ + "-" + std::string(name) + ".png", png_bytes(image));
}

std::vector<std::string> distinct_stems(std::span<const fs::path> files) {
  std::size_t deepest = 1;
  for (const fs::path& file : files) {
    const fs::path whole = fs::absolute(file).lexically_normal();
    deepest =
        std::max(deepest, static_cast<std::size_t>(std::distance(whole.begin(), whole.end())));
  }
  for (std::size_t depth = 1;; ++depth) {
    std::map<std::string, fs::path> file_of;
    std::vector<std::string> stems;
    for (const fs::path& file : files) {
      stems.push_back(stem_with_folders(file, depth));
      const auto [other, is_new] = file_of.emplace(stems.back(), file);
      if (!is_new && depth == deepest) {
        throw UsageError(other->second.string() + " and " + file.string() +
                         " would be written under one name; give them one at a time, with "
                         "different output folders");
      }
    }
    if (file_of.size() == files.size()) return stems;
  }
}

}  // namespace leafglyph
