// The bytes of a font.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "features/base/files.h"
#include "features/base/input_file.h"

namespace leafglyph {

/// A font file that is open for as long as glyphs are drawn from it. Of outline fonts, which have
/// megabytes, that which is asked for is read when it is asked for; bitmap fonts and gzipped ones
/// are read, and unpacked, when they are opened. Threads may share it.
class FontFile {
 public:
  /// Errors as GlyphSource.
  explicit FontFile(const std::string& file);

  /// Everything, unpacked; nothing when it is read piece by piece.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// Of everything, unpacked, in bytes.
  std::size_t size() const;
  /// Copies what lies at `offset` (fewer bytes at the end of the file or when it cannot be read)
  /// and returns how many bytes that is.
  std::size_t read(std::size_t offset, std::span<std::uint8_t> part) const;
  /// Whether a file that is read piece by piece has ended before the size that it had when it was
  /// opened, or could not be read: FreeType takes some numbers for 0 then.
  bool is_cut() const { return is_cut_ && bytes_.empty(); }

  /// SHA-256 of the file as it lies on the disk. Throws InputError when it has been changed since
  /// it was opened.
  std::string digest() const;
  /// Changes when the file does (files.h); empty where that cannot be known yet.
  const std::string& stamp() const { return lasting_stamp_; }

 private:
  void unpack();

  std::string name_;
  FileHandle file_;
  FileStamp opened_;
  std::string lasting_stamp_;
  std::vector<std::uint8_t> bytes_;
  mutable std::atomic<bool> is_cut_ = false;
};

}  // namespace leafglyph
