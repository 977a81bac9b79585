#include <nlohmann/json.hpp>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph/lookalike_cache.h"
#include "classify/glyph/lookalike_pairs.h"
#include "classify/glyph/lookalikes.h"
#include "datasets/glyph/character_code.h"
#include "datasets/glyph/glyph_source.h"
#include "datasets/glyph/unicode_blocks.h"
#include "datasets/glyph/unihan.h"
#include "features/base/errors.h"
#include "features/base/sha256.h"
#include "features/base/text.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/bdf_font.h"

namespace leafglyph::fuzz {
namespace {

constexpr char32_t kDrawn[] = {U'一', U'三', U'口', U'日'};

std::string drawn_font() {
  return bdf_font({{kDrawn[0], {"########"}, 0, 3},
                   {kDrawn[1], {"########", "........", "########", "........", "########"}, 0, 1},
                   {kDrawn[2], {"######", "#....#", "#....#", "######"}, 1, 0},
                   {kDrawn[3], {"####", "#..#", "####", "#..#", "####"}, 2, 0}});
}

std::vector<std::string> font_seeds() {
  std::vector<std::string> seeds = {drawn_font(),
                                    bdf_font({{0x3021, {"##", "##"}, 0, 0}}, "GB2312.1980", "0")};
  return seeds;
}

void read_font(std::string_view bytes) {
  FontOptions options;
  options.file = scratch_file("font", bytes).string();
  for (const int size : {8, 24}) {
    options.pixel_size = size;
    try {
      const GlyphSource source(options);
      std::vector<std::uint8_t> ink(static_cast<std::size_t>(size * size));
      source.family();
      for (const char32_t character : kDrawn) {
        if (source.draws(character)) source.render(character, ink);
      }
    } catch (const UsageError&) {  // no bitmaps of that size
    }
  }
}

const std::string kKey(64, 'a');

FontOptions drawn_options() {
  FontOptions font;
  font.file = scratch_file("drawn.bdf", drawn_font()).string();
  font.pixel_size = 8;
  return font;
}

Files table_files() {
  const auto cache = scratch_folder() / "tables-written";
  LookalikeOptions options;
  options.selection.fonts = {drawn_options()};
  options.selection.characters = {scratch_file("drawn.txt", encode_utf8({kDrawn, 4})).string()};
  options.cache_folder = cache;
  const LookalikeIndex index(options);
  for (const auto& entry : std::filesystem::directory_iterator(cache)) return files_in(entry);
  return {};
}

const Files& table_base() {
  static const Files kBase = table_files();
  return kBase;
}

// With the expected key and digests.
void read_tables(std::string_view bytes) {
  Files files = with_fuzzed_file(table_base(), bytes);
  auto json = nlohmann::json::parse(files["tables.json"], nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) {
    json["key"] = kKey;
    json["rows"] = sha256(sha256(files["rows.npy"]));  // of one block
    json.erase("sha256");
    json["sha256"] = sha256(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    files["tables.json"] = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  const auto cache = scratch_files("cache", {});
  std::filesystem::permissions(cache, std::filesystem::perms::owner_all);
  scratch_files("cache/lookalikes-" + kKey.substr(0, 16), files);
  static const GlyphSource kFont(drawn_options());
  load_tables(cache, kKey, std::span(&kFont, 1));
}

std::vector<std::string> character_seeds() {
  return {"己已", "U+5DF1,5DF1\t0x3C3A", "hiragana", "U+3041..U+3096", "ji3",
          "lv4",  "日 曰 2.5\n# x\n"};
}

void read_characters(std::string_view bytes) {
  const std::string text(bytes);
  printable(text);
  unicode_block(text);
  marked_pinyin(text);
  toneless_pinyin(text);
  parse_pairs(text, "pairs");
  character_from_code(text);
  decode_utf8(text);
  characters_from(text);
}

std::vector<std::string> glyph_config_seeds() {
  return {"characters: gb2312\n",
          "fonts: [{file: a.ttf, size: 24, box: bounds}]\nmissing: leave_out\n",
          "lookalikes: {grid: 5, window: 8, shift: 2, saturation: 0.85}\nstatistics: {order: 5}\n"};
}

void read_glyph_config(std::string_view bytes) { parse_glyph_config(bytes, "glyph.yaml"); }

}  // namespace

std::vector<FuzzTarget> glyph_targets() {
  return {{"font", read_font, font_seeds},
          {"tables", read_tables, [] { return inputs_of(table_base()); }},
          {"characters", read_characters, character_seeds},
          {"glyph_config", read_glyph_config, glyph_config_seeds}};
}

}  // namespace leafglyph::fuzz
