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

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"

namespace leafglyph {

/// A mapped file with a list of the SHA-256 of its blocks, which has a digest of its own. Several
/// threads may read at the same time. What was opened stays readable when the files are replaced.
class CheckedFile {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  /// The list for a file of these pieces, one after another: one line per block of kBlock bytes.
  static std::string digests_of(std::span<const std::string_view> pieces);

  /// `digests` is the file with the list, whose SHA-256 is `digest_of_digests`. Messages about
  /// damage end with `remedy`. Throws what MappedFile throws, and FormatError when the list is not
  /// that of a file of this size.
  CheckedFile(std::filesystem::path file, const std::filesystem::path& digests,
              std::string digest_of_digests, std::string remedy);

  const std::filesystem::path& path() const { return path_; }
  std::size_t size() const { return file_.bytes().size(); }
  /// The list.
  std::string_view digests() const { return digests_.bytes(); }

  /// `count` bytes from `first` on, after checking the blocks that they are in, each once. Throws
  /// FormatError when the file ends before or does not match its digests.
  std::string_view bytes(std::size_t first, std::size_t count) const;
  std::string_view bytes() const { return bytes(0, size()); }
  /// All of them, unchecked: for finding where those are that bytes() then checks.
  std::string_view unchecked() const { return file_.bytes(); }

  /// A FormatError about this file.
  FormatError damaged(const std::string& what) const;

 private:
  void check(std::size_t block) const;

  std::filesystem::path path_;
  MappedFile file_, digests_;
  std::string digest_of_digests_, remedy_;
  mutable std::once_flag digests_checked_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // by block
};

/// Rows of a .npy file, checked where they are read. T is a type of view_npy.
template <class T>
class CheckedRows {
 public:
  /// Throws FormatError when the file is not a matrix of T, or is empty.
  explicit CheckedRows(std::shared_ptr<const CheckedFile> file) : file_(std::move(file)) {
    file_->bytes(0, std::min(file_->size(), CheckedFile::kBlock));
    const NpyView<T> view = view_npy<T>(file_->unchecked(), file_->path());
    if (view.shape.size() != 2 || view.values.empty()) {
      throw file_->damaged("is not a matrix with rows and columns");
    }
    count_ = view.shape[0];
    columns_ = view.shape[1];
    start_ = file_->size() - view.values.size_bytes();
  }

  std::size_t count() const { return count_; }
  std::size_t columns() const { return columns_; }
  /// `count` rows from `first` on, one after another. Throws as CheckedFile::bytes.
  std::span<const T> rows(std::size_t first, std::size_t count) const {
    const std::size_t length = sizeof(T) * columns_;
    const std::string_view bytes = file_->bytes(start_ + first * length, count * length);
    return {reinterpret_cast<const T*>(bytes.data()), count * columns_};
  }
  std::span<const T> rows() const { return rows(0, count_); }
  const CheckedFile& file() const { return *file_; }

 private:
  std::shared_ptr<const CheckedFile> file_;
  std::size_t count_ = 0, columns_ = 0, start_ = 0;
};

}  // namespace leafglyph
