#include "classify/glyph/glyph_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "classify/support/config.h"
#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr Names<GlyphBox, 2> kBoxes = {"box",
                                       {{{GlyphBox::kEm, "em"}, {GlyphBox::kBounds, "bounds"}}}};

void declare_fonts(Keys& keys, std::vector<FontOptions>& fonts) {
  keys.each("fonts", fonts);
  keys.check("fonts", [&] {
    if (fonts.empty()) throw UsageError("no font is listed; add at least one");
  });
}

std::string joined(std::span<const std::string> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> sets_of(std::string_view list, const std::filesystem::path& folder) {
  std::vector<std::string> sets = character_set_names(list);
  for (std::string& name : sets) {
    if (!file_of_set(name).empty()) name = (folder / name).string();
    character_set(name);
  }
  return sets;
}

void declare_selection(Keys& keys, GlyphSelection& selection) {
  keys.text(
      "characters", selection.characters, joined(selection.characters),
      [&](const std::string& list) { return sets_of(list, keys.folder("characters")); },
      "A set (gb2312, common, general, hsk, big5, jis, ksx, all), a range (U+3041..U+3096), a "
      "block (hiragana) or a file; several divided by commas");
  keys.text(
      "leave_out", selection.leave_out, encode_utf8(selection.leave_out),
      [&](const std::string& text) {
        std::u32string characters = decode_utf8(text);
        character_sets(selection.characters, characters);
        return characters;
      },
      "Characters that are not compared");
}

std::pair<char32_t, char32_t> pair_of(const std::string& text) {
  const std::u32string pair = decode_utf8(text);
  if (pair.size() != 2) throw UsageError("'" + text + "' is not a pair of two characters");
  return {pair[0], pair[1]};
}

// A list of texts, each of which `from` reads.
template <class T, class From>
void declare_list(Keys& keys, std::string_view name, std::vector<T>& list,
                  std::vector<std::string> texts, const From& from, std::string_view sentence,
                  std::span<const std::string_view> choices = {}) {
  keys.key({name, &texts, sentence, {}, choices});
  keys.check(name, [&] {
    list.clear();
    for (const std::string& text : texts) list.push_back(from(text));
  });
}

void declare_moments(Keys& keys, GlyphStatisticsOptions& options) {
  for (const MomentPart part : kMomentParts) {
    const std::string_view name = name_of(part);
    std::vector<MomentIndex> moments;
    declare_list(keys, name, moments, {}, moment_from_name,
                 "Moments to compare in the place of those of largest variance: [A40, A51]");
    keys.check(name, [&] {
      if (!keys.has(name)) return;
      if (moments.empty()) {
        throw UsageError("does not name a moment; write, for example, [A40, A51]");
      }
      options.named[part] = moments;
    });
  }
}

void declare(Keys& keys, GlyphStatisticsOptions& options) {
  constexpr std::array<std::string_view, 2> kFamilies = {"zernike", "pseudo-zernike"};
  std::vector<std::string> families;
  for (const Family family : options.families) families.emplace_back(family_name(family));
  declare_list(keys, "families", options.families, families, family_from_name,
               "Families of moments", kFamilies);
  keys.check("families", [&] {
    if (options.families.empty()) throw UsageError("lists no family of moments");
  });
  keys.number("order", options.order, {0, kMaxFeatureOrder}, "Highest order of the moments");
  keys.number("subregions", options.subregions, {1, kMaxGlyphPointsASide},
              "k of the k x k centres in a pixel");
  keys.number("chosen", options.chosen, {1, kMaxCount},
              "Number of moments of largest variance that are compared");
  keys.number("bin_width", options.pairwise.bin_width, {1e-9, 1e9}, "Of the distance histogram");
  keys.number("bins", options.pairwise.bins, {1, kMaxCount},
              "Of the histogram; one more takes the larger distances");
  keys.number("closest", options.pairwise.closest, {0, kMaxClosestPairs},
              "Closest pairs that are listed");
  keys.flag("rotations", options.rotations, "Whether turns by 90, 180 and 270 degrees are checked");
  declare_list(keys, "pairs", options.pairs, {}, pair_of,
               "Pairs whose distance is listed: [己已, 土士]");
  keys.group("moments", [&] { declare_moments(keys, options); });
}

GlyphConfig read(Config config) {
  GlyphConfig result;
  read_keys(std::move(config), result);
  return result;
}

}  // namespace

std::vector<std::string> character_set_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    names.emplace_back(name);
  }
  return names;
}

void declare(Keys& keys, FontOptions& font) {
  std::filesystem::path file = font.file;
  keys.key({"file", &file, "Font file, relative to the configuration"});
  font.file = file.string();
  keys.number("face", font.face_index, {0, 1000}, "Face in a TTC collection");
  keys.number("size", font.pixel_size, {1, kMaxGlyphSide}, "Side of a glyph, in pixels");
  keys.choice("box", font.box, kBoxes,
              "Of outline fonts; bounds: the bounding box of the ink fills the square");
}

void declare(Keys& keys, GlyphConfig& config) {
  declare_fonts(keys, config.selection.fonts);
  declare_selection(keys, config.selection);
  keys.choice("missing", config.missing,
              "A character that a font lacks; auto: leave_out for look-alikes in the default fonts "
              "of their set, else error");
  keys.unless_set(config.selection.skip_missing, config.missing == MissingCharacters::kLeaveOut);
  keys.unless_set(config.lookalike_fonts,
                  keys.has("fonts") ? config.selection.fonts
                                    : default_lookalike_fonts(config.selection.characters));
  keys.group("statistics", [&] { declare(keys, config.statistics); });
  keys.group("lookalikes", [&] {
    declare_fonts(keys, config.lookalike_fonts);
    declare(keys, config.lookalikes);
  });
}

GlyphConfig load_glyph_config(const std::filesystem::path& path,
                              const std::vector<std::string>& settings) {
  return read(Config::load(path, settings));
}

GlyphConfig parse_glyph_config(std::string_view text, std::string_view name,
                               const std::vector<std::string>& settings) {
  return read(Config::parse(text, name, settings));
}

bool configures_characters(const Config& config) {
  constexpr std::string_view kKeys[] = {"fonts",   "characters", "leave_out",
                                        "missing", "statistics", "lookalikes"};
  return std::ranges::any_of(kKeys, [&](std::string_view key) { return config.has(key); });
}

}  // namespace leafglyph
