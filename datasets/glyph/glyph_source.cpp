#include "datasets/glyph/glyph_source.h"

#include <ft2build.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

#include "datasets/glyph/font_file.h"
#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/outline_contours.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"

#include FT_FREETYPE_H
#include FT_BDF_H
#include FT_BITMAP_H
#include FT_OUTLINE_H
#include FT_TRUETYPE_TABLES_H

namespace leafglyph {
namespace {

// FreeType's unit of length: 1/64 pixel.
constexpr FT_Pos kPixel = 64;

// FreeType's callback to read a font piece by piece; a call with count 0 asks whether the offset is
// valid.
unsigned long read_stream(FT_Stream stream, unsigned long offset, unsigned char* buffer,
                          unsigned long count) {
  const auto* file = static_cast<const FontFile*>(stream->descriptor.pointer);
  if (count == 0) return offset <= stream->size ? 0 : 1;
  return file->read(offset, {buffer, count});
}

// The baseline row that places the em box of an outline font in a square of `size` pixels: from the
// typographic ascender and descender if they span one em, otherwise from the middle of the line.
double em_baseline(FT_Face face, int size) {
  const auto* os2 = static_cast<const TT_OS2*>(FT_Get_Sfnt_Table(face, FT_SFNT_OS2));
  const double em = face->units_per_EM;
  double ascender = face->ascender;
  double descender = face->descender;
  if (os2 != nullptr && os2->sTypoAscender - os2->sTypoDescender == face->units_per_EM) {
    ascender = os2->sTypoAscender;
    descender = os2->sTypoDescender;
  }
  return size * (0.5 + (ascender + descender) / (2 * em));
}

}  // namespace

class GlyphSource::Implementation {
 public:
  explicit Implementation(const FontOptions& options) : options_(options) {
    if (options.pixel_size < 1 || options.pixel_size > kMaxGlyphSide) {
      throw UsageError("pixel size " + std::to_string(options.pixel_size) + " of font '" +
                       options.file + "'; use 1 to " + std::to_string(kMaxGlyphSide));
    }
    file_ = std::make_shared<const FontFile>(options_.file);
    prepare();
  }
  Implementation(const Implementation& other) : options_(other.options_), file_(other.file_) {
    prepare();
  }

  const FontOptions& options() const { return options_; }
  bool is_bitmap() const { return !FT_IS_SCALABLE(face_.get()); }

  std::string family() const {
    if (face_->family_name != nullptr && *face_->family_name != '\0') return face_->family_name;
    return std::filesystem::path(options_.file).filename().string();
  }

  const FontFile& file() const { return *file_; }

  FT_UInt glyph_index(char32_t character) const {
    if (!gb_codes_) return FT_Get_Char_Index(face_.get(), character);
    const auto code = gb_codes_->code(character);
    return code ? FT_Get_Char_Index(face_.get(), *code) : 0;
  }

