// A small network as the bytes of an ONNX file, written by hand.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph::testing {

/// The wire format of protocol buffers.
inline std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 128; number >>= 7) bytes += static_cast<char>(number % 128 + 128);
  return bytes + static_cast<char>(number);
}
inline std::string number_field(int field, std::uint64_t number) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(number);
}
inline std::string bytes_field(int field, std::string_view bytes) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size()) +
         std::string(bytes);
}

inline std::string onnx_node(std::string_view name, std::string_view kind,
                             std::initializer_list<std::string_view> inputs,
                             std::string_view output, std::string_view attributes = {}) {
  std::string node;
  for (const std::string_view input : inputs) node += bytes_field(1, input);
  return node + bytes_field(2, output) + bytes_field(3, name) + bytes_field(4, kind) +
         std::string(attributes);
}
inline std::string onnx_value(std::string_view name, std::initializer_list<std::uint64_t> shape) {
  std::string dimensions;
  for (const std::uint64_t side : shape) dimensions += bytes_field(1, number_field(1, side));
  const std::string tensor = number_field(1, /*float*/ 1) + bytes_field(2, dimensions);
  return bytes_field(1, name) + bytes_field(2, bytes_field(1, tensor));
}

/// A network of pictures of size x size pixels: map m is the sum of weights[3 m + c] times channel
/// c (layer "maps"), and the output is the mean of each map.
inline std::string onnx_network(const std::vector<float>& weights, std::uint64_t size) {
  const std::uint64_t maps = weights.size() / 3;
  std::string raw;
  for (const float weight : weights) {
    const auto bits = std::bit_cast<std::uint32_t>(weight);
    for (int shift = 0; shift < 32; shift += 8) raw += static_cast<char>(bits >> shift & 255);
  }
  std::string tensor;
  for (const std::uint64_t side : {maps, std::uint64_t{3}, std::uint64_t{1}, std::uint64_t{1}}) {
    tensor += number_field(1, side);
  }
  tensor += number_field(2, /*float*/ 1) + bytes_field(8, "weights") + bytes_field(9, raw);
  const std::string kernel = bytes_field(5, bytes_field(1, "kernel_shape") + number_field(8, 1) +
                                                number_field(8, 1) + number_field(20, /*ints*/ 7));
  const std::string graph =
      bytes_field(1, onnx_node("maps", "Conv", {"picture", "weights"}, "of_maps", kernel)) +
      bytes_field(1, onnx_node("means", "GlobalAveragePool", {"of_maps"}, "values")) +
      bytes_field(2, "drawn") + bytes_field(5, tensor) +
      bytes_field(11, onnx_value("picture", {1, 3, size, size})) +
      bytes_field(12, onnx_value("values", {1, maps, 1, 1}));
  return number_field(1, 7) + bytes_field(8, number_field(2, /*operators of version*/ 11)) +
         bytes_field(7, graph);
}

}  // namespace leafglyph::testing
