// A labelled set of leaves, from files or generated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "features/base/names.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// One leaf: a file, or, when `file` is empty, the generated leaf number `generated`.
struct LeafSample {
  std::filesystem::path file;
  int generated = -1;
  int label = 0;  ///< index into LeafDataset::class_names
  int part = 0;   ///< number of the leaf in its photograph, from 1; 0: the only one
};

/// The colours of generated leaves.
enum class DrawnColours {
  kNone,      ///< grey photographs
  kDaylight,  ///< white paper in nearly white light
  kLamps,  ///< light of another colour for each photograph, from a bulb's yellow to the sky's blue
};
template <>
inline constexpr Names<DrawnColours, 3> kNamesOf<DrawnColours> = {
    "colours",
    {{{DrawnColours::kNone, "none"},
      {DrawnColours::kDaylight, "daylight"},
      {DrawnColours::kLamps, "lamps"}}}};

struct LeafDataset {
  std::string description;                    ///< one line for reports
  std::vector<std::string> class_names;       ///< common names, or names of folders
  std::vector<std::string> scientific_names;  ///< one per class, "" if there is none
  std::vector<std::string> chinese_names;     ///< the same
  std::vector<LeafSample> samples;
  std::uint64_t seed = 0;  ///< of generated leaves, as are their colours
  DrawnColours colours = DrawnColours::kNone;
  int first_species = 0;                   ///< number of the generated species with label 0
  int bits = 0;                            ///< of photographs of more than 8: decode_picture's
  std::filesystem::path root = {};         ///< the root of the file names; empty: none
  std::vector<std::string> warnings = {};  ///< one line each, about files
};

/// "sheet.jpg", "sheet.jpg #2".
std::string part_name(const std::string& photograph, int part);
/// The file's path, with the number of its leaf ("sheet.jpg #2"), or "generated leaf 17 (seed 1)".
std::string sample_name(const LeafDataset& dataset, std::size_t sample);
/// The positions of all samples.
std::vector<std::size_t> all_samples(const LeafDataset& dataset);

/// The photograph of a sample in its own shape: one of pixels that are not square, or whose file
/// was squeezed from `source_aspect` (shape_of; 0: not squeezed), is stretched. Throws as
/// read_photograph.
Photograph sample_photograph(const LeafDataset& dataset, std::size_t sample, double source_aspect);

}  // namespace leafglyph
