#include "features/image_io/tiff_pages.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "features/base/limits.h"

namespace leafglyph::detail {
namespace {

struct Page {
  tdir_t directory = 0;
  std::uint64_t inside = 0;  // where it is, if it is one inside that directory
  std::uint64_t pixels = 0;
  bool is_picture = true;  // neither a smaller copy nor a mask
};

Page current_page(TIFF* tiff) {
  std::uint32_t width = 0, height = 0, kind = 0;
  std::uint16_t old_kind = 0;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind);
  TIFFGetField(tiff, TIFFTAG_OSUBFILETYPE, &old_kind);
  const bool is_other =
      (kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0 || old_kind == OFILETYPE_REDUCEDIMAGE;
  return {TIFFCurrentDirectory(tiff), 0, std::uint64_t{width} * height, !is_other};
}

// Where the pages inside the current one are.
std::vector<std::uint64_t> places_inside(TIFF* tiff) {
  std::uint16_t count = 0;
  const std::uint64_t* places = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_SUBIFD, &count, &places) == 0) return {};
  return {places, places + count};
}

struct Pages {
  std::vector<Page> there;
  bool are_all = true;  // there are no others, which cannot be read or are too many
};

Pages pages_of(TIFF* tiff) {
  Pages pages{{current_page(tiff)}};
  while (TIFFLastDirectory(tiff) == 0) {
    if (pages.there.size() == kMaxPages || TIFFReadDirectory(tiff) == 0) {
      pages.are_all = false;
      break;
    }
    pages.there.push_back(current_page(tiff));
  }
  return pages;
}

bool is_picture(const Page& page) { return page.is_picture; }

bool turn_to(TIFF* tiff, const Page& page) {
  return TIFFSetDirectory(tiff, page.directory) != 0 &&
         (page.inside == 0 || TIFFSetSubDirectory(tiff, page.inside) != 0);
}

// The pages inside others.
std::vector<Page> inner_pages(TIFF* tiff, const std::vector<Page>& pages) {
  std::vector<Page> inner;
  for (const Page& outer : pages) {
    if (!turn_to(tiff, outer)) continue;
    for (const std::uint64_t place : places_inside(tiff)) {
      if (inner.size() == kMaxPages || TIFFSetSubDirectory(tiff, place) == 0) break;
      Page page = current_page(tiff);
      page.directory = outer.directory;
      page.inside = place;
      inner.push_back(page);
    }
  }
  return inner;
}

}  // namespace

int stack_pages(std::FILE* file, const std::filesystem::path& path) {
  std::string message;
  const TiffHandle tiff = open_tiff(file, path.c_str(), message);
  if (!tiff) return 1;
  const Pages pages = pages_of(tiff.get());
  const std::vector<Page>& there = pages.there;
  const bool is_stack = std::ranges::all_of(there, [&](const Page& page) {
    return page.is_picture && page.pixels == there.front().pixels;
  });
  if (!is_stack) return 1;
  if (!pages.are_all) {
    refuse(path,
           there.size() == kMaxPages
               ? "has more than " + std::to_string(kMaxPages) + " pages"
               : "is a damaged TIFF file: a page cannot be read; copy it again from its source");
  }
  return static_cast<int>(there.size());
}

std::string choose_page(TIFF* tiff, const OpenFile& file) {
  std::vector<Page> pages = pages_of(tiff).there;
  const std::size_t count = pages.size();
  if (file.page > static_cast<int>(count)) {
    refuse(file.path, "there is no such page; the file has " + std::to_string(count));
  }
  auto chosen = pages.begin() + std::max(0, file.page - 1);
  if (file.page == 0 && !is_picture(pages.front())) {
    const std::vector<Page> inner = inner_pages(tiff, pages);
    pages.insert(pages.end(), inner.begin(), inner.end());
    chosen = std::find_if(pages.begin(), pages.end(), is_picture);
    if (chosen == pages.end()) {
      chosen = std::max_element(pages.begin(), pages.end(),
                                [](const Page& a, const Page& b) { return a.pixels < b.pixels; });
    }
  }
  if (!turn_to(tiff, *chosen)) {  // also after a page that cannot be read
    refuse(file.path,
           "is a damaged TIFF file: a page cannot be read; copy it again from its source");
  }
  if (pages.size() == 1 || file.page > 0) return "";
  const std::string page = std::to_string(chosen->directory + 1);
  return "page " + page + " of " + std::to_string(count) + " was read" +
         (chosen->inside != 0 ? ", the picture inside it" : "");
}

}  // namespace leafglyph::detail