  bool draws(char32_t character) const {
    const FT_UInt index = glyph_index(character);
    if (index == 0) return false;
    load(character, index, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
    return face_->glyph->format != FT_GLYPH_FORMAT_OUTLINE || face_->glyph->outline.n_points > 0;
  }

  void render(char32_t character, std::span<std::uint8_t> ink) const {
    const auto size = static_cast<std::size_t>(options_.pixel_size);
    if (ink.size() != size * size) {
      throw UsageError("a glyph of " + std::to_string(size) + " x " + std::to_string(size) +
                       " pixels does not fit " + std::to_string(ink.size()) + " elements");
    }
    const FT_UInt index = required_index(character);
    std::fill(ink.begin(), ink.end(), std::uint8_t{0});
    if (is_bitmap()) {
      draw_bitmap(character, index, ink);
    } else {
      draw_outline(character, index, ink);
    }
    if (std::all_of(ink.begin(), ink.end(), [](std::uint8_t value) { return value == 0; })) {
      throw InputError("font '" + options_.file + "' draws nothing for " +
                       describe_character(character) + "; use a font that has it");
    }
  }

  std::vector<GlyphContour> outline(char32_t character) const {
    const FT_UInt index = required_index(character);
    if (is_bitmap()) return {};
    return outline_contours(placed_outline(character, index),
                            options_.pixel_size * static_cast<double>(kPixel));
  }

 private:
  struct LibraryDeleter {
    void operator()(FT_Library library) const { FT_Done_FreeType(library); }
  };
  struct FaceDeleter {
    void operator()(FT_Face face) const { FT_Done_Face(face); }
  };
  using Library = std::unique_ptr<std::remove_pointer_t<FT_Library>, LibraryDeleter>;
  using Face = std::unique_ptr<std::remove_pointer_t<FT_Face>, FaceDeleter>;

  FT_UInt required_index(char32_t character) const {
    const FT_UInt index = glyph_index(character);
    if (index != 0) return index;
    throw InputError("font '" + options_.file + "' lacks " + describe_character(character) +
                     "; use a font that has it or leave the character out");
  }

  void prepare() {
    open();
    choose_character_map();
    if (is_bitmap()) {
      choose_strike();
    } else {
      FT_Set_Pixel_Sizes(face_.get(), 0, static_cast<FT_UInt>(options_.pixel_size));
    }
  }

  void open() {
    FT_Library library = nullptr;
    if (FT_Init_FreeType(&library) != 0) throw Error("FreeType could not be started");
    library_.reset(library);
    face_.reset(open_face(0));
    if (!face_) {
      throw FormatError("'" + options_.file + "' is not a font that FreeType can read");
    }
    const FT_Long faces = face_->num_faces;
    if (options_.face_index < 0 || options_.face_index >= faces) {
      throw UsageError("font '" + options_.file + "' has no face " +
                       std::to_string(options_.face_index) + "; use 0 to " +
                       std::to_string(faces - 1));
    }
    if (options_.face_index == 0) return;
    face_.reset();
    face_.reset(open_face(options_.face_index));
    if (!face_) {
      throw FormatError("face " + std::to_string(options_.face_index) + " of font '" +
                        options_.file + "' is damaged");
    }
  }

  // Null when FreeType cannot read the font. No other face is open at that time.
  FT_Face open_face(int index) {
    FT_Open_Args arguments{};
    if (!file_->bytes().empty()) {
      arguments.flags = FT_OPEN_MEMORY;
      arguments.memory_base = file_->bytes().data();
      arguments.memory_size = static_cast<FT_Long>(file_->size());
    } else {
      stream_ = std::make_unique<FT_StreamRec>();
      stream_->size = file_->size();
      stream_->descriptor.pointer = const_cast<FontFile*>(file_.get());
      stream_->read = read_stream;
      arguments.flags = FT_OPEN_STREAM;
      arguments.stream = stream_.get();
    }
    FT_Face face = nullptr;
    return FT_Open_Face(library_.get(), &arguments, index, &face) == 0 ? face : nullptr;
  }

  // Unicode if the font has it; otherwise the codes of GB 2312 that old X11 fonts use.
  void choose_character_map() {
    if (FT_Select_Charmap(face_.get(), FT_ENCODING_UNICODE) == 0) return;
    const char* encoding = nullptr;
    const char* registry = nullptr;
    // For fonts without these properties the call succeeds with null pointers.
    if (face_->num_charmaps > 0 && FT_Get_BDF_Charset_ID(face_.get(), &encoding, &registry) == 0 &&
        encoding != nullptr && registry != nullptr && std::string_view(registry) == "GB2312.1980" &&
        std::string_view(encoding) == "0" && FT_Set_Charmap(face_.get(), face_->charmaps[0]) == 0) {
      gb_codes_.emplace();
      return;
    }
    throw FormatError("font '" + options_.file +
                      "' has neither a Unicode nor a GB2312.1980-0 character map");
  }

  void choose_strike() {
    if (options_.box == GlyphBox::kBounds) {
      throw UsageError("font '" + options_.file +
                       "' is a bitmap font, which is not resampled; use box: em");
    }
    std::string sizes;
    for (int i = 0; i < face_->num_fixed_sizes; ++i) {
      const FT_Bitmap_Size& strike = face_->available_sizes[i];
      if (strike.height == options_.pixel_size || strike.y_ppem == options_.pixel_size * kPixel) {
        if (FT_Select_Size(face_.get(), i) == 0) return;
      }
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(strike.height);
    }
    throw UsageError("font '" + options_.file + "' has no bitmaps of " +
                     std::to_string(options_.pixel_size) + " pixels; it has " + sizes);
  }

  void load(char32_t character, FT_UInt index, FT_Int32 flags) const {
    if (FT_Load_Glyph(face_.get(), index, flags) != 0 || file_->is_cut()) {
      throw FormatError("font '" + options_.file + "' is damaged at " +
                        describe_character(character));
    }
  }

  void draw_bitmap(char32_t character, FT_UInt index, std::span<std::uint8_t> ink) const {
    load(character, index, FT_LOAD_RENDER | FT_LOAD_TARGET_MONO);
    const FT_GlyphSlot slot = face_->glyph;
    const auto& metrics = face_->size->metrics;
    const int ascent = static_cast<int>(metrics.ascender / kPixel);
    const int descent = static_cast<int>(-metrics.descender / kPixel);
    const int width = static_cast<int>(slot->advance.x / kPixel);
    const int size = options_.pixel_size;
    const int left = (size - width) / 2 + slot->bitmap_left;
    const int top = (size - ascent - descent) / 2 + ascent - slot->bitmap_top;
    copy(character, slot->bitmap, left, top, ink);
  }

  // The outline in its square, y up from the lower left corner.
  FT_Outline& placed_outline(char32_t character, FT_UInt index) const {
    load(character, index, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
    FT_Outline& outline = face_->glyph->outline;
    if (options_.box == GlyphBox::kBounds) {
      fill_square(outline);
    } else {
      const double side = options_.pixel_size * static_cast<double>(kPixel);
      const double advance = static_cast<double>(face_->glyph->metrics.horiAdvance);
      const double baseline = em_baseline(face_.get(), options_.pixel_size);
      FT_Outline_Translate(&outline, std::lround((side - advance) / 2),
                           std::lround(side - baseline * kPixel));
    }
    return outline;
  }

  void draw_outline(char32_t character, FT_UInt index, std::span<std::uint8_t> ink) const {
    FT_Outline& outline = placed_outline(character, index);
    // A negative pitch makes the bitmap's first row its lowest; FreeType's y points up.
    FT_Bitmap bitmap{};
    bitmap.rows = static_cast<unsigned>(options_.pixel_size);
    bitmap.width = bitmap.rows;
    bitmap.pitch = options_.pixel_size;
    bitmap.buffer = ink.data();
    bitmap.num_grays = 256;
    bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
    if (FT_Outline_Get_Bitmap(library_.get(), &outline, &bitmap) != 0) {
      throw FormatError("font '" + options_.file + "' is damaged at " +
                        describe_character(character));
    }
  }

  // Scales and moves an outline so that its bounding box is centred and its longer side fills the
  // square.
  void fill_square(FT_Outline& outline) const {
    FT_BBox box{};
    FT_Outline_Get_CBox(&outline, &box);
    const double longer = static_cast<double>(std::max(box.xMax - box.xMin, box.yMax - box.yMin));
    if (longer <= 0) return;
    const double side = options_.pixel_size * static_cast<double>(kPixel);
    const auto scale = static_cast<FT_Fixed>(std::lround(side / longer * 65536.0));
    const FT_Matrix matrix{scale, 0, 0, scale};
    FT_Outline_Transform(&outline, &matrix);
    FT_Outline_Get_CBox(&outline, &box);
    const auto centre = std::lround(side / 2);
    FT_Outline_Translate(&outline, centre - (box.xMin + box.xMax) / 2,
                         centre - (box.yMin + box.yMax) / 2);
  }

  // Strikes of 1, 2, 4 and 8 bits per pixel, with grey levels stretched to 0..255.
  void copy(char32_t character, const FT_Bitmap& stored, int left, int top,
            std::span<std::uint8_t> ink) const {
    if (stored.pixel_mode < FT_PIXEL_MODE_MONO || stored.pixel_mode > FT_PIXEL_MODE_GRAY4) {
      throw FormatError("font '" + options_.file + "' draws " + describe_character(character) +
                        " in several colours; use a font without colours");
    }
    FT_Bitmap bitmap;  // one byte per pixel
    FT_Bitmap_Init(&bitmap);
    const auto release = [this](FT_Bitmap* b) { FT_Bitmap_Done(library_.get(), b); };
    const std::unique_ptr<FT_Bitmap, decltype(release)> owner(&bitmap, release);
    // A strike may state a size without pixels; FreeType would read them.
    const bool is_empty = stored.buffer == nullptr && stored.rows > 0 && stored.width > 0;
    if (is_empty || FT_Bitmap_Convert(library_.get(), &stored, &bitmap, /*alignment=*/1) != 0) {
      throw FormatError("font '" + options_.file + "' is damaged at " +
                        describe_character(character));
    }
    const int size = options_.pixel_size;
    const int step = 255 / (bitmap.num_grays - 1);  // exact for 2, 4, 16 and 256 levels
    for (int row = 0; row < static_cast<int>(bitmap.rows); ++row) {
      const unsigned char* line = bitmap.buffer + static_cast<std::ptrdiff_t>(row) * bitmap.pitch;
      const int j = top + row;
      if (j < 0 || j >= size) continue;
      for (int column = 0; column < static_cast<int>(bitmap.width); ++column) {
        const int i = left + column;
        if (i < 0 || i >= size) continue;
        ink[static_cast<std::size_t>(j * size + i)] =
            static_cast<std::uint8_t>(line[column] * step);
      }
    }
  }

  FontOptions options_;
  std::shared_ptr<const FontFile> file_;
  std::unique_ptr<FT_StreamRec> stream_;  // both are read as long as the face exists
  Library library_;
  Face face_;
  std::optional<Gb2312> gb_codes_;  // of a font without Unicode
};

GlyphSource::GlyphSource(const FontOptions& options)
    : implementation_(std::make_unique<Implementation>(options)) {}
GlyphSource::~GlyphSource() = default;
GlyphSource::GlyphSource(GlyphSource&&) noexcept = default;
GlyphSource::GlyphSource(const GlyphSource& other)
    : implementation_(std::make_unique<Implementation>(*other.implementation_)) {}
GlyphSource& GlyphSource::operator=(GlyphSource&&) noexcept = default;

const FontOptions& GlyphSource::options() const { return implementation_->options(); }
int GlyphSource::size() const { return implementation_->options().pixel_size; }
bool GlyphSource::is_bitmap() const { return implementation_->is_bitmap(); }
std::string GlyphSource::family() const { return implementation_->family(); }
std::string GlyphSource::digest() const { return implementation_->file().digest(); }
const std::string& GlyphSource::stamp() const { return implementation_->file().stamp(); }
bool GlyphSource::has(char32_t character) const {
  return implementation_->glyph_index(character) != 0;
}
bool GlyphSource::draws(char32_t character) const { return implementation_->draws(character); }
void GlyphSource::render(char32_t character, std::span<std::uint8_t> ink) const {
  implementation_->render(character, ink);
}
std::vector<GlyphContour> GlyphSource::outline(char32_t character) const {
  return implementation_->outline(character);
}

}  // namespace leafglyph
