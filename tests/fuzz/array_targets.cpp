#include <complex>
#include <cstdint>

#include "features/base/errors.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "features/moments/moment_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"

namespace leafglyph::fuzz {
namespace {

template <class T>
std::string array_of(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(static_cast<float>(i % 100));
  return npy_bytes<T>(values, shape);
}

std::vector<std::string> array_seeds() {
  return {array_of<double>({3, 4}), array_of<float>({5}), array_of<std::uint8_t>({6, 6}),
          array_of<std::uint16_t>({3, 3, 3}), array_of<std::complex<double>>({2, 2})};
}

void read_array(std::string_view bytes) {
  const auto read = [&](const auto& parse) {
    try {
      parse();
    } catch (const Error&) {  // of another type
    }
  };
  read([&] { parse_npy<float>(bytes, "array"); });
  read([&] { parse_npy<std::complex<double>>(bytes, "array"); });
  read_square_image(scratch_file("array.npy", bytes), GreyRule::kRec601);
  parse_npy<double>(bytes, "array");
}

std::vector<std::string> volume_seeds() {
  return {array_of<float>({4, 5, 6}), array_of<std::uint8_t>({3, 3, 3}),
          array_of<std::uint16_t>({4, 4}), array_of<double>({2, 2, 2})};
}

void read_volume_array(std::string_view bytes) { read_volume(scratch_file("volume.npy", bytes)); }

MomentFile moments_of(Family family, bool volume) {
  MomentFile file;
  file.spec.family = family;
  file.spec.order = 3;
  file.width = file.height = 8;
  file.size = volume ? ArraySize{8, 8, 8} : ArraySize{8, 8};
  file.rows = {"a.png:grey", "b.png:grey"};
  file.values.resize(2 * file.moment_count());
  for (std::size_t i = 0; i < file.values.size(); ++i) {
    file.values[i] = is_circular(family) ? std::complex<double>(0.5 * static_cast<double>(i), -1)
                                         : static_cast<double>(i);
  }
  return file;
}

constexpr const char* kDigest = "sha256: ";

// Updates the digest of the numbers in the header, so that fuzzing reaches the code behind the
// check.
void put_digest_right(Files& files) {
  std::string& header = files["m.npy.txt"];
  const std::size_t at = header.find(kDigest);
  if (at == header.npos) return;
  const std::size_t first = at + std::string_view(kDigest).size();
  header.replace(first, header.find('\n', first) - first, sha256(files["m.npy"]));
}

Files moment_files(Family family, bool volume) {
  const auto folder = scratch_files("written", {});
  write_moment_file(folder / "m.npy", moments_of(family, volume));
  return files_in(folder);
}

const Files& moment_base() {
  static const Files kBase = moment_files(Family::kZernike, /*volume=*/false);
  return kBase;
}

std::vector<std::string> moment_seeds() {
  std::vector<std::string> seeds = inputs_of(moment_base());
  for (const std::string& more : inputs_of(moment_files(Family::kLegendre, /*volume=*/true))) {
    seeds.push_back(more);
  }
  return seeds;
}

void read_moments(std::string_view bytes) {
  Files files = with_fuzzed_file(moment_base(), bytes);
  put_digest_right(files);
  read_moment_file(scratch_files("moments", files) / "m.npy");
}

}  // namespace

std::vector<FuzzTarget> array_targets() {
  return {{"array", read_array, array_seeds},
          {"volume", read_volume_array, volume_seeds},
          {"moments", read_moments, moment_seeds}};
}

}  // namespace leafglyph::fuzz
