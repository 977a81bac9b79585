// Leaves as inputs of the row pipeline, and their feature rows.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "classify/rows/feature_spec.h"
#include "classify/rows/row_pipeline.h"
#include "classify/rows/small_picture.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// A prepared leaf.
class LeafPart : public Part {
 public:
  explicit LeafPart(PreparedLeaf prepared) : leaf(std::move(prepared)) {}
  PartPlace place() const override;
  bool has_row() const override { return leaf.state != PartState::kNotALeaf; }
  void drop_pixels() override;

  PreparedLeaf leaf;
  int number = 0;  ///< among the parts of its photograph, from 1; 0: the only one
  /// Columns of a table (LeafRows::completed).
  std::vector<float> joined = {};
};

/// One of several parts of a photograph, and pictures of it.
class SheetPart : public LeafPart {
 public:
  using LeafPart::LeafPart;

  SmallPicture picture;
  SmallPicture numbered;  ///< only for the first part: the photograph with numbers on its leaves
};
/// Longer sides, in pixels, of the pictures of a sheet and of a leaf on it.
inline constexpr int kSheetSide = 1200, kSheetLeafSide = 400;

/// The part of an input that is a leaf.
inline const PreparedLeaf& leaf_of(const Part& part) {
  return static_cast<const LeafPart&>(part).leaf;
}

/// Photographs from any source.
struct Photographs {
  std::size_t count = 0;
  std::function<std::string(std::size_t)> name;
  /// Photograph i. `memory` reserves what it needs. `digest` is set if the photograph is a file.
  std::function<Photograph(std::size_t i, MemoryReservation& memory, FileDigest& digest,
                           StageLoad& load)>
      take;
};
/// Photographs in files, read as `spec` needs them. Paths are strings, because a path needs five
/// times their memory; they must live as long as the source.
Photographs photographs_in(std::span<const std::string> files, const PrepareSpec& spec);

/// The leaf of each photograph, a LeafPart.
Source leaf_source(Photographs photographs, const PrepareSpec& spec);
/// What sheet_source makes of the parts of a photograph.
struct SheetOptions {
  /// The share of its photograph that each leaf counts as covering, if there are several; none: its
  /// own.
  std::optional<double> area_share = {};
  bool pictures = false;  ///< of the leaves, and one with their numbers
};
/// Every part of each photograph (prepare_leaves), as SheetParts from the top. Parts that are not
/// leaves have no rows.
Source sheet_source(Photographs photographs, const PrepareSpec& spec, const SheetOptions& options);
/// Photographs with labels, which `take` sets, in any other way as Photographs.
struct LabelledPhotographs {
  std::size_t count = 0;
  std::function<std::string(std::size_t)> name;
  std::function<Photograph(std::size_t i, LabelImage& labels, MemoryReservation& memory,
                           FileDigest& digest, StageLoad& load)>
      take;
};
/// Every region of the labels of each photograph (prepare_labelled), as LeafParts whose numbers are
/// the labels.
Source labelled_source(LabelledPhotographs photographs, const PrepareSpec& spec);
/// The leaf of each sample; both must live as long as the source.
Source sample_source(const LeafDataset& dataset, std::span<const std::size_t> samples,
                     const PrepareSpec& spec);
/// The leaf of an augmented copy (augmented_copy.h) of each sample. The seed is the number of the
/// sample. The photograph is altered and, if leaves have colours, is given other light and other
/// paper.
Source augmented_source(const LeafDataset& dataset, std::span<const std::size_t> samples,
                        const PrepareSpec& spec);

/// The feature rows of leaves. If one GPU computes the moments, it also computes the channels.
class LeafRows : public RowKind<float> {
 public:
  /// Features up to `order`, which replaces features.order, of leaves of `size` x `size` pixels.
  /// Throws as read_network and JoinedTable.
  LeafRows(FeatureSpec features, int order, int size);

  const FeatureLayout& layout() const { return layout_; }
  /// The table whose columns are features; null without one.
  const JoinedTable* joined() const { return joined_.get(); }
  /// The source, whose leaves also have the columns of the table, if there is one: every source of
  /// parts for these rows needs it. A photograph without a row fails.
  Source completed(Source source) const;
  std::size_t columns() const override { return layout_.columns(); }
  std::size_t batch() const override;
  /// kAuto becomes kCpu for rows of few moments: handing leaves to a GPU would take the cores
  /// longer than making the rows.
  DeviceChoice device(const DeviceChoice& requested, std::string& reason) const override;
  /// Throws what make_moment_plan throws.
  std::unique_ptr<RowMaker<float>> make_maker(const PlanOptions& options) const override;

 private:
  MomentSpec moments() const;  // of each channel

  FeatureSpec features_;
  FeatureLayout layout_;
  NetworkFile network_;  // empty without one
  std::shared_ptr<const JoinedTable> joined_;
  int size_;
};

}  // namespace leafglyph
