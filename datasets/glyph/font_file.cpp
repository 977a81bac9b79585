#include "datasets/glyph/font_file.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

using namespace std::string_view_literals;

// TrueType, OpenType with PostScript outlines, collections of either, TrueType of old Macs.
constexpr std::array kOutlineMagic = {"\0\1\0\0"sv, "OTTO"sv, "ttcf"sv, "true"sv};

FileHandle open_font(const std::string& file) {
  if (!is_there(file)) {
    throw InputError("font file '" + file +
                     "' does not exist; install it (the default fonts are in Debian's packages "
                     "xfonts-base, fonts-arphic-gbsn00lp, fonts-arphic-gkai00mp and "
                     "fonts-wqy-microhei) or name another one");
  }
  return open_input(file);
}

void check_size(const std::string& file, std::size_t bytes) {
  if (bytes <= kMaxFontBytes) return;
  throw InputError("font file '" + file + "' has more than " + bytes_text(kMaxFontBytes) +
                   " unpacked, the most that is read of a font");
}

}  // namespace

FontFile::FontFile(const std::string& file)
    : name_(file),
      file_(open_font(file)),
      opened_(stamp_of(file_.get())),
      lasting_stamp_(leafglyph::lasting_stamp(opened_)) {
  std::array<std::uint8_t, 4> magic{};
  read(0, magic);
  const std::string_view begins(reinterpret_cast<const char*>(magic.data()), magic.size());
  if (std::ranges::find(kOutlineMagic, begins) == kOutlineMagic.end()) {
    unpack();
  } else {
    check_size(file, opened_.size);
  }
}

// zlib copies input that is not gzipped.
void FontFile::unpack() {
  // gzclose closes the descriptor given to gzdopen.
  const int descriptor = ::dup(::fileno(file_.get()));
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzdopen(descriptor, "rb"), gzclose);
  if (!stream) {
    if (descriptor >= 0) ::close(descriptor);
    throw Error("font file '" + name_ + "' cannot be unpacked: out of memory or descriptors");
  }
  constexpr std::size_t kStep = 1U << 20;
  for (int got = 1; got > 0;) {
    const std::size_t before = bytes_.size();
    bytes_.resize(before + kStep);
    got = gzread(stream.get(), bytes_.data() + before, kStep);
    if (got < 0) {
      throw FormatError("font file '" + name_ + "' is damaged: its gzip data ends early");
    }
    bytes_.resize(before + static_cast<std::size_t>(got));
    check_size(name_, bytes_.size());
  }
}

std::size_t FontFile::size() const { return bytes_.empty() ? opened_.size : bytes_.size(); }

std::size_t FontFile::read(std::size_t offset, std::span<std::uint8_t> part) const {
  std::size_t done = 0;
  while (done < part.size()) {
    const ssize_t got = ::pread(::fileno(file_.get()), part.data() + done, part.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (done < part.size() && offset + done < opened_.size) is_cut_ = true;
  return done;
}

std::string FontFile::digest() const {
  std::vector<std::uint8_t> packed(opened_.size);
  const bool whole = read(0, packed) == packed.size();
  if (!whole || stamp_of(file_.get()) != opened_) {
    throw InputError("font file '" + name_ + "' changed while it was being read; try again");
  }
  return sha256({reinterpret_cast<const char*>(packed.data()), packed.size()});
}

}  // namespace leafglyph
