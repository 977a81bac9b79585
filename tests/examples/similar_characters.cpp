// The characters of GB 2312 that look most like a given one:
//   similar_characters CHARACTER COUNT
// prints the version of LeafGlyph, then one line per look-alike: its code and its score.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "leafglyph/classify/glyph/lookalikes.h"
#include "leafglyph/features/base/errors.h"
#include "leafglyph/version.h"

namespace lg = leafglyph;

// A character in UTF-8; only those of three bytes, as most hanzi are.
static char32_t character_from(const std::string& text) {
  if (text.size() != 3) throw lg::UsageError("'" + text + "' is not one hanzi");
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]) & mask);
  };
  return bits(0, 0x0F) << 12U | bits(1, 0x3F) << 6U | bits(2, 0x3F);
}

int main(int argc, char** argv) try {
  if (argc != 3) throw lg::UsageError("usage: similar_characters CHARACTER COUNT");
  const char32_t character = character_from(argv[1]);
  std::printf("LeafGlyph %s\n", LEAFGLYPH_VERSION);
  // The tables for the default fonts and settings; they are kept in a cache between runs.
  const lg::LookalikeIndex index(lg::LookalikeOptions{});
  for (const lg::Lookalike& found : index.similar(character, std::strtoul(argv[2], nullptr, 10))) {
    std::printf("U+%04X %.3f\n", static_cast<unsigned>(found.character), found.score);
  }
} catch (const lg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.code());
}
