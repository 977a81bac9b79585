// What the module for networks gives LeafGlyph: a library of its own, because OpenCV's dnn is not
// installed everywhere and would be loaded with every command.
#pragma once

#include <string>

#include "classify/rows/network.h"

namespace leafglyph {

/// Reads the network in the bytes of an ONNX file. Throws std::runtime_error with the reason, which
/// does not name the file.
using OpenNetwork = std::unique_ptr<Network>(const std::string& onnx, const std::string& layer,
                                             int size);
inline constexpr const char* kOpenNetwork = "leafglyph_open_network";
inline constexpr const char* kNetworkModule = "leafglyph_networks.so";

}  // namespace leafglyph
