#include "classify/extraction/listed_archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <system_error>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/memory.h"

namespace leafglyph {

bool is_archive_name(std::string_view file) {
  std::string name(file);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 7> kEndings = {".tar",    ".tar.gz",  ".tgz", ".tar.bz2",
                                                        ".tar.xz", ".tar.zst", ".zip"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

void ListedArchive::add(const ArchiveReader& reader) {
  Image& image = images_.emplace_back(Image{reader.begin(), reader.size()});
  if (reader.fault().empty()) return;
  image.fault = static_cast<std::uint32_t>(faults_.size());
  faults_.push_back(reader.fault());
}

std::string ListedArchive::read(std::size_t i, const std::string& name) const {
  const Image& image = images_.at(i);
  if (image.fault != 0) throw InputError(name + ": " + faults_[image.fault]);
  return in_order_ ? read_next(i, name) : read_at(image, name);
}

std::string ListedArchive::read_at(const Image& image, const std::string& name) const {
  const FileHandle file = open_input(path_);
  const std::size_t there = bytes_left(file.get());
  if (image.begin > there || image.size > there - image.begin) {
    throw InputError(name + ": the archive ends before all of it");
  }
  check_memory(static_cast<double>(image.size), name, "use a smaller file");
  std::string bytes(image.size, '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::pread(::fileno(file.get()), bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(image.begin + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw InputError(name + ": cannot be read: " +
                       (count == 0 ? "the archive ends before all of it"
                                   : std::generic_category().message(errno)));
    }
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::string ListedArchive::read_next(std::size_t i, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (!reader_ || reader_->is_broken() || next_ > i) {
    reader_ = std::make_unique<ArchiveReader>(path_);
    next_ = 0;
  }
  for (; next_ <= i; ++next_) {
    if (!reader_->next()) {
      throw InputError(name + ": is not in the archive any more");
    }
  }
  if (reader_->image_path() != name) {
    throw InputError(name + ": the archive was changed while it was read");
  }
  return reader_->read();
}

}  // namespace leafglyph
