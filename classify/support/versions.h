// What a result was computed with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace leafglyph {

/// As tools/release/version prints it: "0.2.0" of a release, "0.2.0+37.g1a2b3c4d5e" of the 37th
/// commit after it, when the build was configured.
std::string version();

/// Names and versions of LeafGlyph, FAISS, OpenCV and the library for matrix products.
std::vector<std::pair<std::string, std::string>> versions();

/// The processor's name as the system reports it, or "unknown".
std::string processor_name();

}  // namespace leafglyph
