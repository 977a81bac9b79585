#include <csetjmp>
#include <cstddef>
#include <cstdio>
// jpeglib.h requires <cstdio> before it.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/image/resample.h"
#include "features/image_io/decode_formats.h"

namespace leafglyph::detail {
namespace {

// libjpeg reports errors through a callback, and only longjmp leaves its C frames. Between setjmp
// and a jump, no object with a destructor is created (see read_pixels), so no destructor is
// skipped.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
  bool interrupted = false;
};

JpegErrors& errors_of(j_common_ptr info) {
  // `manager` is the first member of a standard-layout struct.
  return *reinterpret_cast<JpegErrors*>(info->err);
}

[[noreturn]] void fail(j_common_ptr info) {
  info->err->format_message(info, errors_of(info).message);
  std::longjmp(errors_of(info).jump, 1);
}

// Warnings that mean lost pixels end the decoding. Harmless ones (a stray byte between segments) do
// not.
void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_BOGUS_PROGRESSION:
      fail(info);
    default:
      break;
  }
}

void no_output(j_common_ptr) {}

// Called for every row of blocks in every scan.
void watch(j_common_ptr info) {
  if (!interrupted()) return;
  errors_of(info).interrupted = true;
  std::longjmp(errors_of(info).jump, 1);
}

// The next marker, or EOF. In the data of a scan, 0xff is followed by 0.
int next_marker(std::FILE* file) {
  int byte = std::getc(file);
  while (byte != EOF) {
    if (byte != 0xff) {
      byte = std::getc(file);
      continue;
    }
    while (byte == 0xff) byte = std::getc(file);
    if (byte != 0) return byte;
  }
  return EOF;
}

// Whether the file contains more than kMaxJpegScans scans. Each scan costs as much work as a whole
// image, so a small file could cause hours of work. The scans are counted before any of them is
// decoded.
bool has_too_many_scans(std::FILE* file) {
  constexpr int kStart = 0xd8, kEnd = 0xd9, kScan = 0xda, kFirstRestart = 0xd0;
  const long at = std::ftell(file);
  std::rewind(file);
  int scans = 0;
  for (int marker = next_marker(file); marker != EOF && marker != kEnd;
       marker = next_marker(file)) {
    if ((marker >= kFirstRestart && marker <= kStart) || marker == 1) continue;  // two bytes only
    const int high = std::getc(file);
    const int low = std::getc(file);
    const int length = 256 * high + low;
    if (low == EOF || length < 2) break;
    if (marker == kScan) ++scans;
    if (scans > kMaxJpegScans || std::fseek(file, length - 2, SEEK_CUR) != 0) break;
  }
  std::fseek(file, at, SEEK_SET);
  return scans > kMaxJpegScans;
}

class JpegReader {
 public:
  JpegReader(const OpenFile& file, const DecodeRequest& request) : file_(file), request_(request) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = fail;
    errors_.manager.emit_message = on_message;
    errors_.manager.output_message = no_output;
    jpeg_create_decompress(&info_);
    progress_.progress_monitor = watch;
    info_.progress = &progress_;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  StoredImage read() {
    StoredImage stored;
    if (!read_header()) refuse_damaged();
    if (jpeg_has_multiple_scans(&info_) && has_too_many_scans(file_.handle.get())) {
      refuse(file_.path, "is a JPEG file of more than " + std::to_string(kMaxJpegScans) +
                             " scans, which no camera or program writes; save it again");
    }
    stored.exif_orientation = orientation();
    if (info_.saw_JFIF_marker) {
      stored.image.pixel_aspect = pixel_aspect_of(info_.X_density, info_.Y_density);
    }
    choose_reduction();
    stored.reduction = static_cast<int>(info_.scale_denom);
    stored.file_width = static_cast<int>(info_.image_width);
    stored.file_height = static_cast<int>(info_.image_height);
    const bool cmyk = info_.num_components == 4;
    const bool grey = request_.grey || info_.num_components == 1;
    channels_ = grey ? 1 : 3;
    info_.out_color_space = cmyk ? JCS_CMYK : grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_calc_output_dimensions(&info_);
    stored.image.width = static_cast<int>(info_.output_width);
    stored.image.height = static_cast<int>(info_.output_height);
    stored.image.channels = static_cast<int>(channels_);
    std::vector<std::uint8_t> samples(std::size_t{info_.output_width} * info_.output_height *
                                      channels_);
    std::vector<std::uint8_t> ink(cmyk ? std::size_t{4} * info_.output_width : 0);
    if (!read_pixels(samples, ink)) refuse_damaged();
    stored.image.samples = std::move(samples);
    return stored;
  }

 private:
  bool read_header() {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_stdio_src(&info_, file_.handle.get());
    jpeg_save_markers(&info_, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  int orientation() const {
    for (jpeg_saved_marker_ptr marker = info_.marker_list; marker != nullptr;
         marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (data.substr(0, 4) == "Exif") return exif_orientation({marker->data, data.size()});
    }
    return 1;
  }

  // A progressive file is kept in full as coefficients while it is decoded, however small the
  // resulting image.
  void choose_reduction() {
    const std::uint64_t width = info_.image_width, height = info_.image_height;
    if (!request_.reduce_huge) check_pixel_count(file_.path, width, height);
    const unsigned reduction = reduction_of_huge(
        width, height,
        static_cast<unsigned>(power_of_two_reduction(std::max(width, height),
                                                     static_cast<std::uint64_t>(request_.enough))));
    const std::uint64_t held = jpeg_has_multiple_scans(&info_) ? 1 : reduction;
    admit_pixels(file_, width / held, height / held);
    info_.scale_num = 1;
    info_.scale_denom = reduction;
  }

  bool read_pixels(std::vector<std::uint8_t>& samples, std::vector<std::uint8_t>& ink) {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* row =
          samples.data() + std::size_t{info_.output_scanline} * info_.output_width * channels_;
      JSAMPROW target = ink.empty() ? row : ink.data();
      jpeg_read_scanlines(&info_, &target, 1);
      if (!ink.empty()) ink_to_light(ink.data(), row);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  // Adobe's CMYK files, practically the only ones, store 255 for no ink.
  void ink_to_light(const std::uint8_t* ink, std::uint8_t* row) const {
    for (unsigned i = 0; i < info_.output_width; ++i) {
      unsigned light[4];
      for (unsigned c = 0; c < 4; ++c) {
        light[c] = info_.saw_Adobe_marker ? ink[4 * i + c] : 255u - ink[4 * i + c];
      }
      std::uint8_t colour[3];
      for (unsigned c = 0; c < 3; ++c) {
        colour[c] = static_cast<std::uint8_t>(light[c] * light[3] / 255);
      }
      if (channels_ == 1) {
        row[i] = grey_of(colour[0], colour[1], colour[2]);
      } else {
        std::copy_n(colour, 3, row + 3 * std::size_t{i});
      }
    }
  }

  [[noreturn]] void refuse_damaged() const {
    if (errors_.interrupted) throw Interrupted();
    if (errors_.manager.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
    refuse(file_.path, std::string("is a truncated or damaged JPEG file (") + errors_.message +
                           "); copy it again from its source");
  }

  const OpenFile& file_;
  const DecodeRequest& request_;
  std::size_t channels_ = 1;
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
};

}  // namespace

StoredImage decode_jpeg(const OpenFile& file, const DecodeRequest& request) {
  return JpegReader(file, request).read();
}

}  // namespace leafglyph::detail
