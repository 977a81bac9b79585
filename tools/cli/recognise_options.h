// What `leafglyph glyph recognise` shares between pictures of single characters and pages.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_pictures.h"
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
  std::shared_ptr<const Photograph> given;  ///< the picture of stdin, if it is the only one

  /// Of a file, or the picture of stdin. Throws as read_photograph.
  Photograph photograph(const std::string& file) const {
    return given ? *given : read_photograph(file, character_request());
  }
};

/// Reads the pages in files and writes what the options ask for. Adds a line to `errors` for each
/// that cannot be read.
void recognise_pages(const CommandLine& line, const RecogniseOptions& options,
                     const CharacterRecogniser& recogniser, std::span<const std::string> files,
                     std::vector<std::string>& errors);

}  // namespace leafglyph
