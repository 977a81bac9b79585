// The rows of a feature store without their numbers: 00000017.csv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/store/store_header.h"
#include "features/base/names.h"
#include "features/base/sha256.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

enum class RowState {
  kOk,
  kCut,          ///< the leaf touches the border of the photograph
  kOverlapping,  ///< several leaves that touch, as one part
  kNotALeaf,     ///< no numbers
  kEmpty,        ///< an input without any part; no numbers
  kFailed,       ///< an input that could not be used; no numbers
};
template <>
inline constexpr Names<RowState, 6> kNamesOf<RowState> = {"state",
                                                          {{{RowState::kOk, "ok"},
                                                            {RowState::kCut, "cut"},
                                                            {RowState::kOverlapping, "overlapping"},
                                                            {RowState::kNotALeaf, "not a leaf"},
                                                            {RowState::kEmpty, "empty"},
                                                            {RowState::kFailed, "failed"}}}};
/// Whether rows of this state have numbers; the others have NaN.
constexpr bool has_numbers(RowState state) {
  return state == RowState::kOk || state == RowState::kCut || state == RowState::kOverlapping;
}
/// Whether rows of this state are those of one leaf or one image.
constexpr bool is_one_leaf(RowState state) {
  return state == RowState::kOk || state == RowState::kCut;
}

/// One part of an input, or all of it. Every input has at least one row.
struct StoreRow {
  std::size_t image = 0;  ///< number of the input in the list
  int part = 0;           ///< number of the part in its image, from 1; 0: the image itself
  std::string path;       ///< as given
  std::string label;
  RowState state = RowState::kOk;
  PictureBox box;                   ///< of the part; all 0 if it is unknown
  std::uint64_t area = 0;           ///< of the part, in pixels of the file
  FileDigest file;                  ///< of the image; none if it could not be read
  std::string warnings;             ///< one line; the reason if there are no numbers
  std::vector<std::string> fields;  ///< of StoreHeader::fields
  friend bool operator==(const StoreRow&, const StoreRow&) = default;
};

/// Whether the CSV of every store has a column of this name.
bool is_store_column(std::string_view name);

/// Box and area as fields of a table, "left,top,width,height,area"; empty fields if unknown.
std::string place_fields(const StoreRow& row);

/// The text of the rows of a block, in order.
std::string rows_text(const StoreHeader& header, std::span<const StoreRow> rows);
/// Reads the rows of block b: what rows_text wrote. Throws UsageError with what is wrong and where.
std::vector<StoreRow> parse_rows(const StoreHeader& header, std::size_t b, std::string text,
                                 const std::filesystem::path& file);

}  // namespace leafglyph
