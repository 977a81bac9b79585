#include "classify/rows/stage_load.h"

#include "features/base/names.h"

namespace leafglyph {
namespace {

constexpr Names<Stage, kStages> kNames = {"stage",
                                          {{{Stage::kRead, "read"},
                                            {Stage::kDecode, "decode"},
                                            {Stage::kPrepare, "prepare"},
                                            {Stage::kChannels, "channels"},
                                            {Stage::kMoments, "moments"},
                                            {Stage::kWrite, "write"}}}};

}  // namespace

std::string_view stage_name(Stage stage) { return name_of(kNames, stage); }

}  // namespace leafglyph
