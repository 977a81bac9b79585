// libheif, which is loaded when a HEIF file is read. Its decoders and encoders are under the GPL
// and the LGPL and large, so that programs and wheels without it can be passed on.
#pragma once

#include <libheif/heif.h>

namespace leafglyph::detail {

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

}  // namespace leafglyph::detail
