#include "classify/extraction/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "classify/support/utf8_names.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/waiting.h"

namespace leafglyph {
namespace {

enum class NameKind { kVisible, kHidden, kOutside };

// Members of folders are hidden as the files of hidden folders are.
NameKind kind_of_name(std::string_view name) {
  if (name.starts_with('/') || name.size() > kMaxArchivedName) return NameKind::kOutside;
  NameKind kind = NameKind::kVisible;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part == "..") return NameKind::kOutside;
    if (is_hidden_name(part) && part != ".") kind = NameKind::kHidden;
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return kind;
}

}  // namespace

/// The bytes of the archive, for libarchive's callbacks. Its own functions for descriptors go on
/// waiting when a signal arrives.
struct ArchiveReader::Input {
  FileHandle file;  // none for standard input
  std::array<char, std::size_t{64} << 10> buffer;

  int descriptor() const { return file ? ::fileno(file.get()) : STDIN_FILENO; }

  static la_ssize_t read(archive* into, void* self, const void** bytes) {
    Input& input = *static_cast<Input*>(self);
    *bytes = input.buffer.data();
    const ssize_t count = read_some(input.descriptor(), input.buffer.data(), input.buffer.size());
    if (count >= 0) return count;
    if (errno == ECANCELED) return 0;  // throw_if_interrupted() follows
    archive_set_error(into, errno, "%s", std::generic_category().message(errno).c_str());
    return ARCHIVE_FATAL;
  }
  // At most to the end of the file, where the next read finds out that it is missing.
  static la_int64_t skip(archive*, void* self, la_int64_t request) {
    const Input& input = *static_cast<Input*>(self);
    const off_t at = ::lseek(input.descriptor(), 0, SEEK_CUR);
    const off_t end = ::lseek(input.descriptor(), 0, SEEK_END);
    const off_t to = std::min<off_t>(end, at + std::min<la_int64_t>(request, end));
    return ::lseek(input.descriptor(), std::max(at, to), SEEK_SET) - at;
  }
  static la_int64_t seek(archive*, void* self, la_int64_t offset, int whence) {
    const off_t at = ::lseek(static_cast<Input*>(self)->descriptor(), offset, whence);
    return at >= 0 ? at : ARCHIVE_FATAL;
  }
};

ArchiveReader::ArchiveReader(std::string path)
    : path_(std::move(path)), input_(new Input), archive_(archive_read_new(), archive_read_free) {
  if (!archive_) throw std::bad_alloc();
  archive* const in = archive_.get();
  archive_read_support_format_tar(in);
  archive_read_support_format_zip(in);
  archive_read_support_filter_gzip(in);
  archive_read_support_filter_bzip2(in);
  archive_read_support_filter_xz(in);
  archive_read_support_filter_zstd(in);
  archive_read_set_read_callback(in, Input::read);
  archive_read_set_callback_data(in, input_.get());
  if (path_ != "-") {
    input_->file = open_input(path_);
    archive_read_set_skip_callback(in, Input::skip);
    archive_read_set_seek_callback(in, Input::seek);
  }
  const bool opened = archive_read_open1(in) == ARCHIVE_OK;
  has_first_ = opened && go_on();
  throw_if_interrupted();
  if (!opened || archive_format(in) == 0) {
    throw InputError(shown_path() + ": is not a tar or zip archive");
  }
  is_zip_ = (archive_format(in) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
  is_plain_tar_ = input_->file && !is_zip_ && archive_filter_code(in, 0) == ARCHIVE_FILTER_NONE;
}

ArchiveReader::~ArchiveReader() = default;

bool ArchiveReader::next() {
  if (std::exchange(at_first_, false)) return has_first_;
  return cut_.empty() && go_on();
}

bool ArchiveReader::go_on() {
  const Utf8Names utf8;
  while (true) {
    archive_entry* entry = nullptr;
    const int state = archive_read_next_header(archive_.get(), &entry);
    throw_if_interrupted();
    if (state == ARCHIVE_EOF) return false;
    if (state == ARCHIVE_RETRY) {
      // Until a header is whole again, every block of the member is read as one.
      if (std::exchange(was_damaged_, true)) continue;
      name_ = fmt::format("member at byte {}", archive_read_header_position(archive_.get()));
      fault_ = "is damaged: " + reason();
      begin_ = size_ = 0;
      return true;
    }
    if (state < ARCHIVE_WARN) {
      cut_ = shown_path() + ": cannot be read to its end: " + reason();
      return false;
    }
    was_damaged_ = false;
    if (take(entry)) return true;
  }
}

// Whether the member is an image.
bool ArchiveReader::take(archive_entry* entry) {
  const char* stated = archive_entry_pathname(entry);
  std::string name = stated == nullptr ? "" : stated;
  if (is_zip_) name = with_slashes(std::move(name));
  while (name.starts_with("./")) name.erase(0, 2);
  if (!is_image_name(name)) return false;
  const NameKind kind = kind_of_name(name);
  const bool is_file =
      archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
  if (kind == NameKind::kOutside) {
    ++names_;
  } else if (kind == NameKind::kVisible && !is_file) {
    ++links_;
  }
  if (kind != NameKind::kVisible || !is_file) return false;
  name_ = std::move(name);
  fault_.clear();
  begin_ = static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), 0));
  size_ = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)));
  if (size_ > kMaxMemberBytes) {
    fault_ =
        fmt::format("has {} bytes, and of a member at most {} are read", size_, kMaxMemberBytes);
  } else if (archive_entry_sparse_reset(entry) > 0) {
    fault_ = "is stored with holes; pack the archive without them";
  }
  return true;
}

std::string ArchiveReader::image_path() const { return path_ == "-" ? name_ : path_ + "/" + name_; }

std::string ArchiveReader::read() {
  const std::string member = image_path();
  if (!fault_.empty()) throw InputError(member + ": " + fault_);
  check_memory(static_cast<double>(size_), member, "use a smaller file");
  std::string bytes;
  while (true) {
    const void* part = nullptr;
    std::size_t count = 0;
    la_int64_t offset = 0;
    const int state = archive_read_data_block(archive_.get(), &part, &count, &offset);
    throw_if_interrupted();
    if (state == ARCHIVE_EOF) return bytes;
    if (state != ARCHIVE_OK) {
      is_broken_ = state == ARCHIVE_FATAL;
      throw InputError(member + ": cannot be read: " + reason());
    }
    if (bytes.size() + count > kMaxMemberBytes) {
      throw InputError(fmt::format("{}: has more than {} bytes, the most that is read of a member",
                                   member, kMaxMemberBytes));
    }
    bytes.append(static_cast<const char*>(part), count);
  }
}

std::string ArchiveReader::skipped() const {
  const auto counted = [](std::size_t count, const char* one, const char* several) {
    return count == 0 ? "" : fmt::format("{} {}", count, count == 1 ? one : several);
  };
  const std::string links = counted(links_, "link or device", "links or devices");
  const std::string names = counted(names_, "name that leads out of the archive or is too long",
                                    "names that lead out of the archive or are too long");
  if (links.empty() && names.empty()) return "";
  return shown_path() + ": skipped " + links + (links.empty() || names.empty() ? "" : " and ") +
         names;
}

std::string ArchiveReader::reason() const {
  const char* text = archive_error_string(archive_.get());
  return text == nullptr ? "it is damaged" : text;
}

}  // namespace leafglyph
