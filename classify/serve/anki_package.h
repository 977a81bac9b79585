// Flash cards for Anki.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace leafglyph {

/// A card: a character, and what its back says about it, line by line. Plain text.
struct AnkiNote {
  std::string character;
  std::vector<std::string> lines;
};

/// The bytes of a package (.apkg) that Anki and AnkiDroid import into the deck of this name. Notes
/// are recognised by deck and character, so that a later package brings them up to date; `now` is
/// when they were made. Throws Error when SQLite or the archive fails.
std::string anki_package(const std::string& deck, const std::vector<AnkiNote>& notes,
                         std::chrono::sys_seconds now);

}  // namespace leafglyph
