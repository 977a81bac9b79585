// A trained leaf classifier as a folder, checked when it is read.
//
// manifest.json    format, format version, versions of LeafGlyph and its libraries, convention of
//                  the moments, threshold, the SHA-256 of every other file, and that of all this
//                  and when and of what the model was made
// config.yaml      the resolved configuration, as the classifier was fitted
// training.yaml    the same as it was asked for: a fit may change settings (fit_rows)
// labels.json      names of the classes; name, class and size of the picture of each training leaf;
//                  of which leaves there are augmented copies
// pictures.mjpeg   the training leaves' pictures as JPEG files one after another, the longer side
//                  kModelPictureSide pixels
// features.npy     float, training leaves x columns: the features before the pipeline
// augmented.npy         float, augmented copies x columns: the same of these; only where there are
// any scaling.npy      double, 2 x columns: offset and scale of the pipeline projection-B.npy
// double, columns x dimensions of the pipeline's projection B: 0 of all columns,
//                  then of each channel; only those that the pipeline has
// rows.npy         float, training leaves x dimensions: the rows that the index compares
// outlier-means.npy, outlier-directions.npy
//                  double, (1 + classes) x columns, directions x columns: of ClassDistance, the
//                  scale and the means; its directions; only with outlier_score: mahalanobis
// typical.npy      double, (1 + classes) x columns: of TypicalDistance, the scale and the means;
//                  only where the manifest has the weights of a calibration
// class-fit.npy    double, classes x (dimensions of the pipeline + channels + 1 where there are
//                  measures): ClassFitState, the means and then the usual distances; only where
//                  there is typical.npy. Models without it are read, and it is learnt again
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "classify/evaluation/tuning.h"
#include "classify/knn/nearest_classifier.h"
#include "classify/leaf/cross_validation.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/unknown_share.h"
#include "classify/rows/small_picture.h"
#include "features/base/write_lock.h"

namespace leafglyph {

/// Version of the folder's format; a folder of another one is refused.
inline constexpr int kModelVersion = 6;

/// Photographs that were added to a model after its training.
struct AddedLeaves {
  std::string date;  ///< as that of ModelHistory
  std::string species;
  std::size_t leaves = 0;
  std::string data;  ///< the folder that they came from
};

/// When and from what a model was made.
struct ModelHistory {
  std::string date;                                  ///< of the training, "2026-01-31T12:00:00Z"
  std::string data;                                  ///< the data set in a line
  std::optional<CrossValidatedShare> accuracy = {};  ///< of all its training leaves
  std::optional<UnknownShare> unknown = {};          ///< the same; none if it was not measured
  std::vector<AddedLeaves> added = {};
  std::optional<OptionalGain> colour = {};  ///< the figures by which features.colour: auto decided
  std::string written_by = {};              ///< version of the LeafGlyph that wrote the folder
};
/// The current time in the format of `date`.
std::string date_now();

/// Longer side of the pictures in a model, in pixels: 2 to 5 KB per leaf.
inline constexpr int kModelPictureSide = 160;

struct LeafModel {
  LeafConfig config;
  std::vector<std::string> class_names;
  std::vector<std::string> scientific_names;
  std::vector<std::string> sample_names;  ///< of the training leaves, row by row
  FeatureTable features;                  ///< of the training leaves and their augmented copies
  NearestClassifier classifier;
  LeafConfig requested;                ///< what `config` was before the fit changed it
  std::vector<SmallPicture> pictures;  ///< of the training leaves
  ModelHistory history;
};

/// Throws the Error with which save_model would refuse the folder: it contains files that are not
/// of a model, or cannot be created. Changes nothing.
void check_can_save_model(const std::filesystem::path& folder);

/// Writes the folder next to its place, which `lock` holds, and moves it there in one step;
/// replaces an older model and nothing else, not even other files beside those of a model. Whoever
/// changes a model must hold the lock from reading it on. Throws Error when it cannot be written.
void save_model(const LeafModel& model, const WriteLock& lock);

/// Parses exactly the bytes whose digests were checked; if the model is replaced meanwhile it is
/// read again. Throws InputError when the folder does not exist or a file cannot be read,
/// FormatError when the folder is not a model, of another version, or a file in it is missing,
/// changed or does not fit the others.
LeafModel load_model(const std::filesystem::path& folder);

}  // namespace leafglyph
