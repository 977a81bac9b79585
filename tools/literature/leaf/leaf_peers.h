// Other leaf features and classifiers from the literature, only for comparison: Hu's invariants,
// geometric moments and histograms of local binary patterns; a support vector machine and a
// probabilistic neural network.
#pragma once

#include <vector>

#include "classify/table/folds.h"
#include "features/leaf/leaf_image.h"
#include "tools/literature/leaf/leaf_ways.h"

namespace leafglyph {

/// Hu's seven invariants of the grey leaf on a signed logarithmic scale: sign(h) |log10 |h||, or 0
/// for h = 0.
std::vector<double> hu_invariants(const PreparedLeaf& leaf);
/// The normalised central moments of order 2 and 3 of the grey leaf.
std::vector<double> geometric_moments(const PreparedLeaf& leaf);
/// Histogram of the uniform local binary patterns of 8 neighbours at distance 1: 59 bins, as shares
/// of the leaf's pixels.
std::vector<double> local_binary_patterns(const PreparedLeaf& leaf);

/// Accuracy of a support vector machine (radial basis functions with gamma = 1 / columns, C = 10)
/// on rows that are standardised over the training leaves.
double svm_accuracy(const Rows& rows, const std::vector<int>& labels, const Split& split);

/// Accuracy of a probabilistic neural network on the same rows: a Gaussian around every training
/// leaf, half as wide as the median distance from a training leaf to its nearest one. Predicts the
/// class with the largest sum.
double pnn_accuracy(const Rows& rows, const std::vector<int>& labels, const Split& split);

}  // namespace leafglyph
