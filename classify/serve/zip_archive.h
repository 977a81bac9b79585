// A zip archive in memory, file by file.
#pragma once

#include <minizip/unzip.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace leafglyph {

/// Throws InputError for an archive that is invalid, damaged, encrypted or suspiciously compressed.
class ZipArchive {
 public:
  /// `bytes` must stay valid for the life of the object.
  explicit ZipArchive(std::string_view bytes);

  /// Goes to the first file, then to the next. Returns false if there is none.
  bool next();
  const std::string& name() const {
    return name_;
  }  ///< its path, with '/'; of a folder, a '/' at the end
  std::size_t size() const {
    return info_.uncompressed_size;
  }  ///< of its contents, as the archive claims
  /// The contents of the file. Also throws InputError when they exceed kMaxArchivedBytes.
  std::string read();

 private:
  struct Source {
    std::string_view bytes;
    std::uint64_t place = 0;
  };
  struct Closer {
    void operator()(void* zip) const { unzClose(zip); }
  };
  static zlib_filefunc64_def functions_on(Source& source);

  Source source_;
  std::unique_ptr<void, Closer> zip_;
  unz_file_info64 info_{};
  std::string name_;
  bool begun_ = false;
};

}  // namespace leafglyph
