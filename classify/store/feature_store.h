// A feature store: rows of features for a list of inputs, in a folder that any number of programs
// can fill without communicating.
//
// store.json     what the rows are (StoreHeader), with its own SHA-256
// 00000017.npy   float, inputs of block 17 x columns; a row of NaN for an input that failed
// 00000017.csv   row, path, label, state, bytes, sha256, warnings: one line per input
// 00000017.sum   the SHA-256 of these three files, as sha256sum writes and checks them
//
// Block b holds the inputs b * B .. b * B + B - 1. Every file is either complete or missing. A
// block exists when its three files do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/base/sha256.h"
#include "features/base/write_lock.h"

namespace leafglyph {

/// Describes the rows of a store, including everything that affects their numbers: stores with
/// equal headers hold equal rows.
struct StoreHeader {
  std::string kind;         ///< "leaf": of a leaf configuration; "moments": of a moment spec
  std::string settings;     ///< leaf: the resolved configuration in YAML; moments: in words
  std::string convention;   ///< of the moments: convention_name
  std::string device;       ///< "cpu" or "cuda", which round differently
  std::size_t block = 0;    ///< inputs per block, B
  std::size_t inputs = 0;   ///< of the whole list
  std::string list_sha256;  ///< of the paths and labels of the list
  std::vector<std::string> columns;
  std::vector<std::string> classes;           ///< the labels that occur, in the order of the data
  std::vector<std::string> scientific_names;  ///< of the classes, "" where there is none
  std::vector<std::string> chinese_names;     ///< the same

  std::size_t blocks() const { return block == 0 ? 0 : (inputs + block - 1) / block; }
  /// The number of inputs in block b.
  std::size_t rows_of(std::size_t b) const;
  /// The header without inputs, labels and block size. It is equal for stores that can be merged.
  StoreHeader without_inputs() const;
  friend bool operator==(const StoreHeader&, const StoreHeader&) = default;
};

enum class RowState { kOk, kFailed };
template <>
inline constexpr Names<RowState, 2> kNamesOf<RowState> = {
    "state", {{{RowState::kOk, "ok"}, {RowState::kFailed, "failed"}}}};

/// One input of a store, without its row of numbers.
struct StoreRow {
  std::string path;  ///< as given
  std::string label;
  RowState state = RowState::kOk;
  FileDigest file;       ///< of the image; none if it could not be read
  std::string warnings;  ///< one line; the reason if the input failed
  friend bool operator==(const StoreRow&, const StoreRow&) = default;
};

struct StoreBlock {
  std::vector<float> values;  ///< column c of row r at values[r * columns + c]
  std::vector<StoreRow> rows;
};

/// A store on disk. Reading a file checks its size against the header before memory is allocated,
/// and then its digest. Throws FormatError, naming the file and what to do, when they do not match;
/// InputError when a file cannot be read.
class FeatureStore {
 public:
  /// Opens the store for adding blocks; creates it if it does not exist. Throws UsageError with the
  /// differences when the folder holds a store with a different header, and for a header beyond
  /// kMaxBlockInputs or kMaxStoreBlocks; Error when the folder contains anything else, cannot be
  /// written, or is being replaced by another program. Others may add blocks at the same time, but
  /// nobody can replace the store while this object or a copy of it exists.
  static FeatureStore begin(const std::filesystem::path& folder, const StoreHeader& header);
  /// Throws InputError when the folder does not exist, FormatError when it is not a store.
  static FeatureStore open(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  const StoreHeader& header() const { return header_; }

  /// Whether the files of block b exist. Throws FormatError when one has a size other than
  /// expected.
  bool has_block(std::size_t b) const;
  std::vector<std::size_t> missing_blocks() const;
  /// Throws InputError with the number of missing blocks, if any.
  void check_complete() const;

  std::vector<StoreRow> read_rows(std::size_t b) const;
  std::vector<float> read_values(std::size_t b) const;
  StoreBlock read_block(std::size_t b) const { return {read_values(b), read_rows(b)}; }
  /// Identifies block b together with the header: the SHA-256 of its .sum file.
  std::string block_digest(std::size_t b) const;
  /// SHA-256 of store.json.
  const std::string& header_digest() const { return header_digest_; }
  void write_block(std::size_t b, const StoreBlock& block) const;
  /// Removes leftovers of killed writers of blocks, if every block exists.
  void clear_when_complete() const;

 private:
  FeatureStore(std::filesystem::path folder, StoreHeader header, std::string header_digest)
      : folder_(std::move(folder)),
        header_(std::move(header)),
        header_digest_(std::move(header_digest)) {}
  std::string checked(std::size_t b, const std::string& name) const;

  std::filesystem::path folder_;
  StoreHeader header_;
  std::string header_digest_;
  std::shared_ptr<const WriteLock> lock_;  ///< held by a store that blocks are added to
};

/// Throws UsageError with the differences unless the stores hold the same features; InputError when
/// blocks are missing.
void check_alike(std::span<const FeatureStore> stores);
/// The header of the rows of all stores, those of the first one first. Throws what check_alike
/// throws, and UsageError when a store is given twice or there are too many rows.
StoreHeader joined_header(std::span<const FeatureStore> stores);

/// A file of block b, with its contents. The .sum file comes last.
struct StoreFile {
  std::string name;
  std::string bytes;
};
std::vector<StoreFile> block_files(const StoreHeader& header, const std::string& header_digest,
                                   std::size_t b, const StoreBlock& block);
inline constexpr const char* kStoreFile = "store.json";
/// The file with the values of block b.
std::string values_file_name(std::size_t b);

/// The names of the files that the store in a folder may have, whether they exist or not; none if
/// the folder is not a store or its header is damaged.
std::vector<std::string> store_files(const std::filesystem::path& folder);

std::string header_text(const StoreHeader& header);

/// Throws UsageError unless the header has 1 to kMaxBlockInputs inputs per block, at most
/// kMaxStoreBlocks blocks, columns, and as many scientific and Chinese names as classes.
void validate(const StoreHeader& header);

/// Reads what header_text wrote. Throws FormatError, naming `file`, when the text is damaged or has
/// another format.
StoreHeader parse_header(const std::string& text, const std::filesystem::path& file);

/// The difference of two headers in words: "the list of inputs"; empty if there is none.
std::string difference(const StoreHeader& a, const StoreHeader& b);

}  // namespace leafglyph
