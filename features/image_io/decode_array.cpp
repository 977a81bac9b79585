#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/image_io/array_file.h"
#include "features/image_io/decode_formats.h"
#include "features/image_io/deep_samples.h"
#include "features/image_io/fits.h"
#include "features/image_io/mrc.h"
#include "features/image_io/nifti.h"

namespace leafglyph {
namespace {

constexpr std::string_view kFits = "SIMPLE  =";

std::string first_bytes(std::FILE* file) {
  std::string head(kHeadBytes, '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file));
  std::rewind(file);
  return head;
}

// The lengths of a volume's sides and of its voxels', if either differ by more than a hundredth.
void note_lengths(const detail::MeasuredVolume& volume, std::vector<std::string>& notes) {
  const std::vector<std::size_t>& shape = volume.array.shape;
  std::array<double, 3> lengths{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lengths[axis] = volume.voxel[axis] * static_cast<double>(shape[2 - axis]);
  }
  const auto differ = [](const std::array<double, 3>& of) {
    const auto [least, most] = std::ranges::minmax(of);
    return least > 0 && most > 1.01 * least;
  };
  std::string taken;
  if (differ(lengths)) taken += "; moments in the cube take its sides as equal";
  if (differ(volume.voxel)) taken += "; moments in the ball take its voxels as cubes";
  if (taken.empty()) return;
  const auto text = [&](const std::array<double, 3>& sizes) {
    std::array<char, 80> chars{};
    std::snprintf(chars.data(), chars.size(), "%.4g x %.4g x %.4g", sizes[0], sizes[1], sizes[2]);
    return chars.data() + volume.unit;
  };
  notes.push_back("the voxels are " + text(volume.voxel) + " and the volume is " + text(lengths) +
                  taken);
}

// Leaves the plane of a stack, whose first axis numbers planes.
void keep_plane(NpyArray<double>& array, const detail::OpenFile& file) {
  std::vector<std::size_t>& shape = array.shape;
  const auto page = static_cast<std::size_t>(file.page);
  if (shape.size() != 3 || page > shape[0]) {
    detail::refuse(file.path, "there is no such plane; the array has " +
                                  std::to_string(shape.size() == 3 ? shape[0] : 1));
  }
  const std::size_t size = shape[1] * shape[2];
  const auto first = array.values.begin() + static_cast<std::ptrdiff_t>((page - 1) * size);
  array.values = {first, first + static_cast<std::ptrdiff_t>(size)};
  shape.erase(shape.begin());
}

void check_shape(const NpyArray<double>& array, const detail::OpenFile& file) {
  const std::vector<std::size_t>& shape = array.shape;
  const bool is_image =
      shape.size() == 2 || (shape.size() == 3 && (shape[2] == 1 || shape[2] == 3));
  if (!is_image || shape[0] > kMaxDecodedPixels || shape[1] > kMaxDecodedPixels) {
    std::string text;
    for (const std::size_t length : shape) {
      text += (text.empty() ? "" : " x ") + std::to_string(length);
    }
    throw FormatError(
        file.path.string() + ": an array of " + text +
        " is not an image; its axes are rows, columns and, where there are three, 1 or 3 channels" +
        (shape.size() == 3 ? "; FILE#N names plane N of a stack" : ""));
  }
  if (array.values.empty()) throw InputError(file.path.string() + ": the image has no pixels");
  detail::check_pixel_count(file.path, shape[1], shape[0]);
}

template <class T>
void store_as(detail::StoredImage& stored, const detail::OpenFile& file,
              const detail::DecodeRequest& request, const NpyArray<double>& array, int bits) {
  const int channels = array.shape.size() == 3 ? static_cast<int>(array.shape[2]) : 1;
  const auto width = static_cast<std::uint32_t>(array.shape[1]);
  const auto height = static_cast<std::uint32_t>(array.shape[0]);
  std::vector<T> values(array.values.begin(), array.values.end());
  if constexpr (sizeof(T) == 1) {
    const bool kept = channels == 1 || !request.grey;
    store(stored, width, height,
          kept ? std::move(values)
               : detail::laid_on<T>(Ground::kWhite, values, channels, /*grey=*/true));
  } else {
    detail::DeepSamples<T> deep{width, height, channels, std::move(values)};
    deep.bits = bits;
    store_deep(stored, file, request, std::move(deep));
  }
}

// Bits of an integer without its sign, by the name of its type, such as "<i4"; 0 for others.
int integer_bits(std::string_view type) {
  if (type.size() != 3 || (type[1] != 'u' && type[1] != 'i')) return 0;
  return 8 * (type[2] - '0') - (type[1] == 'i' ? 1 : 0);
}

}  // namespace

bool is_array_file(std::string_view head, const std::filesystem::path& path) {
  return head.starts_with("\x93NUMPY") || head.starts_with(kFits) || detail::is_nifti(head, path) ||
         detail::is_mrc(head) || path.extension() == ".npy";
}

bool is_array_file(std::FILE* file, const std::filesystem::path& path) {
  return is_array_file(first_bytes(file), path);
}

NpyArray<double> read_array_file(std::FILE* file, const std::filesystem::path& path,
                                 std::vector<std::string>* notes) {
  const std::string head = first_bytes(file);
  if (head.starts_with(kFits)) return detail::read_fits(file, path);
  const bool is_nifti = detail::is_nifti(head, path);
  if (!is_nifti && !detail::is_mrc(head)) return read_npy<double>(file, path);
  detail::MeasuredVolume volume =
      is_nifti ? detail::read_nifti(file, path) : detail::read_mrc(file, path);
  if (notes != nullptr && volume.array.shape.size() == 3) note_lengths(volume, *notes);
  return std::move(volume.array);
}

SampleDepth depth_of_array(std::string_view type) {
  return type == "|u1"   ? SampleDepth::k8Bit
         : type == "<u2" ? SampleDepth::k16Bit
                         : SampleDepth::kFloat;
}

namespace detail {

StoredImage decode_array(const OpenFile& file, const DecodeRequest& request) {
  NpyArray<double> array = read_array_file(file.handle.get(), file.path);
  if (file.page > 0) keep_plane(array, file);
  check_shape(array, file);
  StoredImage stored;
  const int bits = integer_bits(array.type);
  switch (depth_of_array(array.type)) {
    case SampleDepth::k8Bit:
      store_as<std::uint8_t>(stored, file, request, array, bits);
      break;
    case SampleDepth::k16Bit:
      store_as<std::uint16_t>(stored, file, request, array, bits);
      break;
    case SampleDepth::kFloat:
      store_as<double>(stored, file, request, array, bits);
      break;
  }
  return stored;
}

}  // namespace detail
}  // namespace leafglyph
