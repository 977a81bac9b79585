// Transforms whose moments can be computed for some repetitions alone, so that several GPUs can
// share one image.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

class RepetitionTransform {
 public:
  RepetitionTransform() = default;
  virtual ~RepetitionTransform() = default;
  RepetitionTransform(const RepetitionTransform&) = delete;
  RepetitionTransform& operator=(const RepetitionTransform&) = delete;

  /// `shares` ranges of repetitions m that take about equally long: share s has those from cuts[s]
  /// to cuts[s + 1] - 1, and may be empty.
  virtual std::vector<int> cuts(std::size_t shares) const = 0;
  /// The moments of repetitions first to last - 1 of a batch of one image, in the places that they
  /// have among all its moments; the others are left as they are. `first` and `last` are cuts.
  virtual void compute_repetitions(const ImageBatch& image, int first, int last,
                                   std::span<std::complex<double>> moments) = 0;
};

}  // namespace leafglyph
