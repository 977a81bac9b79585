// What a result was computed with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace leafglyph {

/// Names and versions: LeafGlyph, FAISS, OpenCV, the library of the products.
std::vector<std::pair<std::string, std::string>> versions();

/// The processor's name as the system tells it, or "unknown".
std::string processor_name();

}  // namespace leafglyph
