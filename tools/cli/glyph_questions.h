// What the commands about look-alikes are asked, and what answers: the characters that are
// compared, or another set.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph/lookalikes.h"
#include "classify/glyph/published_lookalikes.h"
#include "classify/glyph_report/lookalike_report.h"
#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"
#include "tools/cli/glyph_options.h"

namespace leafglyph {

SearchOptions search_options(const GlyphOptions& options);

/// Throws UsageError, with what may be meant, for the name of a file where characters are expected.
void refuse_file(const std::string& argument);

/// The characters that an argument means; warns where these are others than are given.
std::u32string meant(const std::string& argument, const HasCharacter& has);

/// The look-alikes of the characters of the options, of those that the index does not draw among
/// others of their sets. Reports the rest, which make `code` kSomeFailed; throws UsageError if none
/// is left.
std::vector<LookalikeList> answered(const LookalikeIndex& index, const GlyphConfig& config,
                                    const GlyphOptions& options, ExitCode& code);
/// The same in the published space, which has no other sets.
std::vector<LookalikeList> answered(const PublishedLookalikes& index, const GlyphConfig& config,
                                    const GlyphOptions& options, ExitCode& code);

/// How alike two characters are, in the index or in the set that has both. Throws UsageError for
/// one that neither draws.
Lookalike compared(const LookalikeIndex& index, const GlyphConfig& config,
                   const GlyphOptions& options, std::u32string_view pair);
Lookalike compared(const PublishedLookalikes& index, const GlyphConfig& config,
                   const GlyphOptions& options, std::u32string_view pair);

}  // namespace leafglyph
