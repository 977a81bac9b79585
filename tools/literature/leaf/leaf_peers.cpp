#include "tools/literature/leaf/leaf_peers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/ml.hpp>
#include <utility>

#include "features/base/statistics.h"

namespace leafglyph {
namespace {

cv::Moments moments_of(const PreparedLeaf& leaf) {
  cv::Mat grey(leaf.grey.height(), leaf.grey.width(), CV_32F);
  std::copy(leaf.grey.pixels().begin(), leaf.grey.pixels().end(), grey.begin<float>());
  return cv::moments(grey);
}

// The bin of every 8-bit pattern. Uniform patterns, with at most two changes around the circle,
// have a bin each; all others share the last bin.
std::array<int, 256> uniform_bins() {
  std::array<int, 256> bins{};
  int next = 0;
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    const unsigned turned = ((pattern << 1U) | (pattern >> 7U)) & 255U;
    bins[pattern] = std::popcount(pattern ^ turned) <= 2 ? next++ : -1;
  }
  for (int& bin : bins) bin = bin < 0 ? next : bin;
  return bins;
}

// All rows, standardised by the mean and deviation of the training rows. Constant columns become 0.
cv::Mat standardised(const Rows& rows, const std::vector<std::size_t>& train) {
  cv::Mat scaled(static_cast<int>(rows.values.size() / rows.columns),
                 static_cast<int>(rows.columns), CV_32F);
  for (int c = 0; c < scaled.cols; ++c) {
    double sum = 0.0;
    double squares = 0.0;
    for (const std::size_t i : train) {
      const double value = rows.row(i)[c];
      sum += value;
      squares += value * value;
    }
    const double mean = sum / static_cast<double>(train.size());
    const double deviation =
        std::sqrt(std::max(0.0, squares / static_cast<double>(train.size()) - mean * mean));
    for (int i = 0; i < scaled.rows; ++i) {
      const double value = rows.row(static_cast<std::size_t>(i))[c];
      scaled.at<float>(i, c) =
          deviation > 0.0 ? static_cast<float>((value - mean) / deviation) : 0.0F;
    }
  }
  return scaled;
}

cv::Mat taken(const cv::Mat& all, const std::vector<std::size_t>& rows) {
  cv::Mat part(static_cast<int>(rows.size()), all.cols, all.type());
  for (int i = 0; i < part.rows; ++i) {
    all.row(static_cast<int>(rows[static_cast<std::size_t>(i)])).copyTo(part.row(i));
  }
  return part;
}

}  // namespace

std::vector<double> hu_invariants(const PreparedLeaf& leaf) {
  std::array<double, 7> hu{};
  cv::HuMoments(moments_of(leaf), hu.data());
  std::vector<double> values;
  values.reserve(hu.size());
  for (const double h : hu) {
    values.push_back(h == 0.0 ? 0.0 : std::copysign(std::log10(std::abs(h)), h));
  }
  return values;
}

std::vector<double> geometric_moments(const PreparedLeaf& leaf) {
  const cv::Moments m = moments_of(leaf);
  return {m.nu20, m.nu11, m.nu02, m.nu30, m.nu21, m.nu12, m.nu03};
}

std::vector<double> local_binary_patterns(const PreparedLeaf& leaf) {
  static constexpr int kAround[8][2] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, 1},
                                        {1, 1},   {1, 0},  {1, -1}, {0, -1}};
  const std::array<int, 256> bins = uniform_bins();
  std::vector<double> histogram(59, 0.0);
  double pixels = 0.0;
  for (int j = 1; j + 1 < leaf.grey.height(); ++j) {
    for (int i = 1; i + 1 < leaf.grey.width(); ++i) {
      if (leaf.mask.at(j, i) == 0) continue;
      unsigned pattern = 0;
      for (unsigned b = 0; b < 8; ++b) {
        const bool brighter =
            leaf.grey.at(j + kAround[b][0], i + kAround[b][1]) >= leaf.grey.at(j, i);
        pattern |= (brighter ? 1U : 0U) << b;
      }
      histogram[static_cast<std::size_t>(bins[pattern])] += 1.0;
      pixels += 1.0;
    }
  }
  for (double& bin : histogram) bin /= std::max(1.0, pixels);
  return histogram;
}

double svm_accuracy(const Rows& rows, const std::vector<int>& labels, const Split& split) {
  const cv::Mat all = standardised(rows, split.train);
  cv::Mat train_labels(static_cast<int>(split.train.size()), 1, CV_32S);
  for (int i = 0; i < train_labels.rows; ++i) {
    train_labels.at<int>(i) = labels[split.train[static_cast<std::size_t>(i)]];
  }
  const cv::Ptr<cv::ml::SVM> svm = cv::ml::SVM::create();
  svm->setType(cv::ml::SVM::C_SVC);
  svm->setKernel(cv::ml::SVM::RBF);
  svm->setGamma(1.0 / static_cast<double>(rows.columns));
  svm->setC(10.0);
  svm->train(taken(all, split.train), cv::ml::ROW_SAMPLE, train_labels);
  cv::Mat predictions;
  svm->predict(taken(all, split.test), predictions);
  std::size_t right = 0;
  for (std::size_t i = 0; i < split.test.size(); ++i) {
    if (std::lround(predictions.at<float>(static_cast<int>(i))) == labels[split.test[i]]) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(split.test.size());
}

double pnn_accuracy(const Rows& rows, const std::vector<int>& labels, const Split& split) {
  const cv::Mat all = standardised(rows, split.train);
  const cv::Mat train = taken(all, split.train);
  std::vector<double> nearest;
  for (int i = 0; i < train.rows; ++i) {
    double low = std::numeric_limits<double>::max();
    for (int j = 0; j < train.rows; ++j) {
      if (j != i) low = std::min(low, cv::norm(train.row(i), train.row(j)));
    }
    nearest.push_back(low);
  }
  const double width = 0.5 * median(std::move(nearest));
  std::size_t right = 0;
  for (const std::size_t leaf : split.test) {
    std::vector<double> exponents;
    for (int j = 0; j < train.rows; ++j) {
      const double distance = cv::norm(all.row(static_cast<int>(leaf)), train.row(j));
      exponents.push_back(-distance * distance / (2.0 * width * width));
    }
    const double top = *std::max_element(exponents.begin(), exponents.end());
    std::map<int, double> sums;  // unweighted: the classes are equally large
    for (std::size_t j = 0; j < exponents.size(); ++j) {
      sums[labels[split.train[j]]] += std::exp(exponents[j] - top);
    }
    const auto best = std::max_element(
        sums.begin(), sums.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best->first == labels[leaf]) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(split.test.size());
}

}  // namespace leafglyph
