// The pages of a TIFF file, and which of them is the picture.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

#include "features/image_io/decode_formats.h"
#include "features/image_io/tiff_handle.h"

namespace leafglyph::detail {

/// Makes the page that the file names the current one: by default the first that is not marked as a
/// smaller copy or a mask, also among the pages inside a page where all others are marked; the
/// largest if every one is. Returns a note about it; empty for a file of one page. Throws
/// InputError if there is no such page, or the file is damaged.
std::string choose_page(TIFF* tiff, const OpenFile& file);

/// The number of pages if they are slices of a volume: more than one, all as large as the first and
/// none marked as a smaller copy or a mask. 1 for any other file. Throws InputError where one of
/// them cannot be read.
int stack_pages(std::FILE* file, const std::filesystem::path& path);

}  // namespace leafglyph::detail
