#include "tools/cli/glyph_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "datasets/glyph/character_set.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/text.h"
#include "features/base/waiting.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {

GlyphConfig chosen_config(const ConfigChoice& choice) {
  return choice.file.empty() ? parse_glyph_config("", "--set", choice.settings)
                             : load_glyph_config(choice.file, choice.settings);
}

GlyphConfig configuration(const GlyphOptions& options) {
  GlyphConfig config = chosen_config(options.config);
  if (!options.measure.empty()) {
    config.lookalikes.measure = from_name<LookalikeMeasure>(options.measure);
  }
  if (options.forms) config.lookalikes.forms = true;
  if (options.characters_set.empty()) return config;
  const auto characters = character_set_names(options.characters_set);
  if (config.lookalike_fonts == default_lookalike_fonts(config.selection.characters)) {
    config.lookalike_fonts = default_lookalike_fonts(characters);
  }
  config.selection.characters = characters;
  return config;
}

LookalikeIndex open_index(const GlyphConfig& config, const GlyphOptions& options) {
  LookalikeOptions lookalikes;
  lookalikes.selection = config.lookalike_selection();
  lookalikes.profile = config.lookalikes;
  lookalikes.log = log_note;
  if (options.no_cache) lookalikes.cache_folder.clear();
  LookalikeIndex index(lookalikes);
  for (const std::string& report : index.selected().missing) log_warning(report);
  return index;
}

std::vector<ListedPair> compared_pairs(const LookalikeIndex& index, const GlyphOptions& options,
                                       ExitCode& code) {
  PairFile file = parse_pairs(read_text_or_stdin(options.pairs), options.pairs);
  std::erase_if(file.pairs, [&](const ListedPair& pair) {
    if (is_compared(index, pair.first) && is_compared(index, pair.second)) return false;
    file.refused.push_back(fmt::format("{}:{}: {}{} has a character that is not compared",
                                       options.pairs, pair.line, encode_utf8(pair.first),
                                       encode_utf8(pair.second)));
    return true;
  });
  if (!file.note.empty()) log_warning(file.note);
  print_errors(file.refused, "lines of " + options.pairs + " that are not pairs to compare");
  if (file.pairs.empty()) throw InputError("'" + options.pairs + "' holds no usable pair");
  if (!file.refused.empty()) code = ExitCode::kSomeFailed;
  return std::move(file.pairs);
}

void add_lookalike_options(CLI::App& command, const std::shared_ptr<GlyphOptions>& options) {
  add_config_options(command, options->config, kGlyphConfigHelp);
  command.add_option(
      "--characters", options->characters_set,
      std::string("Characters to compare: ") + kCharacterSetNames + "; several with commas");
  CLI::Option* whose = command
                           .add_option("--for", options->measure,
                                       "Whose confusions: readers (default), or ocr, where the "
                                       "errors of OCR count more")
                           ->check(one_of({"readers", "ocr"}));
  command
      .add_option(
          "--by", options->measure,
          "Compare drawings alone: windows, the moments in round windows, or published, the "
          "published vectors of a few moments (similar and distance only)")
      ->check(one_of({"windows", "published"}))
      ->excludes(whose);
  command.add_flag("--forms", options->forms,
                   "Also all forms of kana, such as は ば ぱ and つ っ; otherwise one of each, and "
                   "none of the query's own");
  command.add_flag("--no-cache", options->no_cache,
                   "Do not use the cached tables in $XDG_CACHE_HOME/leafglyph");
}

std::string read_stdin(std::size_t most) {
  WaitingInput input(STDIN_FILENO, "standard input");
  std::string bytes;
  std::array<char, std::size_t{64} << 10> part;
  while (const std::streamsize count = input.sgetn(part.data(), part.size())) {
    bytes.append(part.data(), static_cast<std::size_t>(count));
    if (bytes.size() > most) {
      throw InputError("standard input: is larger than " + bytes_text(most) +
                       ", the most that is read of it");
    }
  }
  return bytes;
}

std::string read_text_or_stdin(const std::string& file) {
  return file == "-" ? read_stdin(kMaxTextBytes) : read_text_file(file);
}

}  // namespace leafglyph
