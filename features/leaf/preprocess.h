// Preparation of leaf photographs: grey image -> leaf and background -> centred leaf of fixed area.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/image/image.h"
#include "features/leaf/label_image.h"
#include "features/leaf/leaf_image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

class Keys;

/// How the frame of the photograph is mapped to the prepared image.
enum class Geometry {
  /// As in the literature: the photograph is squeezed to N x N, then moved and scaled. Parts that
  /// leave the image are lost.
  kPublished,
  /// The same scale for x and y of the photograph itself, with anti-aliasing. A leaf that would
  /// extend beyond the unit circle is scaled down, with a note.
  kShapePreserving,
};
template <>
inline constexpr Names<Geometry, 2> kNamesOf<Geometry> = {
    "geometry",
    {{{Geometry::kPublished, "published"}, {Geometry::kShapePreserving, "shape-preserving"}}}};

/// The background of the photographs. A photograph with another background is refused.
enum class Background {
  kLight,
  kDark,
  kAuto,  ///< whichever fits the photograph better; not for Finder::kThreshold
};
template <>
inline constexpr Names<Background, 3> kNamesOf<Background> = {
    "background",
    {{{Background::kLight, "light"}, {Background::kDark, "dark"}, {Background::kAuto, "auto"}}}};

/// The method that segments the leaf from the background.
enum class Finder {
  kThreshold,  ///< Otsu's threshold of the grey values without levelling
  /// The best of several methods (leaf_candidates.h). Uneven light is levelled before the threshold
  /// and in the leaf's grey values, noise is smoothed, colour is used if there is any, and a
  /// photograph that does not look like a leaf on paper is refused.
  kBest,
  /// First what surrounds the paper is left out (scene.h), then as kBest. Models of 0.2.0 have
  /// kBest.
  kScene,
};
template <>
inline constexpr Names<Finder, 3> kNamesOf<Finder> = {
    "finder",
    {{{Finder::kThreshold, "threshold"}, {Finder::kBest, "best"}, {Finder::kScene, "scene"}}}};

/// Which parts of the foreground form the leaf.
enum class LeafParts {
  kLargest,  ///< the largest 8-connected part, with its holes filled
  /// That, and the leaflets near it (leaflets_of, foreground_parts.h), for Finder::kScene those on
  /// its stalk as well (hanging_leaflets.h).
  kLeaf,
  kTogether,  ///< every part that may be a leaf: those of one leaf, as somebody said
  kAll,       ///< every foreground pixel, without filling holes
};
template <>
inline constexpr Names<LeafParts, 4> kNamesOf<LeafParts> = {"parts",
                                                            {{{LeafParts::kLargest, "largest"},
                                                              {LeafParts::kLeaf, "leaf"},
                                                              {LeafParts::kTogether, "together"},
                                                              {LeafParts::kAll, "all"}}}};

/// What to do with the stalk. kCut does not go with LeafParts::kAll.
enum class Petiole {
  kKeep,
  kCut,  ///< cut_petiole (petiole.h), because not every photograph shows all of it, or any
};
template <>
inline constexpr Names<Petiole, 2> kNamesOf<Petiole> = {
    "petiole", {{{Petiole::kKeep, "keep"}, {Petiole::kCut, "cut"}}}};

/// Whether a prepared leaf has colours in addition to grey values.
enum class LeafColour {
  kNone,
  kWherePresent,  ///< if the photograph has colours
  kRequired,      ///< photographs without colours are refused
};

