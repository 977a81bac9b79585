#include "classify/serve/zip_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "classify/http/page_limits.h"
#include "classify/support/utf8_names.h"
#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace {

// The highest compression ratio of deflate.
constexpr std::size_t kDeflateRatio = 1032;

[[noreturn]] void refuse_archive() {
  throw InputError("the archive is damaged, encrypted or not a zip archive");
}

std::string_view part(std::string_view zip, std::size_t at, std::size_t size) {
  if (at > zip.size() || size > zip.size() - at) refuse_archive();
  return zip.substr(at, size);
}

// Little endian.
std::size_t number(std::string_view zip, std::size_t at, std::size_t size) {
  std::size_t value = 0;
  for (const char byte : part(zip, at, size)) {
    value = value >> 8 | std::size_t{static_cast<unsigned char>(byte)} << 8 * (size - 1);
  }
  return value;
}

/// From the header before a file to the end of its bytes.
using Extent = std::pair<std::size_t, std::size_t>;

// The extent of the file of a record of the directory. `before`: bytes before the archive.
Extent extent_of(std::string_view zip, std::size_t record, std::size_t before) {
  const std::size_t packed = number(zip, record + 20, 4), size = number(zip, record + 24, 4);
  const std::size_t header = before + number(zip, record + 42, 4);
  const std::string_view name = part(zip, record + 46, number(zip, record + 28, 2));
  if (part(zip, header, 4) != "PK\x03\x04" || size / kDeflateRatio > packed ||
      part(zip, header + 30, number(zip, header + 26, 2)) != name) {
    refuse_archive();
  }
  return {header, header + 30 + name.size() + number(zip, header + 28, 2) + packed};
}

// libarchive lists the files by the directory at the end, but names them by the headers before
// them, and reads files that share bytes. Here directory and headers must agree, and no byte may
// belong to two files. The records are those of PKWARE's APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16.
void check_directory(std::string_view zip) {
  constexpr std::size_t kEndRecord = 22, kZip64Records = 76;
  const std::size_t end = zip.size() < kEndRecord
                              ? std::string_view::npos
                              : zip.rfind("PK\x05\x06", zip.size() - kEndRecord);
  if (end == std::string_view::npos) refuse_archive();
  // Some programs write zip64's records of the end without need, with the sizes here, too.
  const bool has_zip64 = part(zip, end - std::min(end, kZip64Records), 4) == "PK\x06\x06";
  const std::size_t last = has_zip64 ? end - kZip64Records : end;
  const std::size_t directory = last - number(zip, end + 12, 4);
  std::vector<Extent> extents = {{directory, end}};
  for (std::size_t at = directory; at != last;) {
    if (at > last || part(zip, at, 4) != "PK\x01\x02") refuse_archive();
    extents.push_back(extent_of(zip, at, directory - number(zip, end + 16, 4)));
    at += 46 + number(zip, at + 28, 2) + number(zip, at + 30, 2) + number(zip, at + 32, 2);
  }
  std::ranges::sort(extents);
  const auto overlap = [](const Extent& a, const Extent& b) { return a.second > b.first; };
  if (std::ranges::adjacent_find(extents, overlap) != extents.end()) refuse_archive();
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes) : archive_(archive_read_new(), archive_read_free) {
  if (!archive_) throw std::bad_alloc();
  check_directory(bytes);
  archive_read_support_format_zip_seekable(archive_.get());
  if (archive_read_open_memory(archive_.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    refuse_archive();
  }
}

bool ZipArchive::next() {
  const Utf8Names utf8;
  archive_entry* entry = nullptr;
  const int state = archive_read_next_header(archive_.get(), &entry);
  if (state == ARCHIVE_EOF) return false;
  const char* name = state == ARCHIVE_OK ? archive_entry_pathname(entry) : nullptr;
  if (name == nullptr) refuse_archive();
  name_ = with_slashes(name);
  size_ = static_cast<std::size_t>(archive_entry_size(entry));
  return true;
}

std::string ZipArchive::read() {
  if (size() > kMaxArchivedBytes) {
    throw InputError(
        fmt::format("a file in the archive has more than {} bytes", kMaxArchivedBytes));
  }
  std::string bytes(size(), '\0');
  char further = 0;
  // The call at the end of the file verifies its checksum. More bytes than announced are also an
  // error.
  if (archive_read_data(archive_.get(), bytes.data(), bytes.size()) !=
          static_cast<la_ssize_t>(bytes.size()) ||
      archive_read_data(archive_.get(), &further, 1) != 0) {
    refuse_archive();
  }
  return bytes;
}

}  // namespace leafglyph
