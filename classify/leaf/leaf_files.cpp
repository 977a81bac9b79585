#include "classify/leaf/leaf_files.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <opencv2/imgcodecs.hpp>

#include "features/base/errors.h"
#include "features/base/parallel_for.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

std::string png_bytes(const Image<std::uint8_t>& image) {
  const cv::Mat pixels(image.height(), image.width(), CV_8U,
                       const_cast<std::uint8_t*>(image.data()));
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", pixels, bytes)) throw Error("an image cannot be encoded as PNG");
  return {bytes.begin(), bytes.end()};
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
  std::vector<FileSeries> species;
  for (const std::string& name : dataset.class_names) species.emplace_back(folder / name);
  std::size_t written = 0;
  std::mutex counting;
  parallel_for(dataset.samples.size(), [&](std::size_t i) {
    const LeafSample& leaf = dataset.samples[i];
    std::string number = std::to_string(leaf.generated + 1);
    number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
    species[static_cast<std::size_t>(leaf.label)].write(
        number + ".png", png_bytes(draw_synthetic_leaf(leaf.label, leaf.generated, dataset.seed)));
    const std::lock_guard lock(counting);
    if (++written; progress) progress(written);
  });
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
