// Files whose bytes are checked where they are read, block by block, so that a file of gigabytes is
// open at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/npy.h"

namespace leafglyph {

/// A file with a list of the SHA-256 of its blocks, which has a digest of its own. It is read piece
/// by piece into memory, so that a file that is cut or overwritten meanwhile is damaged and nothing
/// else. Several threads may read at the same time. What was opened stays readable when the files
/// are replaced by renaming.
class CheckedFile {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  /// The list for a file of these pieces, one after another: one line per block of kBlock bytes.
  static std::string digests_of(std::span<const std::string_view> pieces);

  /// `digests` is the file with the list, whose SHA-256 is `digest_of_digests`. Messages about
  /// damage end with `remedy`. Throws what open_input throws, and FormatError when the list is not
  /// that of a file of this size.
  CheckedFile(std::filesystem::path file, const std::filesystem::path& digests,
              std::string digest_of_digests, std::string remedy);

  const std::filesystem::path& path() const { return path_; }
  std::size_t size() const { return size_; }
  /// The list.
  const std::string& digests() const { return digests_; }

  /// Reads the bytes from `first` on, as many as `to` is long. The blocks that they are in are
  /// checked: each once, or again whenever the file was written to since it was opened. Throws
  /// FormatError when the file ends before, cannot be read or does not match its digests.
  void read(std::size_t first, std::span<char> to) const;
  std::string read(std::size_t first, std::size_t count) const;

  /// A FormatError about this file.
  FormatError damaged(const std::string& what) const;

 private:
  /// A block that was checked.
  struct Block {
    std::size_t number;
    std::string bytes;
  };
  void read_in_block(std::size_t first, std::span<char> to) const;
  std::size_t length_of(std::size_t block) const;
  void read_checked(std::size_t block, std::span<char> to) const;
  std::shared_ptr<const Block> last_block() const;
  void check_range(std::size_t first, std::size_t count) const;
  void read_bytes_at(std::size_t first, std::span<char> to) const;
  bool is_as_opened() const;

  std::filesystem::path path_;
  FileHandle file_;
  FileStamp stamp_;
  std::size_t size_;
  std::string digests_;
  std::string digest_of_digests_, remedy_;
  mutable std::once_flag digests_checked_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // by block
  mutable std::mutex last_mutex_;
  mutable std::shared_ptr<const Block> last_;  // small pieces are often read one after another
};

/// Rows of a .npy file, checked where they are read. T is a type of view_npy.
template <class T>
class CheckedRows {
 public:
  /// Throws FormatError when the file is not a matrix of T, or is empty.
  explicit CheckedRows(std::shared_ptr<const CheckedFile> file) : file_(std::move(file)) {
    const std::string head = file_->read(0, std::min(file_->size(), CheckedFile::kBlock));
    const NpyPlace place = npy_place<T>(head, file_->size(), file_->path());
    if (place.shape.size() != 2 || place.shape[0] == 0 || place.shape[1] == 0) {
      throw file_->damaged("is not a matrix with rows and columns");
    }
    count_ = place.shape[0];
    columns_ = place.shape[1];
    start_ = place.start;
  }

  std::size_t count() const { return count_; }
  std::size_t columns() const { return columns_; }
  /// Reads `values`.size() / columns() rows from `first` on, one after another. Throws as
  /// CheckedFile::read.
  void read(std::size_t first, std::span<T> values) const {
    file_->read(start_ + first * sizeof(T) * columns_,
                {reinterpret_cast<char*>(values.data()), values.size_bytes()});
  }
  std::vector<T> rows(std::size_t first, std::size_t count) const {
    if (first > count_ || count > count_ - first) throw file_->damaged("ends too early");
    std::vector<T> values(count * columns_);
    read(first, values);
    return values;
  }
  std::vector<T> rows() const { return rows(0, count_); }
  const CheckedFile& file() const { return *file_; }

 private:
  std::shared_ptr<const CheckedFile> file_;
  std::size_t count_ = 0, columns_ = 0, start_ = 0;
};

}  // namespace leafglyph
