#include "features/image_io/heif_library.h"

#include <dlfcn.h>

#include "features/base/errors.h"

namespace leafglyph::detail {
namespace {

// The name with the version of its interface, which the headers describe.
constexpr const char* kLibrary = "libheif.so.1";

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw Error(std::string(kLibrary) + " is too old: no " + name);
}

}  // namespace

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

}  // namespace leafglyph::detail
