#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "features/image_io/encode_formats.h"
#include "features/image_io/tiff_handle.h"

namespace leafglyph {
namespace {

// A file in memory. libtiff does not write files from start to end, so it needs seeking.
struct MemoryFile {
  std::string bytes;
  std::size_t place = 0;
  bool no_memory = false;
};

MemoryFile& file_of(thandle_t handle) { return *static_cast<MemoryFile*>(handle); }

tmsize_t read_bytes(thandle_t handle, void* to, tmsize_t count) {
  MemoryFile& file = file_of(handle);
  if (file.place >= file.bytes.size()) return 0;
  const std::size_t length =
      std::min(static_cast<std::size_t>(count), file.bytes.size() - file.place);
  std::memcpy(to, file.bytes.data() + file.place, length);
  file.place += length;
  return static_cast<tmsize_t>(length);
}

tmsize_t write_bytes(thandle_t handle, void* from, tmsize_t count) {
  MemoryFile& file = file_of(handle);
  const std::size_t end = file.place + static_cast<std::size_t>(count);
  try {
    if (end > file.bytes.size()) file.bytes.resize(end);
  } catch (const std::bad_alloc&) {
    file.no_memory = true;
    return 0;
  }
  std::memcpy(file.bytes.data() + file.place, from, static_cast<std::size_t>(count));
  file.place = end;
  return count;
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
  MemoryFile& file = file_of(handle);
  const std::size_t start = whence == SEEK_SET   ? 0
                            : whence == SEEK_CUR ? file.place
                                                 : file.bytes.size();
  return file.place = start + offset;
}

toff_t size_of(thandle_t handle) { return file_of(handle).bytes.size(); }
int close_nothing(thandle_t) { return 0; }

template <class T>
bool write_rows(TIFF* tiff, const SampleImage& image, const std::vector<T>& samples) {
  constexpr bool kInteger = std::is_integral_v<T>;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, image.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, image.height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeof(T)));
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kInteger ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_IEEEFP);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
               image.channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, kInteger ? COMPRESSION_LZW : COMPRESSION_NONE);
  if (kInteger) TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
  const auto length = static_cast<std::ptrdiff_t>(detail::row_length(image));
  std::vector<T> row;  // a copy, because libtiff computes the differences in place
  for (int y = 0; y < image.height; ++y) {
    row.assign(samples.begin() + y * length, samples.begin() + (y + 1) * length);
    if (TIFFWriteScanline(tiff, row.data(), static_cast<std::uint32_t>(y)) != 1) return false;
  }
  return TIFFFlush(tiff) == 1;
}

}  // namespace

std::string encode_tiff(const SampleImage& image) {
  MemoryFile file;
  std::string message;
  bool written = false;
  {
    const detail::TiffHandle tiff(TIFFClientOpenExt(
        "image", "w", &file, read_bytes, write_bytes, seek, close_nothing, size_of,
        /*map=*/nullptr, /*unmap=*/nullptr, detail::quiet_tiff_options(message).get()));
    written =
        tiff &&
        std::visit([&](const auto& samples) { return write_rows(tiff.get(), image, samples); },
                   image.samples);
  }
  if (file.no_memory) throw std::bad_alloc();
  if (!written || !message.empty()) detail::refuse_to_write(image, "TIFF", message);
  return std::move(file.bytes);
}

}  // namespace leafglyph
