#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
// jpeglib.h requires <cstdio> before it.
#include <jpeglib.h>

#include "features/image_io/encode_formats.h"

namespace leafglyph {
namespace {

// libjpeg reports errors through a callback, and only longjmp leaves its C frames. Between setjmp
// and a jump, no object with a destructor is created, so no destructor is skipped.
class JpegWriter {
 public:
  explicit JpegWriter(const SampleImage& image) : image_(image) {
    info_.err = jpeg_std_error(&errors_);
    info_.client_data = this;
    errors_.error_exit = on_error;
    errors_.emit_message = [](j_common_ptr, int) {};
    errors_.output_message = [](j_common_ptr) {};
  }
  ~JpegWriter() {
    jpeg_destroy_compress(&info_);
    std::free(bytes_);
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  std::string write(const std::vector<std::uint8_t>& samples, int quality, bool optimised) {
    if (!write_rows(samples.data(), quality, optimised)) {
      detail::refuse_to_write(image_, "JPEG", message_);
    }
    return {bytes_, bytes_ + size_};
  }

 private:
  [[noreturn]] static void on_error(j_common_ptr info) {
    auto* self = static_cast<JpegWriter*>(info->client_data);
    info->err->format_message(info, self->message_);
    std::longjmp(self->jump_, 1);
  }

  bool write_rows(const std::uint8_t* samples, int quality, bool optimised) {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_compress(&info_);
    jpeg_mem_dest(&info_, &bytes_, &size_);
    info_.image_width = static_cast<JDIMENSION>(image_.width);
    info_.image_height = static_cast<JDIMENSION>(image_.height);
    info_.input_components = image_.channels;
    info_.in_color_space = image_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, quality, /*force_baseline=*/TRUE);
    info_.optimize_coding = optimised ? TRUE : FALSE;
    jpeg_start_compress(&info_, /*write_all_tables=*/TRUE);
    while (info_.next_scanline < info_.image_height) {
      auto* row = const_cast<JSAMPROW>(samples + info_.next_scanline * detail::row_length(image_));
      jpeg_write_scanlines(&info_, &row, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }

  const SampleImage& image_;
  jpeg_compress_struct info_{};
  jpeg_error_mgr errors_{};
  unsigned char* bytes_ = nullptr;  // allocated by libjpeg
  unsigned long size_ = 0;
  char message_[JMSG_LENGTH_MAX]{};
  std::jmp_buf jump_{};
};

}  // namespace

std::string encode_jpeg(const SampleImage& image, int quality, bool optimised) {
  return JpegWriter(image).write(detail::bytes_of(image, "JPEG"), quality, optimised);
}

}  // namespace leafglyph
