// What surrounds the paper of a photograph: black frames, edges of scanners, and rulers, grey
// scales and colour charts along its sides. Only for the files that prepare photographs.
#pragma once

#include <optional>
#include <string_view>

#include "features/leaf/leaf_image.h"
#include "features/leaf/leaf_region.h"
#include "features/leaf/photograph.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {

/// The part of a photograph without the strips along its sides, in its pixels; all of it if there
/// are none. A strip is unlike the paper, which is what the photograph shows most of, from the side
/// of the photograph to a straight end parallel to it.
PictureBox within_strips(const Photograph& photograph);

/// A photograph without its strips, and what was found there as parts of the whole photograph.
class LeafScene : public StageSink {
 public:
  /// `sink` receives the stages of the whole photograph, and may be null. Both must outlive the
  /// scene. Finder::kScene looks for strips; for other finders the scene is the whole photograph.
  LeafScene(const Photograph& photograph, const PrepareSpec& spec, StageSink* sink);

  const Photograph& photograph() const { return within_ ? *within_ : whole_; }
  /// Where to send the stages of what photograph() shows; null if nobody wants them.
  StageSink* sink() { return within_ && sink_ != nullptr ? this : sink_; }
  /// A region of photograph() as one of the whole photograph, with a note.
  void place(LeafRegion& region) const;

  void stage(std::string_view name, const Image<std::uint8_t>& image) override;

 private:
  const Photograph& whole_;
  StageSink* sink_;
  PictureBox box_;
  std::optional<Photograph> within_;  // nullopt if it is the whole
};

}  // namespace leafglyph
