// A trained leaf classifier as a folder, checked when it is read.
//
// manifest.json    format, format version, versions of LeafGlyph and its libraries, convention of
//                  the moments, threshold, when and from what the model was made, the SHA-256 of
//                  every file of the first group, and the SHA-256 of all this
// config.yaml      the resolved configuration, as the classifier was fitted
// training.yaml    the configuration as requested: a fit may change k
// labels.json      names of the classes; which leaf each augmented copy belongs to
// classes.npy      int32, training leaves: the class of each
// scaling.npy      double, 2 x columns: offset and scale of each column
// limits.npy       double, 2 x columns: the limit of each scaled column, and the mean of the rows
// projection.npy   double, columns x directions: Plda::matrix
// spread.npy       double, 1 x directions: Plda::spread
// means.npy        double, classes x directions: ClassLikelihood::means
// prior.npy        float: matrix_of the RowPrior
// *.sha256         of each of the other files, the SHA-256 of its blocks (CheckedFile)
//
// These files grow with the leaves. Only what is needed of them is read, and checked:
//
// rows.npy         the rows that are compared. Float, training leaves x dimensions; or where
//                  NearestClassifier::is_probed, half precision, in the order of HalfRows
// leaves.npy       uint64, training leaves x 4: where the name and the picture of each leaf end,
//                  and the picture's width and height
// names.txt        the names of the training leaves, one after another
// pictures.mjpeg   pictures of the training leaves, as JPEG files one after another; the longer
//                  side has kModelPictureSide pixels
// features.npy     float, training leaves x columns: the features before the pipeline; not in a
//                  model that was made to be given away
// augmented.npy    float, augmented copies x columns: their features; only if there are copies
// check.json       what the training found out about its photographs (LeafCheck); neither in
//                  models of 0.2.0 nor in one that was made to be given away
//
// Without Projection::kPlda there are neither limits, projection, spread, means nor prior.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "classify/classifier/nearest_classifier.h"
#include "classify/leaf/leaf_check.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/model_history.h"
#include "classify/leaf/model_leaves.h"
#include "classify/rows/small_picture.h"
#include "features/base/write_lock.h"
#include "features/record/record.h"

namespace leafglyph {

inline constexpr RecordKind kModel = {
    "manifest.json", "leafglyph-leaf-classifier", 9,
    "leaf model",    "train the model again",     "train one with leaf train"};
/// The files of the model in a folder (NamesOf); empty for another folder.
std::vector<std::string> names_in_model(const std::filesystem::path& folder);

/// Longer side of the pictures in a model, in pixels: 2 to 5 KB per leaf.
inline constexpr int kModelPictureSide = 160;

struct LeafModel {
  LeafConfig config;
  std::vector<std::string> class_names;
  std::vector<std::string> scientific_names;
  std::vector<std::string> chinese_names;
  LeafValues<std::string> sample_names;  ///< of the training leaves, row by row
  TrainingRows features;                 ///< of the training leaves and their augmented copies
  NearestClassifier classifier;
  LeafConfig requested;               ///< `config` as it was before the fit changed it
  LeafValues<SmallPicture> pictures;  ///< of the training leaves
  ModelHistory history;
  /// What the training found out about its photographs, read when it is called; empty without.
  std::function<LeafCheck()> check = nullptr;
  std::uint64_t bytes = 0;  ///< of the folder that it was read from
};

/// Throws the Error with which save_model would refuse the folder: it contains files that do not
/// belong to a model, or it cannot be created. Changes nothing.
void check_can_save_model(const std::filesystem::path& folder);

/// Writes the folder next to its place, which `lock` holds, and moves it there in one step.
/// Replaces an older model, but nothing else, not even a model with other files beside its own. To
/// change a model, hold the lock from before reading it. Returns the number of bytes written.
/// Throws Error when it cannot be written.
std::uint64_t save_model(const LeafModel& model, const WriteLock& lock);

/// Adds to the history of a saved model that it was renamed, and changes nothing else. Throws what
/// load_model throws, and Error when it cannot be written: the model is then as it was.
void add_renamed(const WriteLock& lock, const RenamedModel& renamed);

/// Parses exactly the bytes whose digests were checked. If the model is replaced meanwhile, it is
/// read again. What is read later is that of the same model, whatever is in the folder then. Throws
/// InputError when the folder does not exist or a file cannot be read; FormatError when the folder
/// is not a model or has another version, or when a file in it is missing or does not fit the
/// others, or what was read of it has changed. Whatever uses the model throws FormatError, too,
/// when a block that it reads has changed.
LeafModel load_model(const std::filesystem::path& folder);

}  // namespace leafglyph
