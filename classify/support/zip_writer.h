// Writes a zip archive piece by piece, of any size: nothing of it is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace leafglyph {

class ZipWriter {
 public:
  enum class Packing { kStored, kDeflated };

  explicit ZipWriter(Packing packing);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Begins a file of `size` bytes, after the last one has all of its own.
  void begin(const std::string& name, std::uint64_t size);
  void add(std::string_view bytes);
  /// Ends the archive.
  void end();
  /// The bytes of the archive since the last call. Like the others, throws Error when the machine
  /// is short of memory.
  std::string take();

 private:
  void check(bool done) const;

  std::string bytes_;
  std::unique_ptr<archive, int (*)(archive*)> archive_;  // writes to bytes_
};

}  // namespace leafglyph
