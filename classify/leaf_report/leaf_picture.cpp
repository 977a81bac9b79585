#include "classify/leaf_report/leaf_picture.h"

#include "classify/page/html_page.h"

namespace leafglyph {

LeafPictures::LeafPictures(const LeafDataset& dataset, double aspect, int side)
    : dataset_(dataset), aspect_(aspect), side_(side) {}

const std::optional<Picture>& LeafPictures::of(std::size_t sample) {
  const auto known = made_.find(sample);
  if (known != made_.end()) return known->second;
  return made_[sample] = page_picture(small_picture(dataset_, sample, aspect_, side_));
}

std::optional<Picture> page_picture(const SmallPicture& picture) {
  if (picture.jpeg.empty()) return std::nullopt;
  return Picture{data_uri("image/jpeg", picture.jpeg), picture.width, picture.height};
}

std::optional<Picture> file_picture(const std::filesystem::path& file, double aspect, int side) {
  return page_picture(small_picture(file, aspect, side));
}

}  // namespace leafglyph
