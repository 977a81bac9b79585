#include <csetjmp>
#include <cstddef>
#include <cstdio>
// jpeglib.h needs <cstdio> before it.
#include <jerror.h>
#include <jpeglib.h>

#include <string>
#include <vector>

#include "features/decode_formats.h"

namespace leafglyph::detail {
namespace {

// libjpeg reports errors by calling back; leaving its C frames needs longjmp. Everything between
// setjmp and a jump holds only objects that outlive it (see read_all), so no destructor is missed.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
};

JpegErrors& errors_of(j_common_ptr info) {
  // `manager` is the first member of a standard-layout struct.
  return *reinterpret_cast<JpegErrors*>(info->err);
}

[[noreturn]] void fail(j_common_ptr info) {
  info->err->format_message(info, errors_of(info).message);
  std::longjmp(errors_of(info).jump, 1);
}

// Warnings that mean lost pixels end the decoding; harmless ones (a stray byte between segments)
// do not.
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

class JpegReader {
 public:
  explicit JpegReader(const OpenFile& file) : file_(file) {
    info_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = fail;
    errors_.manager.emit_message = on_message;
    errors_.manager.output_message = no_output;
    jpeg_create_decompress(&info_);
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  StoredImage read() {
    StoredImage stored;
    if (!read_header()) refuse_damaged();
    stored.exif_orientation = orientation();
    choose_reduction();
    stored.image.reduction = static_cast<int>(info_.scale_denom);
    stored.image.file_width = static_cast<int>(info_.image_width);
    stored.image.file_height = static_cast<int>(info_.image_height);
    const bool cmyk = info_.num_components == 4;
    info_.out_color_space = cmyk ? JCS_CMYK : JCS_GRAYSCALE;
    jpeg_calc_output_dimensions(&info_);
    stored.image.grey = Image<std::uint8_t>(static_cast<int>(info_.output_width),
                                            static_cast<int>(info_.output_height));
    std::vector<std::uint8_t> ink(cmyk ? std::size_t{4} * info_.output_width : 0);
    if (!read_pixels(stored.image.grey, ink)) refuse_damaged();
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

  // A progressive file is held whole as coefficients while it is decoded, however small the image
  // that comes out.
  void choose_reduction() {
    const std::uint64_t width = info_.image_width, height = info_.image_height;
    if (jpeg_has_multiple_scans(&info_)) check_pixel_count(file_.path, width, height);
    unsigned reduction = 1;
    while (reduction < 8 && width * height / (reduction * reduction) > kMaxDecodedPixels) {
      reduction *= 2;
    }
    check_pixel_count(file_.path, width / reduction, height / reduction);
    info_.scale_num = 1;
    info_.scale_denom = reduction;
  }

  bool read_pixels(Image<std::uint8_t>& grey, std::vector<std::uint8_t>& ink) {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* row =
          grey.data() + static_cast<std::size_t>(info_.output_scanline) * info_.output_width;
      JSAMPROW target = ink.empty() ? row : ink.data();
      jpeg_read_scanlines(&info_, &target, 1);
      if (!ink.empty()) ink_to_grey(ink.data(), row);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  // Adobe's CMYK files, practically all there are, hold 255 for no ink.
  void ink_to_grey(const std::uint8_t* ink, std::uint8_t* row) const {
    for (unsigned i = 0; i < info_.output_width; ++i) {
      unsigned light[4];
      for (unsigned c = 0; c < 4; ++c) {
        light[c] = info_.saw_Adobe_marker ? ink[4 * i + c] : 255u - ink[4 * i + c];
      }
      row[i] = grey_on_white(light[0] * light[3] / 255, light[1] * light[3] / 255,
                             light[2] * light[3] / 255, 255);
    }
  }

  [[noreturn]] void refuse_damaged() const {
    refuse(file_.path, std::string("is a truncated or damaged JPEG file (") + errors_.message +
                           "); copy it again from its source");
  }

  const OpenFile& file_;
  JpegErrors errors_{};
  jpeg_decompress_struct info_{};
};

}  // namespace

StoredImage decode_jpeg(const OpenFile& file) { return JpegReader(file).read(); }

}  // namespace leafglyph::detail
