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

/// A font file that stays open as long as glyphs are drawn from it. Outline fonts take megabytes,
/// so their parts are read on demand; bitmap fonts and gzipped ones are read, and unpacked, when
/// they are opened. Threads may share it.
class FontFile {
 public:
  /// Throws what GlyphSource throws.
  explicit FontFile(const std::string& file);

  /// The whole unpacked file; empty if it is read piece by piece.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// The size of the whole unpacked file in bytes.
  std::size_t size() const;
  /// Copies the bytes at `offset` (fewer at the end of the file or when it cannot be read) and
  /// returns their number.
  std::size_t read(std::size_t offset, std::span<std::uint8_t> part) const;
  /// Whether a file that is read piece by piece ended before its size at opening, or could not be
  /// read: FreeType then reads some numbers as 0.
  bool is_cut() const { return is_cut_ && bytes_.empty(); }

  /// SHA-256 of the file on disk. Throws InputError when it has changed since it was opened.
  std::string digest() const;
  /// Changes whenever the file does (files.h); empty if that cannot be known yet.
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
