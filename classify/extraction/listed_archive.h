// The images of an uncompressed tar or a zip, by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "classify/extraction/archive_reader.h"

namespace leafglyph {

/// Whether the name is that of an archive: .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .tar.zst or
/// .zip, in either case.
bool is_archive_name(std::string_view file);

/// Where the images of an archive are, found by reading its headers once.
class ListedArchive {
 public:
  /// `reader` is one of the same archive, before its first image.
  ListedArchive(std::string path, const ArchiveReader& reader)
      : path_(std::move(path)), in_order_(reader.is_zip()) {}
  /// Adds the image at which `reader` is.
  void add(const ArchiveReader& reader);

  std::size_t size() const { return images_.size(); }
  /// Whether images are read one after another: another order takes time. Those of a tar are read
  /// at their places, by many threads.
  bool is_in_order() const { return in_order_; }
  /// All of image i, whose ArchiveReader::image_path is `name`. Throws InputError, naming it.
  std::string read(std::size_t i, const std::string& name) const;

 private:
  struct Image {
    std::uint64_t begin = 0, size = 0;
    std::uint32_t fault = 0;  // number in faults_; 0: none
  };
  std::string read_at(const Image& image, const std::string& name) const;
  std::string read_next(std::size_t i, const std::string& name) const;

  std::string path_;
  bool in_order_;
  std::vector<Image> images_;
  std::vector<std::string> faults_ = {""};
  mutable std::mutex mutex_;  // of what reads in order
  mutable std::unique_ptr<ArchiveReader> reader_;
  mutable std::size_t next_ = 0;  // image at which reader_ will be
};

}  // namespace leafglyph
