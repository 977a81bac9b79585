#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "features/image_io/decode_formats.h"

namespace leafglyph::detail {
namespace {

// The EXIF block of a WebP file starts with the TIFF header, usually without "Exif\0\0".
int orientation_of(const WebPData& data) {
  constexpr std::string_view kHeader("Exif\0\0", 6);
  const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(WebPDemux(&data),
                                                                         &WebPDemuxDelete);
  if (!demuxer) return 1;
  WebPChunkIterator chunk{};
  int orientation = 1;
  if (WebPDemuxGetChunk(demuxer.get(), "EXIF", 1, &chunk) != 0) {
    std::vector<unsigned char> block(kHeader.begin(), kHeader.end());
    const std::span<const unsigned char> bytes(chunk.chunk.bytes, chunk.chunk.size);
    const bool has_header =
        bytes.size() >= kHeader.size() && std::equal(kHeader.begin(), kHeader.end(), bytes.begin());
    block.insert(block.end(), bytes.begin() + (has_header ? kHeader.size() : 0), bytes.end());
    orientation = exif_orientation(block);
  }
  WebPDemuxReleaseChunkIterator(&chunk);
  return orientation;
}

}  // namespace

StoredImage decode_webp(const OpenFile& file, const DecodeRequest& request) {
  std::vector<std::uint8_t> bytes(bytes_left(file.handle.get()));
  read_bytes(file.handle.get(), file.path, bytes.data(), bytes.size());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) {
    refuse(file.path, "is a truncated or damaged WebP file; copy it again from its source");
  }
  if (features.has_animation != 0) {
    refuse(file.path, "is an animated WebP file; save one of its pictures");
  }
  admit_pixels(file, static_cast<std::uint64_t>(features.width),
               static_cast<std::uint64_t>(features.height));
  const int channels = features.has_alpha != 0 ? 4 : 3;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(features.width) * features.height *
                                   static_cast<std::size_t>(channels));
  const int stride = features.width * channels;
  const std::uint8_t* decoded =
      channels == 4
          ? WebPDecodeRGBAInto(bytes.data(), bytes.size(), pixels.data(), pixels.size(), stride)
          : WebPDecodeRGBInto(bytes.data(), bytes.size(), pixels.data(), pixels.size(), stride);
  if (decoded == nullptr) {
    refuse(file.path, "is a truncated or damaged WebP file; copy it again from its source");
  }
  StoredImage stored;
  store(stored, static_cast<std::uint32_t>(features.width),
        static_cast<std::uint32_t>(features.height),
        laid_on<std::uint8_t>(request.ground, pixels, channels, request.grey));
  stored.exif_orientation = orientation_of({bytes.data(), bytes.size()});
  return stored;
}

}  // namespace leafglyph::detail
