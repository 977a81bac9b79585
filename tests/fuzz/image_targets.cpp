#include <cstdint>
#include <random>

#include "features/base/errors.h"
#include "features/base/npy.h"
#include "features/image_io/array_file.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "features/leaf/channels.h"
#include "features/leaf/label_image.h"
#include "features/leaf/preprocess.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/small_files.h"

namespace leafglyph::fuzz {
namespace {

template <class T>
SampleImage noise(int channels) {
  constexpr int kWidth = 21, kHeight = 17;
  std::mt19937 random(3);
  std::vector<T> samples(static_cast<std::size_t>(kWidth * kHeight * channels));
  for (T& sample : samples) sample = static_cast<T>(random() % 251);
  return {kWidth, kHeight, channels, std::move(samples)};
}

// TIFF files of every kind of sample in both byte orders, with several pages; FITS and .npy arrays.
std::vector<std::string> seeds_of_others() {
  using testing::SampleStore;
  std::vector<std::string> seeds;
  constexpr int kSide = 9;
  std::vector<double> values;
  for (int i = 0; i < kSide * kSide; ++i) values.push_back(i % 2);
  for (const SampleStore& store : {SampleStore{SampleStore::kUnsigned, 8},
                                   {SampleStore::kUnsigned, 16},
                                   {SampleStore::kUnsigned, 32},
                                   {SampleStore::kSigned, 8},
                                   {SampleStore::kSigned, 16},
                                   {SampleStore::kSigned, 32},
                                   {SampleStore::kFloat, 16},
                                   {SampleStore::kFloat, 32},
                                   {SampleStore::kFloat, 64}}) {
    testing::TiffPage page{kSide, kSide, store, values}, thumbnail{kSide, kSide, {}, values};
    page.across = 1;
    page.down = 2;
    thumbnail.tags[254] = 1;
    thumbnail.inside = {page};
    const bool big_endian = seeds.size() % 2 != 0;
    seeds.push_back(testing::tiff_bytes({page}, big_endian));
    seeds.push_back(testing::tiff_bytes({thumbnail, page}, big_endian));
    seeds.push_back(testing::tiff_bytes({thumbnail}, big_endian));
    page.photometric = 0;
    seeds.push_back(testing::tiff_bytes({page}, !big_endian));
    std::string data;
    for (const double value : values) data += testing::sample_bytes(value, store);
    const int bits = store.format == SampleStore::kFloat ? -store.bits : store.bits;
    seeds.push_back(
        testing::fits_bytes({"BITPIX  = " + std::to_string(bits), "NAXIS   = 2", "NAXIS1  = 9",
                             "NAXIS2  = 9", "BSCALE  = 2.0", "BZERO   = 1", "BLANK   = 7"},
                            data));
  }
  seeds.push_back(npy_bytes<double>(values, std::vector<std::size_t>{kSide, kSide}));
  for (const int version : {1, 2}) {
    seeds.push_back(testing::nifti_bytes(
        {.version = version, .lengths = {kSide, 3, 3}, .slope = 2, .values = values}));
  }
  seeds.push_back(testing::mrc_bytes({.lengths = {kSide, 3, 3}, .values = values}));
  return seeds;
}

std::vector<std::string> image_seeds() {
  std::vector<std::string> seeds = seeds_of_others();
  for (const int channels : {1, 3}) {
    const SampleImage bytes = noise<std::uint8_t>(channels);
    for (const ImageFormat format : {ImageFormat::kPng, ImageFormat::kJpeg, ImageFormat::kTiff,
                                     ImageFormat::kWebp, ImageFormat::kBmp}) {
      seeds.push_back(encode_image(bytes, format));
    }
    seeds.push_back(encode_png(noise<std::uint16_t>(channels)));
    seeds.push_back(encode_tiff(noise<std::uint16_t>(channels)));
    seeds.push_back(encode_tiff(noise<float>(channels)));
  }
  return seeds;
}

// Every way to the pixels of a file.
void read_image(std::string_view bytes) {
  constexpr int kSmall = 8;
  const SampleImage picture = decode_picture(bytes, "image", kSmall);
  // A few bytes can state a large image, whose every reading takes a second with the sanitizers.
  constexpr std::size_t kMostPixels = std::size_t{1} << 22;
  if (static_cast<std::size_t>(picture.width) * picture.height > kMostPixels) return;
  try {
    decode_picture(bytes, "image#2", kSmall);
  } catch (const Error&) {  // a file of one page
  }
  const auto file = scratch_file("image", bytes);
  decode_image(file);
  decode_samples(file);
  read_square_image(file, /*grey=*/std::nullopt);
  if (is_array_file(bytes, file)) read_volume(file);
}

std::vector<std::string> label_seeds() {
  SampleImage few{6, 5, 1, std::vector<std::uint8_t>(30, 2)}, many = noise<std::uint16_t>(1);
  std::get<0>(few.samples)[7] = 0;
  std::vector<std::string> seeds = seeds_of_others();
  seeds.insert(seeds.end(), {encode_png(few), encode_tiff(few), encode_tiff(many),
                             encode_png(noise<std::uint8_t>(1))});
  return seeds;
}

// The regions of a mask on a photograph that was reduced to another size.
void read_labels(std::string_view bytes) {
  const LabelImage labels = read_label_image(bytes, "mask");
  Photograph photograph{Image<std::uint8_t>(40, 32), {}};
  for (std::size_t i = 0; i < photograph.grey.size(); ++i) {
    photograph.grey.data()[i] = static_cast<std::uint8_t>(37 * i);
  }
  PrepareSpec spec;
  spec.size = 16;
  spec.area = 60;
  prepare_labelled(photograph, "photograph", labels, spec);
}

std::vector<std::string> photograph_seeds() {
  std::vector<std::string> seeds;
  for (const int size : {40, 90}) {
    const auto picture = testing::ellipse_photograph(size, size - 8, 0.5 * size, 0.45 * size,
                                                     0.3 * size, 0.2 * size);
    const auto pixels = picture.pixels();
    const SampleImage image{picture.width(), picture.height(), 1,
                            std::vector<std::uint8_t>(pixels.begin(), pixels.end())};
    seeds.push_back(encode_png(image));
    seeds.push_back(encode_jpeg(image));
    seeds.push_back(encode_bmp(image));
  }
  return seeds;
}

// Prepares the leaf of a photograph with the finder that uses everything.
void read_photograph(std::string_view bytes) {
  PrepareSpec spec;
  spec.size = 32;
  spec.area = 200;
  spec.finder = Finder::kBest;
  prepare_file(scratch_file("photograph", bytes), spec);
}

}  // namespace

std::vector<FuzzTarget> image_targets() {
  return {{"image", read_image, image_seeds},
          {"labels", read_labels, label_seeds},
          {"photograph", read_photograph, photograph_seeds}};
}

}  // namespace leafglyph::fuzz
