// Outlines of a photograph, to be drawn over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classify/rows/row_pipeline.h"
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
using OutlinePoints = std::vector<OutlinePoint>;

/// A connected part of the foreground.
struct FoundPart {
  OutlinePoints outline;
  double share = 0;  ///< of the photograph's area, holes included
};

/// Keeps the outlines of a preparation while it runs.
class OutlineSink : public StageSink {
 public:
  /// `with_leaflets`: leaflets are not leaves of their own (LeafParts::kLeaf).
  explicit OutlineSink(bool with_leaflets = false) : with_leaflets_(with_leaflets) {}
  void stage(std::string_view name, const Image<std::uint8_t>& image) override;

  /// The outline of the leaf that was found; empty if there was none.
  const OutlinePoints& leaf() const { return leaf_; }
  /// The parts that could be leaves, largest first; of a leaf with leaflets, the largest of them.
  const std::vector<FoundPart>& parts() const { return parts_; }

 private:
  bool with_leaflets_;
  OutlinePoints leaf_;
  std::vector<FoundPart> parts_;
};

/// The outline of the leaf of a photograph. Throws what read_photograph and prepare_leaf throw.
OutlinePoints leaf_outline(const std::filesystem::path& photograph, const PrepareSpec& spec);

/// Which of the leaves of a photograph to use.
struct PartChoice {
  std::optional<std::size_t> part;  ///< index in OutlineSink::parts; none: the largest
  double area_share = 0;  ///< of its photograph that a chosen part counts as, as for sheet_source
};

/// One leaf of the photograph in `bytes`. The parts go to `outlines`, the leaf's outline to
/// `outline`. All three must live as long as the source. Preparing the leaf throws UsageError when
/// there is no such part.
Source outlined_source(const std::string& name, std::string_view bytes, const PartChoice& choice,
                       const PrepareSpec& spec, OutlineSink& outlines, OutlinePoints& outline);

}  // namespace leafglyph