struct PrepareSpec {
  Geometry geometry = Geometry::kShapePreserving;
  int size = 256;      ///< N
  double area = 8000;  ///< leaf area after scaling, in pixels, > 0
  /// Width / height of photographs whose files were squeezed, such as to squares; 0 if none were.
  /// Files that have this shape themselves, portrait or landscape, are not stretched (shape_of).
  double source_aspect = 0;
  /// Bits of the values of files of more than 8; 0: as they say. Not a key of the preparation's
  /// configuration: it belongs to the photographs, as source_aspect does.
  int bits = 0;
  Background background = Background::kLight;
  LeafParts parts = LeafParts::kLargest;
  /// Before the leaf is segmented, the photograph is halved repeatedly while its longer side keeps
  /// at least this many times N pixels, a JPEG file during decoding. That takes a fraction of the
  /// time, and details smaller than a pixel of the prepared leaf are averaged earlier.
  double oversampling = 3;
  Finder finder = Finder::kThreshold;
  Petiole petiole = Petiole::kKeep;
  /// Not a key of the preparation's configuration: preparation_for sets it according to the
  /// features.
  LeafColour colours = LeafColour::kNone;
  /// Whether a prepared leaf has the curvature of its outline. Set like `colours`.
  bool curvature = false;
  /// Side of the picture that a prepared leaf has for a network; 0: it has none. Set like
  /// `colours`.
  int picture_side = 0;
  friend bool operator==(const PrepareSpec&, const PrepareSpec&) = default;
};

/// Converts text such as "4:3", "1.333" or "0" to a source_aspect, and a source_aspect to the
/// shortest such text. aspect_from_text throws UsageError if the text is invalid.
double aspect_from_text(std::string_view text);
std::string aspect_text(double aspect);

/// The published preparation: squeezed to 256 x 256, area 10000, every dark pixel.
PrepareSpec published_spec();

/// The keys of the mapping `preparation`.
void declare(Keys& keys, PrepareSpec& spec);
/// Throws UsageError if a value is out of range.
void validate(const PrepareSpec& spec);

/// Receives every stage of a preparation: the name ("1-grey", "2-binary", ...) and the image.
class StageSink {
 public:
  virtual ~StageSink() = default;
  virtual void stage(std::string_view name, const Image<std::uint8_t>& image) = 0;
};

/// Prepares a photograph, called `name` in messages. Throws UsageError for a spec out of range, and
/// InputError, naming `name` and the reason, if no leaf can be segmented from the background. Safe
/// to call from many threads, each with its own sink.
PreparedLeaf prepare_leaf(const Photograph& photograph, std::string_view name,
                          const PrepareSpec& spec, StageSink* sink = nullptr);
/// The same for a grey photograph.
PreparedLeaf prepare_leaf(const Image<std::uint8_t>& photograph, std::string_view name,
                          const PrepareSpec& spec, StageSink* sink = nullptr);

/// The preparation by which a photograph that may be a sheet is read, and a sheet is segmented:
/// with twice the oversampling, because each leaf is a small part of it.
PrepareSpec for_sheets(PrepareSpec spec);

/// Prepares every part of the photograph (segment_leaves) separately; those that are not leaves
/// have no image. A sheet keeps as many pixels as for_sheets says, if it was read with them. The
/// sink receives the stages "1-grey" and "2-binary", which all leaves share. Throws as
/// prepare_leaf.
std::vector<PreparedLeaf> prepare_leaves(const Photograph& photograph, std::string_view name,
                                         const PrepareSpec& spec, StageSink* sink = nullptr);

/// Prepares each region of the labels (for_each_labelled), by label. Throws as that and
/// prepare_leaf do, and InputError if there is not enough memory for them.
std::vector<PreparedLeaf> prepare_labelled(const Photograph& photograph, std::string_view name,
                                           const LabelImage& labels, const PrepareSpec& spec);

/// What the preparation needs of a photograph: its grey values, with no more pixels than it reduces
/// them to, and its colours unless it is found by Finder::kThreshold, or if the leaf should have
/// colours. `memory` lets threads that prepare photographs wait for each other. It must live as
/// long as the photograph.
PhotographRequest request_of(const PrepareSpec& spec, MemoryReservation& memory);

/// read_photograph followed by prepare_leaf.
PreparedLeaf prepare_file(const std::filesystem::path& file, const PrepareSpec& spec,
                          StageSink* sink = nullptr);

}  // namespace leafglyph
