#include "classify/serve/zip_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "classify/http/page_limits.h"
#include "features/base/errors.h"
#include "features/base/limits.h"

namespace leafglyph {
namespace {

// The highest compression ratio of deflate.
constexpr std::size_t kDeflateRatio = 1032;

[[noreturn]] void refuse_archive() {
  throw InputError("the archive is damaged, encrypted or not a zip archive");
}

}  // namespace

// minizip reads through functions that its caller provides. These read from memory.
zlib_filefunc64_def ZipArchive::functions_on(Source& source) {
  zlib_filefunc64_def functions{};
  functions.opaque = &source;
  functions.zopen64_file = [](voidpf opaque, const void*, int) -> voidpf { return opaque; };
  functions.zread_file = [](voidpf opaque, voidpf, void* to, uLong size) -> uLong {
    Source& from = *static_cast<Source*>(opaque);
    const std::size_t count = std::min<std::size_t>(size, from.bytes.size() - from.place);
    std::memcpy(to, from.bytes.data() + from.place, count);
    from.place += count;
    return count;
  };
  functions.zwrite_file = [](voidpf, voidpf, const void*, uLong) -> uLong { return 0; };
  functions.ztell64_file = [](voidpf opaque, voidpf) -> ZPOS64_T {
    return static_cast<Source*>(opaque)->place;
  };
  functions.zseek64_file = [](voidpf opaque, voidpf, ZPOS64_T offset, int origin) -> long {
    Source& in = *static_cast<Source*>(opaque);
    const std::uint64_t begin = origin == SEEK_SET   ? 0
                                : origin == SEEK_CUR ? in.place
                                                     : in.bytes.size();
    if (offset > in.bytes.size() - begin) return -1;
    in.place = begin + offset;
    return 0;
  };
  functions.zclose_file = [](voidpf, voidpf) { return 0; };
  functions.zerror_file = [](voidpf, voidpf) { return 0; };
  return functions;
}

ZipArchive::ZipArchive(std::string_view bytes) : source_{bytes} {
  zlib_filefunc64_def functions = functions_on(source_);
  zip_.reset(unzOpen2_64("", &functions));
  if (!zip_) refuse_archive();
}

bool ZipArchive::next() {
  const int state = begun_ ? unzGoToNextFile(zip_.get()) : unzGoToFirstFile(zip_.get());
  begun_ = true;
  if (state == UNZ_END_OF_LIST_OF_FILE) return false;
  std::array<char, kMaxArchivedName + 1> name{};
  if (state != UNZ_OK || unzGetCurrentFileInfo64(zip_.get(), &info_, name.data(), kMaxArchivedName,
                                                 nullptr, 0, nullptr, 0) != UNZ_OK) {
    refuse_archive();
  }
  name_ = name.data();
  return true;
}

std::string ZipArchive::read() {
  if (size() > kMaxArchivedBytes) {
    throw InputError(
        fmt::format("a file in the archive has more than {} bytes", kMaxArchivedBytes));
  }
  if (size() / kDeflateRatio > info_.compressed_size) refuse_archive();
  if (unzOpenCurrentFile(zip_.get()) != UNZ_OK) refuse_archive();
  std::string bytes(size(), '\0');
  const int count =
      unzReadCurrentFile(zip_.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
  // Closing the file verifies its checksum. More bytes than announced are also an error.
  char further = 0;
  const bool whole =
      count == static_cast<int>(bytes.size()) && unzReadCurrentFile(zip_.get(), &further, 1) == 0;
  if (unzCloseCurrentFile(zip_.get()) != UNZ_OK || !whole) refuse_archive();
  return bytes;
}

}  // namespace leafglyph
