// Archives, for a module without libarchive, whose libraries would be a quarter of a wheel:
// refused.
#include "classify/extraction/archive_reader.h"
#include "features/base/errors.h"

namespace leafglyph {

struct ArchiveReader::Input {};

ArchiveReader::ArchiveReader(std::string path)
    : path_(std::move(path)), archive_(nullptr, nullptr) {
  throw InputError(path_ +
                   ": Python reads archives through fsspec, such as zip://*.jpg::leaves.zip; or "
                   "use the command leafglyph features extract");
}
ArchiveReader::~ArchiveReader() = default;
// None exists that could be asked for an image.
bool ArchiveReader::next() { return false; }
std::string ArchiveReader::image_path() const { return path_; }
std::string ArchiveReader::read() { return {}; }
std::string ArchiveReader::skipped() const { return {}; }

}  // namespace leafglyph
