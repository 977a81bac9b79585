#include "features/image_io/volume_file.h"

#include <algorithm>
#include <string>
#include <variant>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/npy.h"
#include "features/base/text.h"
#include "features/image_io/array_file.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/image_file.h"
#include "features/image_io/tiff_pages.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> slice_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const std::string& name : names_in_folder(folder)) {
    if (is_regular(folder / name)) files.push_back(folder / name);
  }
  if (files.empty()) {
    throw InputError("the folder " + folder.string() + " is empty; it must hold slices as images");
  }
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
    return in_natural_order(a.filename().string(), b.filename().string());
  });
  return files;
}

VolumeInput read_slices(const std::vector<fs::path>& files, bool is_image) {
  VolumeInput input;
  Volume& volume = input.volume;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const SampleImage slice = decode_samples(files[k], /*grey=*/true);
    if (k == 0) {
      check_memory(
          sizeof(double) * static_cast<double>(files.size()) * slice.width * slice.height,
          std::to_string(files.size()) + " slices of " + size_text(slice.width, slice.height),
          "use a smaller volume");
      volume = Volume(slice.width, slice.height, static_cast<int>(files.size()));
      input.range.depth = slice.depth();
      input.notes = slice.notes;
    }
    if (slice.width != volume.width || slice.height != volume.height) {
      throw InputError("slice " + files[k].string() + " has " +
                       size_text(slice.width, slice.height) + " pixels, the first slice " +
                       files[0].string() + " has " + size_text(volume.width, volume.height) +
                       "; all slices must have the same size");
    }
    if (slice.depth() != input.range.depth) {
      throw InputError("slice " + files[k].string() + " has " +
                       std::string(name_of(slice.depth())) + " samples, the first slice " +
                       files[0].string() + " has " + std::string(name_of(input.range.depth)) +
                       " ones; all slices must have the same depth");
    }
    std::visit(
        [&](const auto& samples) {
          std::copy(samples.begin(), samples.end(), &volume.at(static_cast<int>(k), 0, 0));
        },
        slice.samples);
  }
  input.range = range_of(input.range.depth, volume.values);
  input.is_image = is_image;
  return input;
}

// The pages of a file, as decode_image names them.
std::vector<fs::path> page_names(const fs::path& path, int pages) {
  std::vector<fs::path> names;
  for (int page = 1; page <= pages; ++page) {
    names.emplace_back(path.string() + "#" + std::to_string(page));
  }
  return names;
}

VolumeInput read_array(std::FILE* file, const fs::path& path) {
  VolumeInput input;
  NpyArray<double> array = read_array_file(file, path, &input.notes);
  const std::size_t axes = array.shape.size();
  if (axes != 2 && axes != 3) {
    throw FormatError(path.string() + " has " + std::to_string(axes) +
                      " axes; a volume has 3 (slice, row, column), an image 2");
  }
  for (const std::size_t length : array.shape) {
    if (length == 0) throw InputError(path.string() + " is empty: an axis has length 0");
    if (length > std::size_t{kMaxAxisLength}) {
      throw InputError(path.string() + " has an axis of length " + std::to_string(length) +
                       "; use " + std::to_string(kMaxAxisLength) + " or less");
    }
  }
  input.is_image = axes == 2;
  input.volume.depth = axes == 3 ? static_cast<int>(array.shape[0]) : 1;
  input.volume.height = static_cast<int>(array.shape[axes - 2]);
  input.volume.width = static_cast<int>(array.shape[axes - 1]);
  input.volume.values = std::move(array.values);
  input.range = range_of(depth_of_array(array.type), input.volume.values);
  return input;
}

}  // namespace

VolumeInput read_volume(const fs::path& path) {
  if (is_folder(path)) return read_slices(slice_files(path), /*is_image=*/false);
  if (!is_there(path)) throw InputError(path.string() + " does not exist");
  const FileHandle file = open_input(path);
  if (is_array_file(file.get(), path)) return read_array(file.get(), path);
  if (const int pages = detail::stack_pages(file.get(), path); pages > 1) {
    return read_slices(page_names(path, pages), /*is_image=*/false);
  }
  return read_slices({path}, /*is_image=*/true);
}

VolumeInput read_volume(std::string_view bytes, const fs::path& path) {
  const FileHandle file = open_bytes(bytes, path);
  if (!is_array_file(file.get(), path)) {
    throw FormatError(path.string() +
                      " is not a volume: use .npy, NIfTI, MRC or FITS arrays of 3 axes");
  }
  VolumeInput input = read_array(file.get(), path);
  if (!input.is_image) return input;
  throw FormatError(path.string() + " is an image, not a volume: an array with 2 axes");
}

void write_volume(const fs::path& path, const Volume& volume) {
  const std::vector<float> values(volume.values.begin(), volume.values.end());
  const std::vector<std::size_t> shape = {static_cast<std::size_t>(volume.depth),
                                          static_cast<std::size_t>(volume.height),
                                          static_cast<std::size_t>(volume.width)};
  write_file(path, npy_bytes<float>(values, shape));
}

void write_picture(const fs::path& path, const Image<double>& image, double peak) {
  std::vector<double> pixels(image.pixels().begin(), image.pixels().end());
  for (double& pixel : pixels) pixel *= 255.0 / peak;
  write_image(path, image.width(), image.height(), SampleRange{}, {pixels});
}

}  // namespace leafglyph
