// Names and pictures of the training leaves in the files of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "classify/leaf/model_leaves.h"
#include "classify/rows/small_picture.h"
#include "features/record/checked_file.h"

namespace leafglyph {

/// Names and pictures, one after another, and where those of each leaf end.
struct LeafTexts {
  static constexpr std::size_t kColumns = 4;
  std::vector<std::uint64_t> places;  ///< kColumns of each leaf, as model_folder.h lists them
  std::string names, pictures;
};
LeafTexts leaf_texts(const LeafValues<std::string>& names,
                     const LeafValues<SmallPicture>& pictures);

/// Reads those of one leaf at a time.
class StoredLeaves {
 public:
  /// Throws FormatError when the files do not fit together.
  StoredLeaves(std::shared_ptr<const CheckedFile> places, std::shared_ptr<const CheckedFile> names,
               std::shared_ptr<const CheckedFile> pictures);

  std::size_t size() const { return places_.count(); }
  std::string name(std::size_t leaf) const;
  SmallPicture picture(std::size_t leaf) const;

 private:
  // The row of a leaf among the places, and where its part of a file begins.
  struct Row {
    std::vector<std::uint64_t> places;
    std::uint64_t name_begin = 0, picture_begin = 0;
  };
  Row row(std::size_t leaf) const;
  std::string part(const CheckedFile& file, std::uint64_t begin, std::uint64_t end,
                   std::size_t leaf) const;

  CheckedRows<std::uint64_t> places_;
  std::shared_ptr<const CheckedFile> names_, pictures_;
};

}  // namespace leafglyph
