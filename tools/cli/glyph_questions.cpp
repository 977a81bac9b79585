#include "tools/cli/glyph_questions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <unordered_set>

#include "datasets/glyph/character_set.h"
#include "datasets/glyph/unihan.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/files.h"
#include "features/base/text.h"
#include "tools/cli/cli.h"

namespace leafglyph {
namespace {

// The characters that the options allow as look-alikes.
std::function<bool(char32_t)> allowed_answers(const GlyphOptions& options) {
  if (options.among.empty() && options.min_frequency == 0) return {};
  std::unordered_set<char32_t> among;
  if (!options.among.empty()) {
    const auto set = character_sets(character_set_names(options.among), U"");
    among.insert(set.characters.begin(), set.characters.end());
  }
  const auto unihan = std::make_shared<const Unihan>();
  const auto least = static_cast<std::uint32_t>(options.min_frequency);
  return [among = std::move(among), unihan, least](char32_t character) {
    if (!among.empty() && !among.contains(character)) return false;
    if (least == 0) return true;
    const auto facts = unihan->facts(character);
    return facts && facts->frequency >= least;
  };
}

// The characters of the command line.
std::u32string asked_characters(const auto& index, const GlyphOptions& options) {
  const auto has = [&](char32_t character) { return is_compared(index, character); };
  std::u32string given;
  for (const std::string& argument : options.characters) {
    refuse_file(argument);
    given += meant(argument, has);
  }
  if (!options.pinyin.empty()) {
    given += Unihan().with_pinyin(options.pinyin, index.selected().characters);
    if (given.empty()) throw UsageError("no compared character has the reading " + options.pinyin);
  }
  if (given.empty()) throw UsageError("no character is given; for example: glyph similar 己");
  return given;
}

// The sets of the characters that the default fonts of the configuration do not draw; none if other
// fonts are chosen.
std::vector<std::string> other_sets(const GlyphConfig& config, std::u32string_view characters) {
  std::vector<std::string> sets;
  if (config.lookalike_fonts != default_lookalike_fonts(config.selection.characters)) return sets;
  for (const char32_t character : characters) {
    const std::string set = set_with(character);
    if (!set.empty() && std::ranges::find(sets, set) == sets.end()) sets.push_back(set);
  }
  return sets;
}

// The index of other sets, if it draws the characters; says that it is taken.
std::unique_ptr<LookalikeIndex> other_index(GlyphConfig config, const GlyphOptions& options,
                                            std::u32string_view characters) {
  const std::vector<std::string> sets = other_sets(config, characters);
  if (sets.empty()) return nullptr;
  config.selection.characters = sets;
  config.lookalike_fonts = default_lookalike_fonts(sets);
  try {
    auto index = std::make_unique<LookalikeIndex>(open_index(config, options));
    const auto is_drawn = [&](char32_t character) { return index->draws(character); };
    if (!std::ranges::all_of(characters, is_drawn)) return nullptr;
    for (const char32_t character : characters) {
      log_warning(
          fmt::format("{} is compared with {} instead: the fonts of the chosen characters "
                      "do not draw it",
                      describe_character(character), fmt::join(sets, ", ")));
    }
    return index;
  } catch (const UsageError&) {  // fewer than two characters of the set are drawn
    return nullptr;
  }
}

// Reports characters that cannot be answered; throws if there are no others.
void report(const std::vector<std::string>& refused, bool all, ExitCode& code) {
  if (all) throw UsageError(refused.front());
  for (const std::string& message : refused) {
    print_error(message);
    code = ExitCode::kSomeFailed;
  }
}

}  // namespace

SearchOptions search_options(const GlyphOptions& options) {
  SearchOptions search;
  search.among = allowed_answers(options);
  return search;
}

void refuse_file(const std::string& argument) {
  if (is_image_name(argument)) {
    throw UsageError("'" + argument +
                     "' is the name of a picture; glyph recognise names the characters in it");
  }
  if (argument.find_first_of("./") != argument.npos && is_regular(argument)) {
    throw UsageError("'" + argument + "' is a file; for the text in it: glyph confuse - < " +
                     argument);
  }
}

std::u32string meant(const std::string& argument, const HasCharacter& has) {
  const MeantCharacters found = meant_characters(characters_from(argument, has), has);
  for (const std::string& note : found.notes) log_warning(note);
  return found.characters;
}

std::vector<LookalikeList> answered(const LookalikeIndex& index, const GlyphConfig& config,
                                    const GlyphOptions& options, ExitCode& code) {
  std::vector<LookalikeList> lists;
  std::vector<std::string> refused;
  std::u32string drawn;
  for (const char32_t character : asked_characters(index, options)) {
    std::unique_ptr<LookalikeIndex> other;
    if (index.draws(character)) {
      drawn.push_back(character);
    } else if (other = other_index(config, options, {&character, 1}); !other) {
      refused.push_back(index.refusal(character));
      continue;
    }
    lists.push_back({character, {}});
    if (!other) continue;
    const std::size_t most = other->selected().characters.size() - 1;
    lists.back().answers =
        other->similar({&character, 1}, std::min(options.top, most), search_options(options))
            .front();
  }
  report(refused, lists.empty(), code);
  std::vector<std::vector<Lookalike>> answers;
  if (!drawn.empty()) answers = index.similar(drawn, options.top, search_options(options));
  auto answer = answers.begin();
  for (LookalikeList& list : lists) {
    if (index.draws(list.query)) list.answers = *answer++;
  }
  return lists;
}

std::vector<LookalikeList> answered(const PublishedLookalikes& index, const GlyphConfig&,
                                    const GlyphOptions& options, ExitCode& code) {
  std::u32string valid;
  std::vector<std::string> refused;
  for (const char32_t character : asked_characters(index, options)) {
    if (index.draws(character)) {
      valid.push_back(character);
    } else {
      refused.push_back(index.refusal(character));
    }
  }
  report(refused, valid.empty(), code);
  const auto answers = index.similar(valid, options.top, search_options(options));
  std::vector<LookalikeList> lists;
  for (std::size_t q = 0; q < valid.size(); ++q) {
    lists.push_back({valid[q], answers[q], index.pairs()});
  }
  return lists;
}

Lookalike compared(const LookalikeIndex& index, const GlyphConfig& config,
                   const GlyphOptions& options, std::u32string_view pair) {
  const bool is_drawn = index.draws(pair[0]) && index.draws(pair[1]);
  const auto other = is_drawn ? nullptr : other_index(config, options, pair);
  return (other ? *other : index).compare(pair[0], pair[1]);
}

Lookalike compared(const PublishedLookalikes& index, const GlyphConfig&, const GlyphOptions&,
                   std::u32string_view pair) {
  return index.compare(pair[0], pair[1]);
}

}  // namespace leafglyph
