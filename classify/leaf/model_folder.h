// A trained leaf classifier as a folder, checked when it is read.
//
// manifest.json    format, format version, versions of LeafGlyph and its libraries, convention of
//                  the moments, threshold, the SHA-256 of every other file, and that of all this
// config.yaml      the resolved configuration
// labels.json      names of the classes; name and class of each training leaf
// features.npy     float, training leaves x columns: the features before the pipeline
// scaling.npy      double, 2 x columns: offset and scale of the pipeline
// projection-B.npy double, columns x dimensions of the pipeline's projection B: 0 of all columns,
//                  then of each channel; only those that the pipeline has
// rows.npy         float, training leaves x dimensions: the rows that the index compares
// novelty-means.npy, novelty-directions.npy
//                  double, (1 + classes) x columns, directions x columns: of ClassDistance, the
//                  scale and the means; its directions; only with novelty: mahalanobis
// typical.npy      double, (1 + classes) x columns: of TypicalDistance, the scale and the means;
//                  only where the manifest has the weights of a calibration
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classify/knn/nearest_classifier.h"
#include "classify/leaf/leaf_config.h"

namespace leafglyph {

struct LeafModel {
  LeafConfig config;
  std::vector<std::string> class_names;
  std::vector<std::string> scientific_names;
  std::vector<std::string> sample_names;  ///< of the training leaves, row by row
  FeatureTable features;                  ///< of the training leaves
  NearestClassifier classifier;
};

/// Version of the folder's format. Those from kOldestModelVersion on are read, too; a folder of
/// another one is refused.
inline constexpr int kModelVersion = 2;
/// Without calibration: its answers have no probability.
inline constexpr int kOldestModelVersion = 1;

/// Throws the Error with which save_model would refuse the folder: it holds anything but the files
/// of a model, or cannot be made. Leaves everything as it is.
void check_can_save_model(const std::filesystem::path& folder);

/// Writes the folder beside its place and puts it there in one step; an older model is replaced,
/// anything else that is in the way is not, also beside the files of a model. Throws Error when it
/// cannot be written.
void save_model(const LeafModel& model, const std::filesystem::path& folder);

/// What is parsed are the very bytes whose digests were checked; a model that is replaced meanwhile
/// is read from the start. Throws InputError when there is no such folder or a file cannot be read,
/// FormatError when the folder is not a model, of another version, or a file in it is missing,
/// changed or does not fit the others.
LeafModel load_model(const std::filesystem::path& folder);

}  // namespace leafglyph
