// Images that arrive one after another, for a pipeline that prepares them on many threads.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "classify/extraction/archive_reader.h"
#include "classify/extraction/image_list.h"
#include "classify/store/store_row.h"

namespace leafglyph {

/// Images that were read and wait to be prepared. Safe from many threads.
class WaitingImages {
 public:
  /// Keeps what read() returns, or the InputError that it throws, as image i. Returns its bytes.
  std::size_t put(std::size_t i, const std::function<std::string()>& read);
  /// Image i, at most once. Throws its InputError.
  std::string take(std::size_t i);

 private:
  struct Image {
    std::string bytes;
    std::string error;
  };
  std::mutex mutex_;
  std::map<std::size_t, Image> images_;
};

/// The images of a list among whose inputs are streams, of which nobody knows how many there are.
class ImageStream {
 public:
  /// `images` receives the warnings about the streams.
  explicit ImageStream(ListedImages& images);

  /// As Source::arrive. Throws InputError when a stream is not an archive.
  std::optional<std::size_t> arrive(std::size_t i);
  /// Image i, after its arrival and at most once. Safe from many threads, as are the others.
  std::string take(std::size_t i) { return waiting_.take(i); }
  std::string path(std::size_t i) const;
  std::string mask(std::size_t i) const;
  /// A row of image i with its path, label and fields.
  StoreRow row(std::size_t i) const;
  /// The images that have arrived.
  const ImageList& arrived() const { return arrived_; }

 private:
  std::size_t add(const std::string& path, std::optional<std::size_t> root,
                  const std::string& label, std::span<const std::string> fields,
                  const std::function<std::string()>& read);

  ListedImages& images_;
  std::size_t next_stream_ = 0, next_listed_ = 0;
  std::unique_ptr<ArchiveReader> open_;
  mutable std::mutex mutex_;  // of arrived_
  ImageList arrived_;
  WaitingImages waiting_;
};

/// A row of image i of the list, with its path, label and fields.
StoreRow row_of(const ImageList& list, std::size_t i);

}  // namespace leafglyph
