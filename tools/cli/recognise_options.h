// What `leafglyph glyph recognise` shares between pictures of single characters and pages.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "classify/character/character_recogniser.h"
#include "tools/cli/cli.h"

namespace leafglyph {

struct RecogniseOptions {
  std::vector<std::string> images;
  std::string model;
  std::string characters;
  int top = 5;
  FigureFiles figures;
  std::string draw;
  bool lines = false;
  std::string direction;  ///< a name of TextDirection; empty: found
  std::string hocr;
};

/// Reads the pages in files and writes what the options ask for. Adds a line to `errors` for each
/// that cannot be read.
void recognise_pages(const CommandLine& line, const RecogniseOptions& options,
                     const CharacterRecogniser& recogniser, std::span<const std::string> files,
                     std::vector<std::string>& errors);

}  // namespace leafglyph
