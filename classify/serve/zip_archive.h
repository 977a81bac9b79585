// A zip archive in memory, file by file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct archive;

namespace leafglyph {

/// Throws InputError for an archive that is invalid, damaged, encrypted or suspiciously compressed,
/// and for one whose files share bytes.
class ZipArchive {
 public:
  /// `bytes` must stay valid for the life of the object. They need no zip64, as no request has
  /// 4 GiB.
  explicit ZipArchive(std::string_view bytes);

  /// Goes to the first file, then to the next. Returns false if there is none.
  bool next();
  const std::string& name() const {
    return name_;
  }                                           ///< its path, with '/'; of a folder, a '/' at the end
  std::size_t size() const { return size_; }  ///< of its contents, as the archive claims
  /// The contents of the file. Also throws InputError when they exceed kMaxArchivedBytes.
  std::string read();

 private:
  std::unique_ptr<archive, int (*)(archive*)> archive_;
  std::string name_;
  std::size_t size_ = 0;
};

}  // namespace leafglyph
