// The images in a tar or zip archive, one after another. Nothing is unpacked into files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "features/base/input_file.h"

struct archive;
struct archive_entry;

namespace leafglyph {

/// Reads a tar, compressed or not, or a zip. Hidden members and those without the name of an image
/// are passed over, as in folders. So are links, devices, and names that lead out of the archive or
/// are longer than kMaxArchivedName, which skipped() counts.
class ArchiveReader {
 public:
  /// `path`: of a file; -: standard input. Throws InputError when it cannot be opened or is not an
  /// archive.
  explicit ArchiveReader(std::string path);
  ~ArchiveReader();
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// Whether members are at positions of the file: an uncompressed tar.
  bool is_plain_tar() const { return is_plain_tar_; }
  bool is_zip() const { return is_zip_; }

  /// Goes to the next image. False at the end of the archive, and where it cannot be read further:
  /// then cut() says why. Throws Interrupted.
  bool next();
  /// The name of its member, without "./". A damaged member whose name is lost is named by its
  /// position.
  const std::string& name() const { return name_; }
  /// ARCHIVE/MEMBER; only the name in standard input.
  std::string image_path() const;
  /// Where its bytes begin in a plain tar, and how many they are.
  std::uint64_t begin() const { return begin_; }
  std::uint64_t size() const { return size_; }
  /// Why it cannot be read; empty if nothing is known against it. Says that of a member of more
  /// than kMaxMemberBytes, which is never read.
  const std::string& fault() const { return fault_; }
  /// All of the image, at most once. Throws InputError, naming archive and member.
  std::string read();
  /// Whether nothing more can be read after what read() threw.
  bool is_broken() const { return is_broken_; }

  /// What was passed over and is neither hidden nor of another kind: one line, "a.tar: skipped 2
  /// links or devices"; or empty.
  std::string skipped() const;
  /// Why the archive ended early: one line with its name; or empty.
  const std::string& cut() const { return cut_; }

 private:
  struct Input;

  bool go_on();
  bool take(archive_entry* entry);
  std::string reason() const;
  std::string shown_path() const { return path_ == "-" ? "standard input" : path_; }

  std::string path_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  bool is_plain_tar_ = false, is_zip_ = false;
  bool at_first_ = true;  ///< the first image was found by the constructor
  bool has_first_ = false;
  bool was_damaged_ = false, is_broken_ = false;
  std::string name_, fault_, cut_;
  std::uint64_t begin_ = 0, size_ = 0;
  std::size_t links_ = 0, names_ = 0;
};

}  // namespace leafglyph
