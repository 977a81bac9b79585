// Outlines of what was found on a photograph, to be drawn over it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// A point as shares of the photograph's width and height, upright; the middle of its first pixel
/// is (0.5 / width, 0.5 / height).
struct OutlinePoint {
  double x = 0;
  double y = 0;
};
/// A closed outline, its points in order.
using Outline = std::vector<OutlinePoint>;

/// A connected part of what stands out from the background.
struct FoundPart {
  Outline outline;
  double share = 0;  ///< of the photograph's area, holes included
};

/// Keeps the outlines of a preparation while it runs.
class OutlineSink : public StageSink {
 public:
  void stage(std::string_view name, const Image<std::uint8_t>& image) override;

  /// Outline of the leaf that was taken; empty where there was none.
  const Outline& leaf() const { return leaf_; }
  /// Those parts that could be leaves, the largest first.
  const std::vector<FoundPart>& parts() const { return parts_; }

 private:
  Outline leaf_;
  std::vector<FoundPart> parts_;
};

}  // namespace leafglyph
