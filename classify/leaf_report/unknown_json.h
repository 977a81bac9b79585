// The share of leaves of other species that a model calls unknown, for programs.
#pragma once

#include "classify/leaf/unknown_share.h"

namespace leafglyph {

template <class Json>
Json unknown_json(const UnknownShare& share) {
  return {{"unknown", share.unknown},
          {"leaves", share.leaves},
          {"species", share.species},
          {"groups", share.groups},
          {"share", share.share()}};
}

}  // namespace leafglyph
