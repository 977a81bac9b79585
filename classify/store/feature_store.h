// A feature store: rows of features for a list of inputs, in a folder that any number of programs
// can fill without communicating.
//
// store.json     what the rows are (StoreHeader), with its own SHA-256
// projection.npy onto what the columns were projected, if they were (RowProjection)
// 00000017.npy   float or Half, rows of block 17 x columns; NaN where a row has no numbers
// 00000017.csv   one line per row: image, part, path, label, state, box, area, file (StoreRow)
// 00000017.sum   the SHA-256 of these three files, as sha256sum writes and checks them
//
// Block b holds the rows of the inputs b * B .. b * B + B - 1, one or more of each. Every file is
// either complete or missing. A block exists when its three files do.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/store/store_row.h"
#include "features/base/files.h"
#include "features/base/mapped_file.h"
#include "features/base/write_lock.h"

namespace leafglyph {

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
  /// Whether it is the store in this folder, however it is named.
  bool is_at(const std::filesystem::path& folder) const;
  const StoreHeader& header() const { return header_; }

  /// Whether the files of block b exist. Throws FormatError when one has a size other than
  /// expected.
  bool has_block(std::size_t b) const;
  std::vector<std::size_t> missing_blocks() const;
  /// The number of rows in block b, from the size of its file. Throws as has_block, and InputError
  /// when the block is missing.
  std::size_t rows_in(std::size_t b) const;
  /// Throws InputError with the number of missing blocks, if any.
  void check_complete() const;

  /// As many as rows_in(b). Throws FormatError, too, when there are more or fewer.
  std::vector<StoreRow> read_rows(std::size_t b) const;
  std::vector<float> read_values(std::size_t b) const;
  /// The same where they lie in the mapped file; in memory if they are float16, or mapped files are
  /// not guarded.
  struct MappedValues {
    std::shared_ptr<const MappedFile> file;  ///< one of these two
    std::shared_ptr<const std::vector<float>> memory;
    std::span<const float> values;
  };
  MappedValues map_values(std::size_t b) const;
  StoreBlock read_block(std::size_t b) const { return {read_values(b), read_rows(b)}; }
  /// Identifies block b together with the header: the SHA-256 of its .sum file.
  std::string block_digest(std::size_t b) const;
  /// SHA-256 of store.json.
  const std::string& header_digest() const { return header_digest_; }
  /// Identifies all rows of a complete store: the digest of its header and of every block.
  std::string digest() const;
  void write_block(std::size_t b, const StoreBlock& block) const;
  /// Removes leftovers of killed writers of blocks, if every block exists.
  void clear_when_complete() const;

 private:
  FeatureStore(std::filesystem::path folder, StoreHeader header, std::string header_digest)
      : folder_(std::move(folder)),
        header_(std::move(header)),
        header_digest_(std::move(header_digest)) {}
  std::string checked(std::size_t b, const std::string& name) const;
  void check(std::size_t b, const std::string& name, std::string_view bytes) const;
  std::size_t rows_of_size(std::size_t b, std::size_t size) const;

  std::filesystem::path folder_;
  StoreHeader header_;
  std::string header_digest_;
  std::shared_ptr<const WriteLock> lock_;  ///< held by a store that blocks are added to
};

/// Throws UsageError with the differences unless the stores hold the same features, or when two
/// have the same rows, whatever they are called; InputError when blocks are missing.
void check_alike(std::span<const FeatureStore> stores);
/// The header of the rows of all stores, those of the first one first. Throws what check_alike
/// throws, and UsageError when there are too many rows.
StoreHeader joined_header(std::span<const FeatureStore> stores);
/// Adds the fields of `from` that `to` does not have.
void join_fields(StoreHeader& to, const StoreHeader& from);
/// The fields of a row of `from`, in the order of `to`, which has at least the same ones.
std::vector<std::string> fields_for(const StoreHeader& to, const StoreHeader& from,
                                    const StoreRow& row);

/// A store that appears whole, for inputs that are only counted as they arrive.
class NewStore {
 public:
  /// `header` is without inputs and list. Throws what WriteLock and StagedFolder throw; an older
  /// store at `folder` is replaced.
  NewStore(const std::filesystem::path& folder, const StoreHeader& header);

  /// Adds the next block. Every block but the last has the rows of header.block inputs.
  void add(const StoreBlock& block);
  /// `header`: the same with inputs and list. Throws UsageError when there are too many inputs.
  void finish(const StoreHeader& header);

 private:
  WriteLock lock_;
  StagedFolder staged_;
  StoreHeader header_;
  std::vector<std::string> sums_;  ///< of each block, without that of the header
};

/// What is wrong with numbers that the header's values cannot hold; empty if it can hold them.
std::string beyond_values(const StoreHeader& header, std::span<const float> values);

/// The file with the values of block b.
std::string values_file_name(std::size_t b);

/// The names of the files that the store in a folder may have, whether they exist or not; none if
/// the folder is not a store or its header is damaged.
std::vector<std::string> store_files(const std::filesystem::path& folder);

}  // namespace leafglyph
