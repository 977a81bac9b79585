// Predictions of a model for photographs, and for a plant of which there are several.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/leaf/leaf_features.h"
#include "classify/leaf/model_folder.h"

namespace leafglyph {

/// The result for one image: a prediction or an error.
struct ClassifiedLeaf {
  std::filesystem::path file;
  std::optional<Prediction> prediction;
  std::vector<float> features;  ///< a row of the model's layout; empty without a prediction
  std::vector<std::string> warnings;
  std::string error;      ///< one line with the name of the file; empty when there is a prediction
  int near_leaflets = 0;  ///< PreparedLeaf::near_leaflets
  double source_aspect = 0;  ///< shape before the file was squeezed; 0: it was not
  int number = 0;       ///< its number among the leaves of its photograph, from 1; 0: the only one
  PictureBox box = {};  ///< of a leaf with a number
  SmallPicture picture = {};  ///< of a leaf with a number
};
/// "sheet.jpg", "sheet.jpg #2".
std::string shown_name(const ClassifiedLeaf& leaf);

/// Predictions of the model (predict), or errors, for inputs with one leaf each. Result i belongs
/// to made[i], and its file is left empty.
std::vector<ClassifiedLeaf> classify_rows(const LeafModel& model, std::vector<MadeRows<float>> made,
                                          std::size_t top);

/// Classifies `files` in order; an unusable file does not stop the others. `take` receives the
/// results in parts of the list; nothing is kept here. Rankings have `top` classes. Square files
/// count as squeezed from `source_aspect`. Without it every file keeps its shape, and a warning
/// says so if the model's own square files were squeezed. Files are strings, because a path needs
/// five times their memory.
void classify_leaves(const LeafModel& model, std::span<const std::string> files, std::size_t top,
                     const LeafRun& run, std::optional<double> source_aspect,
                     const std::function<void(std::vector<ClassifiedLeaf>)>& take);
/// The same, with all results at once.
std::vector<ClassifiedLeaf> classify_leaves(const LeafModel& model,
                                            std::span<const std::filesystem::path> files,
                                            std::size_t top, const LeafRun& run,
                                            std::optional<double> source_aspect = std::nullopt);

/// A photograph with several leaves.
struct LeafSheet {
  std::filesystem::path file;
  std::vector<ClassifiedLeaf>
      leaves;             ///< from the top; a single one with an error if there is no leaf
  SmallPicture numbered;  ///< the photograph with numbers on its leaves
};

/// Classifies every leaf of each photograph (sheet_source), one photograph after another; parts
/// that are not leaves keep their numbers and have no prediction. If a photograph has several
/// leaves, each counts as covering the usual share of a training photograph.
void classify_every_leaf(const LeafModel& model, std::span<const std::string> files,
                         std::size_t top, const LeafRun& run, std::optional<double> source_aspect,
                         const std::function<void(LeafSheet)>& take);

/// A class in the result for a plant.
struct PlantClass {
  int label = 0;
  std::size_t voters = 0;  ///< neighbours of this class, over all leaves
};

struct PlantPrediction {
  std::vector<PlantClass> ranking;  ///< best first: classes that are first for a leaf or have votes
  std::size_t leaves = 0;           ///< number of leaves with a prediction
  std::size_t voters = 0;           ///< number of neighbours of all these leaves
  std::optional<double> probability = std::nullopt;  ///< that the first class is correct
  /// Positions of the leaves that by themselves are sure or likely to be another class.
  std::vector<std::size_t> contradicting;
  /// Unknown if more than half of the leaves are; doubtful at best if a leaf contradicts.
  Decision decision = {};
};

/// The result for leaves of one plant. Classes are ranked by P(c), the normalised product over the
/// n leaves of p_i(c)^(1 / sqrt n). p_i is a leaf's probability for its first class; the rest is
/// divided equally among the other classes. For independent leaves the exponent would be 1, but
/// these share plant, light and camera. If a prediction has no probability, classes are ranked by
/// votes. Leaves without a prediction do not count; throws InputError when no leaf has one.
PlantPrediction same_plant(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
