// What a model says of photographs.
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

/// What became of one image: an answer or an error.
struct ClassifiedLeaf {
  std::filesystem::path file;
  std::optional<Answer> answer;
  std::vector<float> features;  ///< a row of the model's layout; empty when there is no answer
  std::vector<std::string> warnings;
  std::string error;          ///< one line that names the file; empty when there is an answer
  double source_aspect = 0;   ///< that the file was squeezed from, if it is square; 0: it was not
  int number = 0;             ///< among the leaves of its photograph, from 1; 0: it is the only one
  PictureBox box = {};        ///< of a numbered leaf
  SmallPicture picture = {};  ///< of a numbered leaf
};
/// "sheet.jpg", "sheet.jpg #2".
std::string shown_name(const ClassifiedLeaf& leaf);

/// What the model says (answers_of) of inputs of one leaf each, or why it says nothing: result i
/// belongs to made[i], and has no file.
std::vector<ClassifiedLeaf> classify_rows(const LeafModel& model, std::vector<MadeRows<float>> made,
                                          std::size_t top);

/// Classifies `files`, in their order; a bad one does not stop the others. `take` gets the answers
/// in parts of the list, none of which is kept here. Rankings hold `top` classes. Square files were
/// squeezed from `source_aspect`; without it every file is taken as it is, and a warning says so
/// where the model's own square files are not. Files are strings, since a path takes five times
/// their memory.
void classify_leaves(const LeafModel& model, std::span<const std::string> files, std::size_t top,
                     const LeafRun& run, std::optional<double> source_aspect,
                     const std::function<void(std::vector<ClassifiedLeaf>)>& take);
/// The same, all at once.
std::vector<ClassifiedLeaf> classify_leaves(const LeafModel& model,
                                            std::span<const std::filesystem::path> files,
                                            std::size_t top, const LeafRun& run,
                                            std::optional<double> source_aspect = std::nullopt);

/// A photograph with several leaves.
struct LeafSheet {
  std::filesystem::path file;
  std::vector<ClassifiedLeaf> leaves;  ///< from the top; a single one with an error where none is
  SmallPicture numbered;               ///< the photograph with the leaves' numbers
};

/// The same for every leaf that is found in each photograph (sheet_source), photograph by
/// photograph. Where there are several, the share of the photograph that a leaf covers counts as
/// that of the training leaves.
void classify_every_leaf(const LeafModel& model, std::span<const std::string> files,
                         std::size_t top, const LeafRun& run, std::optional<double> source_aspect,
                         const std::function<void(LeafSheet)>& take);

}  // namespace leafglyph
