// Results as text, JSON, CSV and SVG; explanations, checks and models as text and pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/leaf/leaf_explain.h"
#include "classify/leaf/leaf_study.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf/model_folder.h"
#include "classify/page/page_template.h"
#include "features/base/table.h"

namespace leafglyph {

/// Every figure of a study, with the curves if there are any, the confused pairs and the chosen
/// settings. The other forms of the report, and its JSON, are written from it.
PageValues evaluation_document(const LeafStudy& study);
/// The text for a terminal: protocol, headline, per-class table, most confused pairs, times by
/// stage; the perturbation table, if there is one.
std::string text_report(const PageValues& document);
/// One line per class: tests, correct, recall, precision, and the class that it is most often
/// mistaken for.
Table class_table(const PageValues& document);
/// The confusion matrix, truth down, prediction across.
Table confusion_table(const PageValues& document);

/// Accuracy by order for one configuration, with the published figures beside it. Text, table and
/// plot show one or more.
PageValues sweep_document(const LeafSweep& sweep);
std::string sweep_text(std::span<const PageValues> sweeps);
Table sweep_table(std::span<const PageValues> sweeps);
std::string sweep_svg(std::span<const PageValues> sweeps, const std::string& title);

/// Predictions for images, with `top` classes: a few lines each, a JSON array, or one table row
/// each.
std::string classification_text(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);
PageValues classification_document(const LeafModel& model, std::span<const ClassifiedLeaf> leaves);
Table classification_table(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                           std::size_t top);

/// "log-magnitude, standardised; 5 nearest, euclidean, majority vote".
std::string describe(const ClassifierSpec& spec);
/// "mean distance to the nearest training leaves", for sentences.
std::string describe_outlier_score(const ClassifierSpec& spec);

/// The result for a plant, followed by those for its leaves.
std::string plant_text(const LeafModel& model, const PlantPrediction& plant,
                       std::span<const ClassifiedLeaf> leaves);
/// An object: the result, and the leaves as in classification_document.
PageValues plant_document(const LeafModel& model, const PlantPrediction& plant,
                          std::span<const ClassifiedLeaf> leaves);

/// "unknown", or the first class's name.
std::string predicted_name(const LeafModel& model, const Prediction& prediction);
/// "ginkgo; sure (99 %)", "unknown; nearest: ginkgo (12 %)"; without word and share for models
/// without a calibration.
std::string prediction_in_words(const LeafModel& model, const Prediction& prediction);

/// Every figure of the check of a model that has one: the share identified correctly with its
/// interval, the photographs of each species, those that need attention, what more of them would
/// bring if known. Throws FormatError when the check is damaged.
PageValues check_document(const LeafModel& model);
/// The same as text, with at most `most` photographs that need attention.
std::string check_text(const PageValues& document, std::size_t most);

/// A page with everything: the photographs that need attention with their pictures, a table of the
/// species, the learning curve.
std::string html_check(const LeafModel& model);

/// "97.92 % of 48 training leaves, each by folds without it (95 % interval 89.10 to 99.63 %)".
std::string accuracy_in_words(const CrossValidatedShare& accuracy);
/// From which probabilities a model is sure and likely; empty where these are the usual ones.
std::string words_in_words(const WordLimits& limits);

/// "12.3 MB, 4.5 KB per leaf", of a model's folder; 0: it has none.
std::string size_in_words(std::uint64_t bytes, std::size_t leaves);

/// The share of leaves of other species that the model calls unknown, in a sentence.
std::string unknown_in_words(const LeafModel& model);

/// What is known of a model, with the whole configuration as YAML.
PageValues model_document(const LeafModel& model);
/// One line per fact (date, data, accuracy, features, classifier, pictures), then one line per
/// species.
std::string model_text(const PageValues& document);

/// Throws UsageError for more than kMaxExplainedImages images, whose page would be too large.
void check_explainable(std::size_t images);

/// For each image: the leaf, the classes by their probability or share of the vote, the nearest
/// training leaves with their pictures and distances, and which channels agree with the prediction.
/// The pictures come from the model. parts[i] are the predictions of the channels for leaves[i]
/// (PartClassifiers). Throws what check_explainable throws.
std::string html_explanation(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                             std::span<const std::vector<PartPrediction>> parts);

}  // namespace leafglyph
