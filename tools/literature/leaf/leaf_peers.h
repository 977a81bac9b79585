// Other features and classifiers of the literature for leaves, for comparison alone: Hu's
// invariants, geometric moments, histograms of local binary patterns; a support vector machine and
// a probabilistic neural network.
#pragma once

#include <vector>

#include "classify/knn/folds.h"
#include "features/leaf/leaf_image.h"
#include "tools/literature/leaf/leaf_ways.h"

namespace leafglyph {

/// Signed logarithms of Hu's seven invariants of the grey leaf.
std::vector<double> hu_invariants(const PreparedLeaf& leaf);
/// The normalised central moments of order 2 and 3 of the grey leaf.
std::vector<double> geometric_moments(const PreparedLeaf& leaf);
/// The 59 bins of uniform local binary patterns of 8 neighbours at distance 1, over the leaf.
std::vector<double> local_binary_patterns(const PreparedLeaf& leaf);

/// Share of right predictions of a support vector machine (radial basis functions of gamma 1 /
/// columns, C = 10), on rows standardised over the training leaves.
double svm_accuracy(const Rows& rows, const std::vector<int>& labels, const Split& split);

/// The same of a probabilistic neural network: a Gaussian about every training leaf, as wide as
/// half the median distance of a training leaf to its nearest; the class with the largest sum.
double pnn_accuracy(const Rows& rows, const std::vector<int>& labels, const Split& split);

}  // namespace leafglyph
