// Preparation of leaf photographs: grey image -> leaf and background -> centred leaf of fixed area.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/image/image.h"
#include "features/leaf/leaf_image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// How the photograph's frame is mapped to the prepared image.
enum class Geometry {
  /// The literature's: the photograph is squeezed to N x N, then moved and scaled; parts that
  /// leave the image are lost.
  kPublished,
  /// One scale for x and y, that of the photograph itself; anti-aliased; the leaf is made smaller
  /// (with a note) when it would otherwise leave the unit circle.
  kShapePreserving,
};
template <>
inline constexpr Names<Geometry, 2> kNamesOf<Geometry> = {
    "geometry",
    {{{Geometry::kPublished, "published"}, {Geometry::kShapePreserving, "shape-preserving"}}}};

/// What the background of the photographs is. A photograph that is not so is refused.
enum class Background {
  kLight,
  kDark,
  kAuto,  ///< either, whichever explains the photograph better; of Finder::kBest only
};
template <>
inline constexpr Names<Background, 3> kNamesOf<Background> = {
    "background",
    {{{Background::kLight, "light"}, {Background::kDark, "dark"}, {Background::kAuto, "auto"}}}};

/// How the leaf is segmented from the background.
enum class Finder {
  kThreshold,  ///< Otsu's threshold of the grey values as they are
  /// The best of several ways (leaf_candidates.h): uneven light is levelled before the threshold,
  /// and in the leaf's grey values; noise is smoothed; colour is used where there is any; what
  /// looks like no leaf on paper is refused.
  kBest,
};
template <>
inline constexpr Names<Finder, 2> kNamesOf<Finder> = {
    "finder", {{{Finder::kThreshold, "threshold"}, {Finder::kBest, "best"}}}};

/// Which parts of the dark class are the leaf.
enum class LeafParts {
  kLargest,  ///< the largest 8-connected component, its holes filled
  kAll,      ///< every dark pixel, holes left open
};
template <>
inline constexpr Names<LeafParts, 2> kNamesOf<LeafParts> = {
    "parts", {{{LeafParts::kLargest, "largest"}, {LeafParts::kAll, "all"}}}};

/// What becomes of the stalk; kCut needs LeafParts::kLargest.
enum class Petiole {
  kKeep,
  kCut,  ///< cut_petiole (petiole.h): not every photograph shows all of it, or any
};
template <>
inline constexpr Names<Petiole, 2> kNamesOf<Petiole> = {
    "petiole", {{{Petiole::kKeep, "keep"}, {Petiole::kCut, "cut"}}}};

/// Whether a prepared leaf has its colours beside the grey values.
enum class LeafColour {
  kNone,
  kWherePresent,  ///< those of photographs that have any
  kRequired,      ///< a photograph without colours is refused
};

struct PrepareSpec {
  Geometry geometry = Geometry::kShapePreserving;
  int size = 256;      ///< N, 16..4096
  double area = 8000;  ///< leaf area after scaling, in pixels, > 0
  /// Width / height of photographs whose files were squeezed to squares, 0 when none were. Only
  /// square files are stretched by it; any other keeps its own shape, upright or lying.
  double source_aspect = 0;
  Background background = Background::kLight;
  LeafParts parts = LeafParts::kLargest;
  /// A photograph is halved, and halved again, as long as its longer side keeps so many times N,
  /// before the leaf is looked for, a JPEG file while it is decoded: that takes a fraction of the
  /// time, and what is smaller than a pixel of the prepared leaf is averaged sooner. 1..64
  double oversampling = 3;
  Finder finder = Finder::kThreshold;
  Petiole petiole = Petiole::kKeep;
  /// No key of the preparation's configuration: preparation_for says what the features need.
  LeafColour colours = LeafColour::kNone;
  friend bool operator==(const PrepareSpec&, const PrepareSpec&) = default;
};

/// The source_aspect that "4:3", "1.333" or "0" says, and the shortest such text. The first throws
/// UsageError.
double aspect_from_text(std::string_view text);
std::string aspect_text(double aspect);

/// The published preparation: squeezed to 256 x 256, area 10000, every dark pixel.
PrepareSpec published_spec();

/// Throws UsageError when a value is out of range.
void validate(const PrepareSpec& spec);

/// Receives every stage of a preparation: its name ("1-grey", "2-binary", ...) and image.
class StageSink {
 public:
  virtual ~StageSink() = default;
  virtual void stage(std::string_view name, const Image<std::uint8_t>& image) = 0;
};

/// Prepares a photograph; `name` stands for it in messages. Throws UsageError for a spec out
/// of range, InputError, naming `name` and the reason, when no leaf can be segmented from the
/// background. Safe to call from many threads, each with its own sink.
PreparedLeaf prepare_leaf(const Photograph& photograph, std::string_view name,
                          const PrepareSpec& spec, StageSink* sink = nullptr);
/// The same of a grey one.
PreparedLeaf prepare_leaf(const Image<std::uint8_t>& photograph, std::string_view name,
                          const PrepareSpec& spec, StageSink* sink = nullptr);

/// A leaf of several in a photograph, and the box around it in pixels of the photograph.
struct FoundLeaf {
  PreparedLeaf leaf;
  int left = 0, top = 0, width = 0, height = 0;
};
/// Every leaf of the photograph (segment_leaves), each prepared by itself. The sink gets the stages
/// "1-grey" and "2-binary", which all leaves share. Throws as prepare_leaf.
std::vector<FoundLeaf> prepare_leaves(const Photograph& photograph, std::string_view name,
                                      const PrepareSpec& spec, StageSink* sink = nullptr);

/// What the preparation uses of a photograph: its grey values, at no more pixels than it reduces
/// them to, and its colours for Finder::kBest and for a leaf that is to have them. Many threads
/// prepare photographs, so that `memory`, which has to last as long as the photograph, lets them
/// wait for each other.
PhotographRequest request_of(const PrepareSpec& spec, MemoryReservation& memory);

/// read_photograph, then prepare_leaf.
PreparedLeaf prepare_file(const std::filesystem::path& file, const PrepareSpec& spec,
                          StageSink* sink = nullptr);

}  // namespace leafglyph
