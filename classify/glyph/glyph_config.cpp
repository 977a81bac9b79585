#include "classify/glyph/glyph_config.h"

#include <algorithm>

#include "classify/support/config.h"
#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// Runs `read` and turns what it throws into an error that points to `key`.
template <class Read>
auto read_at(const Config& config, std::string_view key, const Read& read) {
  try {
    return read();
  } catch (const UsageError& error) {
    config.fail(key, error.what());
  }
}

FontOptions read_font(Config& config) {
  FontOptions font;
  const std::filesystem::path file = config.text("file", font.file);
  font.file = file.is_absolute() ? file.string() : (config.folder("file") / file).string();
  font.face_index = config.integer("face", font.face_index, 0, 1000);
  font.pixel_size = config.integer("size", font.pixel_size, 1, kMaxGlyphSide);
  font.box =
      config.choice("box", "em", {"em", "bounds"}) == "em" ? GlyphBox::kEm : GlyphBox::kBounds;
  config.finish();
  return font;
}

std::vector<FontOptions> read_fonts(Config& config, std::vector<FontOptions> fonts) {
  if (!config.has("fonts")) return fonts;
  fonts.clear();
  for (Config& font : config.children("fonts")) fonts.push_back(read_font(font));
  if (fonts.empty()) config.fail("fonts", "no font is listed; add at least one");
  return fonts;
}

GlyphSelection read_selection(Config& config) {
  GlyphSelection selection;
  selection.fonts = read_fonts(config, selection.fonts);
  selection.characters = character_set_names(config.text("characters", "gb2312"));
  for (std::string& name : selection.characters) {
    if (names_a_file(name)) name = (config.folder("characters") / name).string();
    read_at(config, "characters", [&] { return character_set(name); });
  }
  selection.leave_out = read_at(config, "leave_out", [&] {
    std::u32string characters = decode_utf8(config.text("leave_out", ""));
    character_sets(selection.characters, characters);
    return characters;
  });
  return selection;
}

MissingCharacters read_missing(Config& config) {
  const std::string rule = config.choice("missing", "auto", {"auto", "error", "leave_out"});
  if (rule == "auto") return MissingCharacters::kAuto;
  return rule == "error" ? MissingCharacters::kError : MissingCharacters::kLeaveOut;
}

std::vector<MomentIndex> read_moments(Config& named, std::string_view part) {
  std::vector<MomentIndex> moments;
  for (const std::string& name : named.texts(part, {})) {
    moments.push_back(read_at(named, part, [&] { return moment_from_name(name); }));
  }
  if (moments.empty()) named.fail(part, "does not name a moment; write, for example, [A40, A51]");
  return moments;
}

std::pair<char32_t, char32_t> read_pair(const Config& config, const std::string& text) {
  const std::u32string pair = decode_utf8(text);
  if (pair.size() != 2) config.fail("pairs", "'" + text + "' is not a pair of two characters");
  return {pair[0], pair[1]};
}

GlyphStatisticsOptions read_statistics(Config config) {
  GlyphStatisticsOptions options;
  std::vector<std::string> defaults;
  for (const Family family : options.families) defaults.emplace_back(family_name(family));
  const auto families = config.texts("families", defaults);
  options.families.clear();
  for (const std::string& name : families) {
    if (name != "zernike" && name != "pseudo-zernike") {
      config.fail("families", "'" + name + "' is unknown; use zernike and pseudo-zernike");
    }
    options.families.push_back(family_from_name(name));
  }
  if (families.empty()) config.fail("families", "lists no family of moments");
  options.order = config.integer("order", options.order, 0, kMaxFeatureOrder);
  options.subregions = config.integer("subregions", options.subregions, 1, kMaxGlyphPointsASide);
  options.chosen = static_cast<std::size_t>(
      config.integer("chosen", static_cast<int>(options.chosen), 1, kMaxCount));
  options.pairwise.bin_width = config.number("bin_width", options.pairwise.bin_width, 1e-9, 1e9);
  options.pairwise.bins = static_cast<std::size_t>(
      config.integer("bins", static_cast<int>(options.pairwise.bins), 1, kMaxCount));
  options.pairwise.closest = static_cast<std::size_t>(
      config.integer("closest", static_cast<int>(options.pairwise.closest), 0, kMaxClosestPairs));
  options.rotations = config.flag("rotations", options.rotations);
  for (const std::string& text : config.texts("pairs", {})) {
    options.pairs.push_back(read_at(config, "pairs", [&] { return read_pair(config, text); }));
  }
  Config named = config.child("moments");
  for (const MomentPart part : kMomentParts) {
    if (named.has(name_of(part))) options.named[part] = read_moments(named, name_of(part));
  }
  named.finish();
  config.finish();
  return options;
}

GlyphProfile read_profile(Config& config) {
  GlyphProfile profile;
  profile.grid = config.integer("grid", profile.grid, 1, 16);
  profile.window = config.number("window", profile.window, 3, 64);
  profile.reach = config.number("reach", profile.reach, 0, 24);
  profile.order = config.integer("order", profile.order, 0, 40);
  profile.falloff = config.number("falloff", profile.falloff, 0.01, 1e6);
  profile.shift = config.integer("shift", profile.shift, 0, 3);
  profile.saturation = config.number("saturation", profile.saturation, 0, 1e6);
  profile.shortlist = static_cast<std::size_t>(
      config.integer("shortlist", static_cast<int>(profile.shortlist), 1, kMaxCount));
  profile.shortlist_order = config.integer(
      "shortlist_order", std::min(profile.shortlist_order, profile.order), 0, profile.order);
  profile.measure = config.choice("measure", profile.measure);
  return profile;
}

GlyphConfig read(Config config) {
  GlyphConfig result;
  const bool own_fonts = config.has("fonts");
  result.selection = read_selection(config);
  result.missing = read_missing(config);
  result.selection.skip_missing = result.missing == MissingCharacters::kLeaveOut;
  result.lookalike_fonts =
      own_fonts ? result.selection.fonts : default_lookalike_fonts(result.selection.characters);
  result.statistics = read_statistics(config.child("statistics"));
  Config lookalikes = config.child("lookalikes");
  result.lookalike_fonts = read_fonts(lookalikes, result.lookalike_fonts);
  result.lookalikes = read_profile(lookalikes);
  lookalikes.finish();
  config.finish();
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
