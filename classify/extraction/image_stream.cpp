#include "classify/extraction/image_stream.h"

#include <utility>

#include "features/base/errors.h"

namespace leafglyph {

std::size_t WaitingImages::put(std::size_t i, const std::function<std::string()>& read) {
  Image image;
  try {
    image.bytes = read();
  } catch (const InputError& error) {
    image.error = error.what();
  }
  const std::size_t bytes = image.bytes.size();
  const std::lock_guard lock(mutex_);
  images_[i] = std::move(image);
  return bytes;
}

std::string WaitingImages::take(std::size_t i) {
  std::unique_lock lock(mutex_);
  Image image = std::move(images_.extract(i).mapped());
  lock.unlock();
  if (!image.error.empty()) throw InputError(image.error);
  return std::move(image.bytes);
}

ImageStream::ImageStream(ListedImages& images) : images_(images), arrived_(images.list.emptied()) {}

std::optional<std::size_t> ImageStream::arrive(std::size_t) {
  while (true) {
    if (open_ && open_->next()) {
      const std::string path = open_->image_path();
      return add(path, path.size() - open_->name().size(),
                 images_.label(path, folder_of_member(open_->name())), {},
                 [&] { return open_->read(); });
    }
    if (open_) images_.note(*open_);
    open_.reset();
    if (next_stream_ < images_.streams.size() &&
        images_.streams[next_stream_].before == next_listed_) {
      open_ = std::make_unique<ArchiveReader>(images_.streams[next_stream_++].path);
      continue;
    }
    if (next_listed_ == images_.list.size()) return std::nullopt;
    const std::size_t i = next_listed_++;
    return add(images_.list.path(i), images_.list.root(i), images_.list.label(i),
               images_.list.fields(i), [&] { return images_.list.read(i); });
  }
}

std::size_t ImageStream::add(const std::string& path, std::optional<std::size_t> root,
                             const std::string& label, std::span<const std::string> fields,
                             const std::function<std::string()>& read) {
  std::unique_lock lock(mutex_);
  const std::size_t i = arrived_.size();
  arrived_.set_root(root);
  arrived_.add(path, label, fields);
  lock.unlock();
  return waiting_.put(i, read);
}

std::string ImageStream::path(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  return arrived_.path(i);
}

std::string ImageStream::mask(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  return arrived_.mask(i);
}

StoreRow ImageStream::row(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  return row_of(arrived_, i);
}

StoreRow row_of(const ImageList& list, std::size_t i) {
  StoreRow row;
  row.image = i;
  row.path = list.path(i);
  row.label = list.label(i);
  row.fields = list.fields(i);
  return row;
}

}  // namespace leafglyph
