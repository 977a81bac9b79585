#include "classify/knn/confidence.h"

#include <algorithm>
#include <cmath>

#include "classify/knn/algebra.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kWeights = kEvidenceTerms + 1;
// Replaces the distance 0, which a copy of a training leaf has, in the logarithm.
constexpr double kLeastDistance = 1e-6;

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// Weighted mean and standard deviation of each term.
struct Scales {
  std::array<double, kEvidenceTerms> mean{}, deviation{};
};

Scales scales_of(std::span<const JudgedEvidence> leaves) {
  Scales scales;
  double total = 0.0;
  for (const JudgedEvidence& leaf : leaves) {
    total += leaf.weight;
    const auto t = leaf.evidence.terms();
    for (std::size_t j = 0; j < kEvidenceTerms; ++j) scales.mean[j] += leaf.weight * t[j];
  }
  for (double& mean : scales.mean) mean /= total;
  for (const JudgedEvidence& leaf : leaves) {
    const auto t = leaf.evidence.terms();
    for (std::size_t j = 0; j < kEvidenceTerms; ++j) {
      const double off = t[j] - scales.mean[j];
      scales.deviation[j] += leaf.weight * off * off / total;
    }
  }
  for (double& deviation : scales.deviation) {
    deviation = deviation > 0.0 ? std::sqrt(deviation) : 1.0;
  }
  return scales;
}

std::array<double, kWeights> standardised(const Evidence& evidence, const Scales& scales) {
  std::array<double, kWeights> x{1.0};
  const auto t = evidence.terms();
  for (std::size_t j = 0; j < kEvidenceTerms; ++j) {
    x[j + 1] = (t[j] - scales.mean[j]) / scales.deviation[j];
  }
  return x;
}

double sum_of(const std::array<double, kWeights>& weights, const std::array<double, kWeights>& x) {
  double sum = 0.0;
  for (std::size_t j = 0; j < kWeights; ++j) sum += weights[j] * x[j];
  return sum;
}

}  // namespace

std::array<double, kEvidenceTerms> Evidence::terms() const {
  const auto log_of = [](double distance) { return std::log(std::max(distance, kLeastDistance)); };
  return {log_of(outlier_score), margin, votes,         log_of(typical),
          log_of(contrast),      length, log_of(apart), log_of(local)};
}

// Newton's method for the penalised log-likelihood of the standardised terms. The fitted weights
// are then converted to those of the terms themselves.
Calibration Calibration::fit(std::span<const JudgedEvidence> leaves) {
  if (leaves.empty())
    throw UsageError("there is no leaf from which to learn how sure predictions are");
  const Scales scales = scales_of(leaves);
  double right = 0.0, wrong = 0.0;
  for (const JudgedEvidence& leaf : leaves) (leaf.right ? right : wrong) += leaf.weight;
  const double high = (right + 1.0) / (right + 2.0), low = 1.0 / (wrong + 2.0);
  std::array<double, kWeights> weights{};
  // The log-likelihood is concave. From 0, steps with a component above 1 are not needed, so they
  // are shortened.
  constexpr int kSteps = 50;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> hessian(kWeights * kWeights, 0.0), gradient(kWeights, 0.0);
    for (const JudgedEvidence& leaf : leaves) {
      const auto x = standardised(leaf.evidence, scales);
      const double p = logistic(sum_of(weights, x));
      for (std::size_t a = 0; a < kWeights; ++a) {
        gradient[a] += leaf.weight * ((leaf.right ? high : low) - p) * x[a];
        for (std::size_t b = 0; b < kWeights; ++b) {
          hessian[a * kWeights + b] += leaf.weight * std::max(1e-9, p * (1 - p)) * x[a] * x[b];
        }
      }
    }
    for (std::size_t a = 1; a < kWeights; ++a) {
      gradient[a] -= weights[a];
      hessian[a * kWeights + a] += 1.0;
    }
    solve_positive_definite(hessian, gradient, kWeights, 1);
    double longest = 0.0;
    for (const double change : gradient) longest = std::max(longest, std::abs(change));
    const double length = longest > 1.0 ? 1.0 / longest : 1.0;
    for (std::size_t a = 0; a < kWeights; ++a) weights[a] += length * gradient[a];
    if (longest < 1e-10) break;
  }
  std::array<double, kWeights> raw{weights[0]};
  for (std::size_t j = 0; j < kEvidenceTerms; ++j) {
    raw[j + 1] = weights[j + 1] / scales.deviation[j];
    raw[0] -= raw[j + 1] * scales.mean[j];
  }
  return Calibration(raw);
}

double Calibration::probability(const Evidence& evidence) const {
  std::array<double, kWeights> x{1.0};
  std::ranges::copy(evidence.terms(), x.begin() + 1);
  return logistic(sum_of(weights_, x));
}

double calibration_error(std::span<const double> probabilities,
                         std::span<const std::uint8_t> right) {
  constexpr std::size_t kBins = 10;
  std::array<double, kBins> claimed{}, found{}, count{};
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const auto bin = std::min(
        kBins - 1, static_cast<std::size_t>(probabilities[i] * static_cast<double>(kBins)));
    claimed[bin] += probabilities[i];
    found[bin] += right[i] != 0 ? 1.0 : 0.0;
    count[bin] += 1.0;
  }
  double error = 0.0;
  for (std::size_t b = 0; b < kBins; ++b) error += std::abs(found[b] - claimed[b]);
  return probabilities.empty() ? 0.0 : error / static_cast<double>(probabilities.size());
}

}  // namespace leafglyph
