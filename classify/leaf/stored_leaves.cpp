#include "classify/leaf/stored_leaves.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "classify/leaf/model_folder.h"

namespace leafglyph {
namespace {

constexpr std::size_t kNameEnd = 0, kPictureEnd = 1, kWidth = 2, kHeight = 3;

}  // namespace

LeafTexts leaf_texts(const LeafValues<std::string>& names,
                     const LeafValues<SmallPicture>& pictures) {
  LeafTexts texts;
  for (std::size_t leaf = 0; leaf < names.size(); ++leaf) {
    texts.names += names[leaf];
    const SmallPicture picture = pictures[leaf];
    texts.pictures += picture.jpeg;
    const bool has = !picture.jpeg.empty();
    texts.places.insert(texts.places.end(), {texts.names.size(), texts.pictures.size(),
                                             static_cast<std::uint64_t>(has ? picture.width : 0),
                                             static_cast<std::uint64_t>(has ? picture.height : 0)});
  }
  return texts;
}

StoredLeaves::StoredLeaves(std::shared_ptr<const CheckedFile> places,
                           std::shared_ptr<const CheckedFile> names,
                           std::shared_ptr<const CheckedFile> pictures)
    : places_(std::move(places)), names_(std::move(names)), pictures_(std::move(pictures)) {
  if (places_.columns() != LeafTexts::kColumns) {
    throw places_.file().damaged("does not have the columns of a list of leaves");
  }
  const auto last = places_.rows(size() - 1, 1);
  if (last[kNameEnd] != names_->size()) throw names_->damaged("does not have a name per leaf");
  if (last[kPictureEnd] != pictures_->size()) {
    throw pictures_->damaged("does not have the pictures of the leaves");
  }
}

// The part of a file that belongs to the leaf; its end is in that column.
std::string_view StoredLeaves::part(const CheckedFile& file, std::size_t leaf,
                                    std::size_t column) const {
  const std::size_t begin = leaf == 0 ? 0 : places_.rows(leaf - 1, 1)[column];
  const std::size_t end = places_.rows(leaf, 1)[column];
  if (begin > end) throw places_.file().damaged(fmt::format("leaf {} ends before it begins", leaf));
  return file.bytes(begin, end - begin);
}

std::string StoredLeaves::name(std::size_t leaf) const {
  return std::string(part(*names_, leaf, kNameEnd));
}

SmallPicture StoredLeaves::picture(std::size_t leaf) const {
  const std::string_view jpeg = part(*pictures_, leaf, kPictureEnd);
  if (jpeg.empty()) return {};
  const auto row = places_.rows(leaf, 1);
  const std::uint64_t width = row[kWidth], height = row[kHeight];
  if (std::min(width, height) < 1 || std::max(width, height) > kModelPictureSide) {
    throw places_.file().damaged(
        fmt::format("leaf {} has a picture of {} x {} pixels", leaf, width, height));
  }
  return {std::string(jpeg), static_cast<int>(width), static_cast<int>(height)};
}

}  // namespace leafglyph
