#include "classify/rows/network.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "classify/rows/network_module.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/keys.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

constexpr int kSmallestPicture = 8, kLargestPicture = 1024;

// Of the file that this code is in: the program, or Python's module.
std::filesystem::path own_folder() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0) return {};
  std::error_code error;
  return std::filesystem::canonical(info.dli_fname, error).parent_path();
}

// The module lies in the library folder of the installation, or of the build, that this program
// belongs to: <prefix>/lib/leafglyph, for a program in <prefix>/bin; of a program of others that
// LeafGlyph is a part of, in that of the usual prefix.
std::filesystem::path module_file() {
  constexpr int kLevels = 4;
  std::filesystem::path prefix = own_folder();
  for (int level = 0; level < kLevels && prefix.has_relative_path(); ++level) {
    prefix = prefix.parent_path();
    std::filesystem::path file = prefix / LEAFGLYPH_LIBRARIES / "leafglyph" / kNetworkModule;
    if (is_regular(file)) return file;
  }
  std::filesystem::path file =
      std::filesystem::path(LEAFGLYPH_ALL_LIBRARIES) / "leafglyph" / kNetworkModule;
  return is_regular(file) ? file : std::filesystem::path();
}

OpenNetwork* load_module() {
  const std::filesystem::path file = module_file();
  if (file.empty()) {
    throw Error(
        "networks need a part of LeafGlyph that is not installed (Debian: package "
        "leafglyph-networks; from source: OpenCV's dnn, and build again)");
  }
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw Error(std::string("networks cannot be used: ") + ::dlerror());
  auto* const open = reinterpret_cast<OpenNetwork*>(::dlsym(library, kOpenNetwork));
  if (open == nullptr) {
    throw Error("networks cannot be used: " + file.string() +
                " is not of this version of LeafGlyph; install both again");
  }
  return open;
}

OpenNetwork* networks() {
  static OpenNetwork* const open = load_module();
  return open;
}

std::filesystem::path file_of(const NetworkSpec& spec) {
  if (is_regular(spec.file)) return spec.file;
  const char* other = std::getenv("LEAFGLYPH_NETWORK");
  if (other != nullptr && is_regular(other)) return other;
  throw InputError(
      spec.file.string() +
      ": there is no such network; put it there, or set LEAFGLYPH_NETWORK to its file");
}

// Runs `work`, whose errors become InputErrors about the file.
template <class Work>
auto named(const std::filesystem::path& file, const Work& work) {
  try {
    return work();
  } catch (const std::runtime_error& error) {
    throw InputError(file.string() + ": " + error.what());
  }
}

/// A network whose messages name its file.
class NamedNetwork : public Network {
 public:
  NamedNetwork(std::filesystem::path file, std::unique_ptr<Network> network)
      : file_(std::move(file)), network_(std::move(network)) {}

  std::vector<float> values(std::span<const std::uint8_t> picture) override {
    return named(file_, [&] { return network_->values(picture); });
  }

 private:
  std::filesystem::path file_;
  std::unique_ptr<Network> network_;
};

}  // namespace

bool same_values(const NetworkSpec& a, const NetworkSpec& b) {
  return a.is_used() == b.is_used() && a.layer == b.layer && a.size == b.size &&
         a.values == b.values && a.digest == b.digest;
}

void declare(Keys& keys, NetworkSpec& spec) {
  keys.key(
      {"network", &spec.file,
       "ONNX file of a network whose values are features, too; relative to the configuration"});
  keys.where(spec.is_used(), "network", [&] {
    keys.key({"layer", &spec.layer, "Of the network, whose values are taken; '': its output"});
    keys.number("size", spec.size, {kSmallestPicture, kLargestPicture},
                "Side of the pictures that the network takes, in pixels");
    keys.number("network_values", spec.values, {0, kMostNetworkValues},
                "How many values the layer has; 0: as many as the network says");
    keys.key({"network_sha256", &spec.digest,
              "Of the file of the network, which is refused if it is another; '': not stated"});
  });
}

void settle(NetworkSpec& spec) {
  if (!spec.is_used() || (spec.values > 0 && !spec.digest.empty())) return;
  spec.file = std::filesystem::absolute(spec.file).lexically_normal();
  const NetworkFile file = read_network(spec);
  spec.digest = sha256(file.bytes);
  const auto side = static_cast<std::size_t>(spec.size);
  const std::vector<std::uint8_t> black(3 * side * side);
  const std::size_t values = open_network(file, spec)->values(black).size();
  if (values > kMostNetworkValues) {
    throw InputError(file.path.string() + ": the layer has " + std::to_string(values) +
                     " values; name one of at most " + std::to_string(kMostNetworkValues) +
                     " (features.layer)");
  }
  spec.values = static_cast<int>(values);
}

NetworkFile read_network(const NetworkSpec& spec) {
  networks();
  const std::filesystem::path path = file_of(spec);
  NetworkFile file{path, read_file(path)};
  if (!spec.digest.empty()) {
    check_digest(sha256(file.bytes), spec.digest, path, "the network has another SHA-256",
                 "put the one back that the features are of, or train again with this one");
  }
  return file;
}

std::unique_ptr<Network> open_network(const NetworkFile& file, const NetworkSpec& spec) {
  return std::make_unique<NamedNetwork>(
      file.path, named(file.path, [&] { return networks()(file.bytes, spec.layer, spec.size); }));
}

}  // namespace leafglyph
