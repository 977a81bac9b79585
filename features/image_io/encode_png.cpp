#include <png.h>
#include <zlib.h>

#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <new>
#include <utility>

#include "features/image_io/encode_formats.h"

namespace leafglyph {
namespace {

// A keyword of the PNG specification, 11.3.4.2.
constexpr const char* kSourceKey = "Source";

// libpng reports errors through a callback, and only longjmp leaves its C frames. Between setjmp
// and a jump, no object with a destructor is created, so no destructor is skipped.
class PngWriter {
 public:
  PngWriter(const SampleImage& image, std::string source)
      : image_(image), source_(std::move(source)) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_write_struct(&png_, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  template <class T>
  std::string write(const std::vector<T>& samples) {
    if (!write_rows(reinterpret_cast<const png_byte*>(samples.data()), sizeof(T))) {
      if (no_memory_) throw std::bad_alloc();
      detail::refuse_to_write(image_, "PNG", message_.data());
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngWriter*>(png_get_error_ptr(png));
    std::snprintf(self->message_.data(), self->message_.size(), "%s", message);
    std::longjmp(self->jump_, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  static void on_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    auto* self = static_cast<PngWriter*>(png_get_io_ptr(png));
    try {
      self->file_.append(bytes, bytes + count);
    } catch (const std::bad_alloc&) {
      self->no_memory_ = true;
    }
    if (self->no_memory_) png_error(png, "no memory");
  }
  static void on_flush(png_structp) {}

  // Differences along the rows with fast compression, because some pictures are made while a user
  // waits.
  bool write_rows(const png_byte* samples, std::size_t bytes) {
    if (setjmp(jump_) != 0) return false;
    png_set_write_fn(png_, this, on_bytes, on_flush);
    png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_compression_level(png_, Z_BEST_SPEED);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image_.width),
                 static_cast<png_uint_32>(image_.height), static_cast<int>(8 * bytes),
                 image_.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!source_.empty()) {
      png_text text{};
      text.compression = PNG_TEXT_COMPRESSION_NONE;
      text.key = key_.data();
      text.text = source_.data();
      png_set_text(png_, info_, &text, 1);
    }
    png_write_info(png_, info_);
    if (bytes > 1 && std::endian::native == std::endian::little) png_set_swap(png_);
    const std::size_t length = bytes * detail::row_length(image_);
    for (int row = 0; row < image_.height; ++row) {
      png_write_row(png_, samples + static_cast<std::size_t>(row) * length);
    }
    png_write_end(png_, info_);
    return true;
  }

  const SampleImage& image_;
  std::string source_;
  std::string key_ = kSourceKey;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string file_;
  bool no_memory_ = false;
  std::array<char, 200> message_{};
  std::jmp_buf jump_{};
};

}  // namespace

bool begins_as_png_of(std::string_view bytes, std::string_view source) {
  // The name of the next chunk follows the signature, the header (25 bytes) and the chunk's length.
  constexpr std::size_t kName = 8 + 25 + 4;
  const std::string text = std::string("tEXt") + kSourceKey + '\0' + std::string(source);
  return bytes.starts_with("\x89PNG\r\n\x1a\n") && bytes.size() >= kName &&
         bytes.substr(kName).starts_with(text);
}

std::string encode_png(const SampleImage& image, const std::string& source) {
  PngWriter writer(image, source);
  return std::visit(
      [&]<class T>(const std::vector<T>& samples) -> std::string {
        if constexpr (std::is_integral_v<T>) return writer.write(samples);
        throw UsageError("PNG files hold integers only");
      },
      image.samples);
}

}  // namespace leafglyph
