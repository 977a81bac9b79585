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

StoredLeaves::Row StoredLeaves::row(std::size_t leaf) const {
  const std::size_t before = leaf == 0 ? 0 : 1, columns = places_.columns();
  Row row{places_.rows(leaf - before, 1 + before)};
  if (before == 0) return row;
  row.name_begin = row.places[kNameEnd];
  row.picture_begin = row.places[kPictureEnd];
  row.places.erase(row.places.begin(), row.places.begin() + static_cast<std::ptrdiff_t>(columns));
  return row;
}

std::string StoredLeaves::part(const CheckedFile& file, std::uint64_t begin, std::uint64_t end,
                               std::size_t leaf) const {
  if (begin > end) throw places_.file().damaged(fmt::format("leaf {} ends before it begins", leaf));
  return file.read(begin, end - begin);
}

std::string StoredLeaves::name(std::size_t leaf) const {
  const Row of_leaf = row(leaf);
  return part(*names_, of_leaf.name_begin, of_leaf.places[kNameEnd], leaf);
}

SmallPicture StoredLeaves::picture(std::size_t leaf) const {
  const Row of_leaf = row(leaf);
  std::string jpeg = part(*pictures_, of_leaf.picture_begin, of_leaf.places[kPictureEnd], leaf);
  if (jpeg.empty()) return {};
  const std::uint64_t width = of_leaf.places[kWidth], height = of_leaf.places[kHeight];
  if (std::min(width, height) < 1 || std::max(width, height) > kModelPictureSide) {
    throw places_.file().damaged(
        fmt::format("leaf {} has a picture of {} x {} pixels", leaf, width, height));
  }
  return {std::move(jpeg), static_cast<int>(width), static_cast<int>(height)};
}

}  // namespace leafglyph
