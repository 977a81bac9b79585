// store.json: what the rows of a feature store are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "features/base/names.h"
#include "features/record/record_kind.h"

namespace leafglyph {

inline constexpr RecordKind kStore = {"store.json",
                                      "leafglyph feature store",
                                      3,
                                      "feature store",
                                      "extract the features again, into another folder",
                                      "make one with features extract"};

/// Which parts of an input become rows.
enum class PartRule {
  kWhole,      ///< one row: of the whole image, or of its largest leaf
  kEveryLeaf,  ///< every part that could be a leaf
  kMasks,      ///< every region of its mask, a picture of labels; the number of a part is its label
};
template <>
inline constexpr Names<PartRule, 3> kNamesOf<PartRule> = {"parts",
                                                          {{{PartRule::kWhole, "whole"},
                                                            {PartRule::kEveryLeaf, "every-leaf"},
                                                            {PartRule::kMasks, "masks"}}}};

/// How the numbers of a store are stored.
enum class StoredValues {
  kFloat32,
  kFloat16,  ///< half precision: 11 significant bits, at most kLargestHalf
};
template <>
inline constexpr Names<StoredValues, 2> kNamesOf<StoredValues> = {
    "values", {{{StoredValues::kFloat32, "float32"}, {StoredValues::kFloat16, "float16"}}}};

/// Describes the rows of a store, including everything that affects their numbers: stores with
/// equal headers hold equal rows.
struct StoreHeader {
  std::string kind;        ///< "leaf": of a leaf configuration; "moments": of a moment spec
  std::string settings;    ///< leaf: the resolved configuration in YAML; moments: in words
  std::string convention;  ///< of the moments: convention_name
  std::string device;      ///< "cpu" or "cuda", which round differently
  PartRule parts = PartRule::kWhole;
  StoredValues values = StoredValues::kFloat32;
  std::string projection;           ///< RowProjection::bytes; empty: the columns are not projected
  std::size_t block = 0;            ///< inputs per block, B
  std::size_t inputs = 0;           ///< of the whole list
  std::string list_sha256;          ///< of the paths, labels and further fields of the list
  std::vector<std::string> fields;  ///< names of the further columns of the list
  std::vector<std::string> columns;
  std::vector<std::string> classes;           ///< the labels that occur, in the order of the data
  std::vector<std::string> scientific_names;  ///< of the classes, "" where there is none
  std::vector<std::string> chinese_names;     ///< the same

  std::size_t blocks() const { return block == 0 ? 0 : (inputs + block - 1) / block; }
  /// The number of inputs in block b.
  std::size_t inputs_of(std::size_t b) const;
  /// The header without inputs, labels, block size and version. It is equal for stores that can be
  /// merged.
  StoreHeader without_inputs() const;
  friend bool operator==(const StoreHeader&, const StoreHeader&) = default;
};

std::string header_text(const StoreHeader& header);

/// Throws UsageError unless the header has 1 to kMaxBlockInputs inputs per block, at most
/// kMaxStoreBlocks blocks, columns, and as many scientific and Chinese names as classes.
void validate(const StoreHeader& header);

/// What header_text names by its digest, beside store.json: StoreHeader::projection, if there is
/// one.
inline constexpr const char* kProjectionFile = "projection.npy";

/// Reads what header_text wrote, and the projection in the folder of `file`. Throws FormatError,
/// naming the file, when one of them is damaged or has another format.
StoreHeader parse_header(const std::string& text, const std::filesystem::path& file);

/// The difference of two headers in words: "the list of inputs"; empty if there is none.
std::string difference(const StoreHeader& a, const StoreHeader& b);

}  // namespace leafglyph
