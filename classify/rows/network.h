// A neural network whose values of a leaf's picture are features, too. OpenCV's dnn computes them,
// in a module of its own (network_module.h), which is loaded when a configuration names a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace leafglyph {

class Keys;

/// A network in a file, and what to take of it.
struct NetworkSpec {
  std::filesystem::path file;  ///< ONNX; empty: none
  std::string layer;           ///< whose values are features; empty: the network's output
  int size = 224;              ///< side of the pictures that it takes, in pixels
  int values = 0;              ///< how many values the layer has; 0: not known yet
  std::string digest;          ///< SHA-256 of the file; empty: not known yet

  bool is_used() const { return !file.empty(); }
  friend bool operator==(const NetworkSpec&, const NetworkSpec&) = default;
};
/// Whether they compute the same, wherever their files are.
bool same_values(const NetworkSpec& a, const NetworkSpec& b);
inline constexpr int kMostNetworkValues = 8192;

/// The keys of the mapping `features` that are about the network.
void declare(Keys& keys, NetworkSpec& spec);
/// Sets what is not known yet, for which the file is read. Throws as read_network and
/// open_network, and InputError when the layer has too many values.
void settle(NetworkSpec& spec);

/// A network that was read. For one thread at a time.
class Network {
 public:
  virtual ~Network() = default;
  /// The values of a picture of size x size pixels, red, green and blue of each; of a layer with
  /// maps the mean of each. The same picture has the same values. Throws std::runtime_error where
  /// the network does not take such pictures.
  virtual std::vector<float> values(std::span<const std::uint8_t> picture) = 0;
};

/// The file of a network.
struct NetworkFile {
  std::filesystem::path path;
  std::string bytes;
};
/// Reads the file of a spec, or if it is not there, that in $LEAFGLYPH_NETWORK. Throws InputError
/// when neither is there, FormatError when the file's digest differs from the spec's, and Error
/// where LeafGlyph has no module for networks.
NetworkFile read_network(const NetworkSpec& spec);
/// Throws InputError when OpenCV cannot read it or it lacks the layer.
std::unique_ptr<Network> open_network(const NetworkFile& file, const NetworkSpec& spec);

}  // namespace leafglyph
