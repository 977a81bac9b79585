// Reads HEIF files by libheif, which is loaded when the first one is read. Its decoders and
// encoders are under the GPL and the LGPL and large, so that programs and wheels without it can be
// passed on.
#include <dlfcn.h>
#include <libheif/heif.h>

#include <memory>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/image_io/decode_formats.h"

namespace leafglyph::detail {
namespace {

// The name with the version of its interface, which the headers describe.
constexpr const char* kLibrary = "libheif.so.1";

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw Error(std::string(kLibrary) + " is too old: no " + name);
}

/// The functions of libheif that are used, under their names without heif_.
struct HeifLibrary {
  /// Loads the library, which then stays loaded. Throws Error if it is missing or too old.
  HeifLibrary();

  decltype(&::heif_context_alloc) context_alloc;
  decltype(&::heif_context_free) context_free;
  decltype(&::heif_context_read_from_memory_without_copy) context_read_from_memory_without_copy;
  decltype(&::heif_context_get_primary_image_handle) context_get_primary_image_handle;
  decltype(&::heif_image_handle_get_width) image_handle_get_width;
  decltype(&::heif_image_handle_get_height) image_handle_get_height;
  decltype(&::heif_image_handle_has_alpha_channel) image_handle_has_alpha_channel;
  decltype(&::heif_image_handle_release) image_handle_release;
  decltype(&::heif_decode_image) decode_image;
  decltype(&::heif_image_get_primary_width) image_get_primary_width;
  decltype(&::heif_image_get_primary_height) image_get_primary_height;
  decltype(&::heif_image_get_plane_readonly) image_get_plane_readonly;
  decltype(&::heif_image_release) image_release;
};

HeifLibrary::HeifLibrary() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    throw Error(std::string("this needs ") + kLibrary +
                " (Debian: apt install libheif1); install it, or save the file as JPEG");
  }
  find(library, "heif_context_alloc", context_alloc);
  find(library, "heif_context_free", context_free);
  find(library, "heif_context_read_from_memory_without_copy",
       context_read_from_memory_without_copy);
  find(library, "heif_context_get_primary_image_handle", context_get_primary_image_handle);
  find(library, "heif_image_handle_get_width", image_handle_get_width);
  find(library, "heif_image_handle_get_height", image_handle_get_height);
  find(library, "heif_image_handle_has_alpha_channel", image_handle_has_alpha_channel);
  find(library, "heif_image_handle_release", image_handle_release);
  find(library, "heif_decode_image", decode_image);
  find(library, "heif_image_get_primary_width", image_get_primary_width);
  find(library, "heif_image_get_primary_height", image_get_primary_height);
  find(library, "heif_image_get_plane_readonly", image_get_plane_readonly);
  find(library, "heif_image_release", image_release);
}

/// Reads the main image of a HEIF file.
class HeifReader {
 public:
  HeifReader(const HeifLibrary& heif, const OpenFile& file)
      : heif_(heif),
        file_(file),
        context_(nullptr, heif.context_free),
        handle_(nullptr, heif.image_handle_release),
        image_(nullptr, heif.image_release) {
    context_.reset(heif_.context_alloc());
    bytes_.resize(bytes_left(file.handle.get()));
    read_bytes(file.handle.get(), file.path, bytes_.data(), bytes_.size());
    check(heif_.context_read_from_memory_without_copy(context_.get(), bytes_.data(), bytes_.size(),
                                                      nullptr));
    heif_image_handle* handle = nullptr;
    check(heif_.context_get_primary_image_handle(context_.get(), &handle));
    handle_.reset(handle);
  }

  // libheif rotates images as the file requires. The EXIF block repeats that rotation, so it is
  // ignored.
  StoredImage read(const DecodeRequest& request) {
    const int width = heif_.image_handle_get_width(handle_.get());
    const int height = heif_.image_handle_get_height(handle_.get());
    admit_pixels(file_, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height));
    const bool alpha = heif_.image_handle_has_alpha_channel(handle_.get()) != 0;
    heif_image* image = nullptr;
    check(heif_.decode_image(handle_.get(), &image, heif_colorspace_RGB,
                             alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
                             nullptr));
    image_.reset(image);
    StoredImage stored;
    store(
        stored, static_cast<std::uint32_t>(heif_.image_get_primary_width(image)),
        static_cast<std::uint32_t>(heif_.image_get_primary_height(image)),
        laid_on<std::uint8_t>(request.ground, samples(alpha ? 4 : 3), alpha ? 4 : 3, request.grey));
    return stored;
  }

 private:
  // The pixels without the padding of rows.
  std::vector<std::uint8_t> samples(int channels) const {
    int stride = 0;
    const std::uint8_t* plane =
        heif_.image_get_plane_readonly(image_.get(), heif_channel_interleaved, &stride);
    if (plane == nullptr) refuse_damaged("no pixels");
    const int height = heif_.image_get_primary_height(image_.get());
    const auto row = static_cast<std::size_t>(heif_.image_get_primary_width(image_.get())) *
                     static_cast<std::size_t>(channels);
    std::vector<std::uint8_t> pixels;
    pixels.reserve(row * static_cast<std::size_t>(height));
    for (int j = 0; j < height; ++j) {
      const std::uint8_t* from = plane + static_cast<std::size_t>(j) * stride;
      pixels.insert(pixels.end(), from, from + row);
    }
    return pixels;
  }

  void check(const heif_error& error) const {
    if (error.code != heif_error_Ok) refuse_damaged(error.message);
  }

  [[noreturn]] void refuse_damaged(const std::string& message) const {
    refuse(file_.path, "is a truncated or damaged HEIF file, or of an unsupported kind (" +
                           message + "); copy it again from its source, or save it as JPEG");
  }

  const HeifLibrary& heif_;
  const OpenFile& file_;
  std::vector<std::uint8_t> bytes_;
  std::unique_ptr<heif_context, decltype(HeifLibrary::context_free)> context_;
  std::unique_ptr<const heif_image_handle, decltype(HeifLibrary::image_handle_release)> handle_;
  std::unique_ptr<const heif_image, decltype(HeifLibrary::image_release)> image_;
};

// libheif, or a refusal of this file if the machine does not have it.
HeifLibrary library_for(const OpenFile& file) {
  try {
    return {};
  } catch (const Error& error) {
    refuse(file.path, std::string("is a HEIF file; ") + error.what());
  }
}

}  // namespace

StoredImage decode_heif(const OpenFile& file, const DecodeRequest& request) {
  const HeifLibrary heif = library_for(file);
  return HeifReader(heif, file).read(request);
}

}  // namespace leafglyph::detail
