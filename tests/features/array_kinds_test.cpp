// Arrays of FITS and NIfTI files, as telescopes and scanners write them: pictures for leaves and
// moments, and volumes. The files are written byte by byte.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/image_io/volume_file.h"
#include "tests/support/grey_picture.h"
#include "tests/support/refusal.h"
#include "tests/support/sample_values.h"
#include "tests/support/small_files.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::fits_bytes;
using testing::greys;
using testing::nifti_bytes;
using testing::picture;
using testing::refusal;
using testing::refuses;
using testing::samples;
using testing::SampleStore;

constexpr int kWidth = testing::kGreysWidth, kHeight = testing::kGreysHeight;

// The cards of a FITS image.
std::vector<std::string> cards(int bits, std::vector<int> axes,
                               const std::vector<std::string>& more = {}) {
  std::vector<std::string> cards = {"BITPIX  = " + std::to_string(bits) + " / bits",
                                    "NAXIS   = " + std::to_string(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    cards.push_back("NAXIS" + std::to_string(i + 1) + "  = " + std::to_string(axes[i]));
  }
  cards.insert(cards.end(), more.begin(), more.end());
  return cards;
}

std::string fits_values(const std::vector<double>& values, const SampleStore& store) {
  std::string bytes;
  for (const double value : values) bytes += testing::sample_bytes(value, store);
  return bytes;
}

// oracle: FITS images of every BITPIX have their values for moments and their greys for leaves,
// with scale, zero and blanks.
TEST(ArrayKinds, FitsImages) {
  const SampleStore stores[] = {{SampleStore::kUnsigned, 8}, {SampleStore::kSigned, 16},
                                {SampleStore::kSigned, 32},  {SampleStore::kSigned, 64},
                                {SampleStore::kFloat, 32},   {SampleStore::kFloat, 64}};
  for (const SampleStore& store : stores) {
    const int bits = store.format == SampleStore::kFloat ? -store.bits : store.bits;
    const std::string file =
        fits_bytes(cards(bits, {kWidth, kHeight}), fits_values(greys(), store));
    const SampleImage image = samples(file, "a.fits");
    EXPECT_EQ(values_of(image), greys()) << bits;
    EXPECT_EQ(image.depth(), bits == 8 ? SampleDepth::k8Bit : SampleDepth::kFloat);
    EXPECT_EQ(picture(file, "a.fits"), greys()) << bits;
  }
  // Unsigned integers of 16 bits, as the standard stores them.
  std::vector<double> shifted = greys();
  for (double& value : shifted) value = value * 257 - 32768;
  const std::string words = fits_bytes(cards(16, {kWidth, kHeight}, {"BZERO   = 32768"}),
                                       fits_values(shifted, stores[1]));
  EXPECT_EQ(samples(words, "a.fits").depth(), SampleDepth::k16Bit);
  EXPECT_EQ(picture(words, "a.fits"), greys());
  const std::string scaled =
      fits_bytes(cards(32, {2, 2}, {"BSCALE  = 5.0D-1", "BZERO   = +3.0", "BLANK   = -1"}),
                 fits_values({1, 2, -1, 4}, stores[2]));
  const std::vector<double> values = values_of(samples(scaled, "a.fits"));
  EXPECT_EQ(values[0], 3.5);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_TRUE(
      refuses<InputError>([&] { picture(scaled, "a.fits"); }, "row 1, column 0 is not a finite"));
}

// oracle: a cube is a volume, its planes are images, and an image in an extension is found.
TEST(ArrayKinds, FitsCubesAndExtensions) {
  const SampleStore store{SampleStore::kFloat, 32};
  std::vector<double> values;
  for (int i = 0; i < 3 * kWidth * kHeight; ++i) values.push_back(i);
  const std::string cube =
      fits_bytes(cards(-32, {kWidth, kHeight, 3, 1}), fits_values(values, store));
  EXPECT_EQ(values_of(samples(cube, "c.fits#2")).front(), kWidth * kHeight);
  EXPECT_TRUE(refuses<FormatError>([&] { samples(cube, "c.fits"); }, "FILE#N names plane N"));
  EXPECT_TRUE(refuses<InputError>([&] { samples(cube, "c.fits#4"); }, "no such plane"));
  const TemporaryFolder folder;
  std::ofstream(folder / "c.fits", std::ios::binary) << cube;
  const VolumeInput volume = read_volume(folder / "c.fits");
  EXPECT_EQ(volume.volume.depth, 3);
  EXPECT_EQ(volume.volume.at(2, 1, 4), values[2 * kWidth * kHeight + kWidth + 4]);
  std::string extension = fits_bytes(cards(-32, {kWidth, kHeight}), fits_values(values, store));
  extension.replace(0, 80, std::string("XTENSION= 'IMAGE   '") + std::string(60, ' '));
  const std::string both = fits_bytes({"BITPIX  = 8", "NAXIS   = 0"}, "") + extension;
  EXPECT_EQ(values_of(samples(both, "e.fits"))[7], 7);
}

// mechanics: damaged FITS files are refused, whatever their headers say.
TEST(ArrayKinds, DamagedFitsFilesAreRefused) {
  const std::string none = fits_bytes({"BITPIX  = 8", "NAXIS   = 0"}, "");
  EXPECT_TRUE(refuses<FormatError>([&] { samples(none, "a.fits"); }, "has no image"));
  for (const auto& wrong :
       {cards(12, {4, 4}), cards(16, {-4, 4}), cards(16, {4, 400}),
        cards(16, {2000000000, 2000000000, 2000000000}), cards(16, {4, 4}, {"BZERO   = x"})}) {
    EXPECT_NE(refusal<FormatError>([&] { samples(fits_bytes(wrong, "abc"), "a.fits"); }), "");
  }
  std::string endless = fits_bytes({}, "");
  endless.replace(80, 3, "   ");
  EXPECT_NE(refusal([&] { samples(endless, "a.fits"); }), "");
}

// Volumes of NIfTI.
constexpr int kDepth = 3;
testing::NiftiFile nifti_volume() {
  testing::NiftiFile file;
  file.lengths = {kWidth, kHeight, kDepth};
  for (int i = 0; i < kWidth * kHeight * kDepth; ++i) file.values.push_back(i % 120);
  return file;
}
VolumeInput volume_in(const std::string& bytes, const char* name) {
  const TemporaryFolder folder;
  std::ofstream(folder / name, std::ios::binary) << bytes;
  return read_volume(folder / name);
}
// As gzip packs it.
std::string packed(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// oracle: volumes of both versions of NIfTI, in both byte orders, of every kind of number, packed
// or not, have the values that were written; the fastest axis is the first.
TEST(ArrayKinds, NiftiVolumes) {
  const std::pair<int, SampleStore> kinds[] = {
      {2, {SampleStore::kUnsigned, 8}},    {4, {SampleStore::kSigned, 16}},
      {8, {SampleStore::kSigned, 32}},     {16, {SampleStore::kFloat, 32}},
      {64, {SampleStore::kFloat, 64}},     {256, {SampleStore::kSigned, 8}},
      {512, {SampleStore::kUnsigned, 16}}, {768, {SampleStore::kUnsigned, 32}},
      {1024, {SampleStore::kSigned, 64}},  {1280, {SampleStore::kUnsigned, 64}}};
  for (const auto& [type, store] : kinds) {
    for (const int version : {1, 2}) {
      for (const bool is_big_endian : {false, true}) {
        testing::NiftiFile file = nifti_volume();
        file.version = version;
        file.is_big_endian = is_big_endian;
        file.type = type;
        file.store = store;
        if (store.format != SampleStore::kUnsigned) file.values[3] = -5;
        const std::string bytes = nifti_bytes(file);
        const VolumeInput volume = volume_in(bytes, "a.nii");
        EXPECT_EQ(volume.volume.values, file.values) << type << ", " << version;
        EXPECT_EQ(volume.volume.at(2, 1, 4), file.values[2 * kWidth * kHeight + kWidth + 4]);
        EXPECT_EQ(volume.range.depth, type == 2     ? SampleDepth::k8Bit
                                      : type == 512 ? SampleDepth::k16Bit
                                                    : SampleDepth::kFloat);
        EXPECT_EQ(volume_in(packed(bytes), "a.nii.gz").volume.values, file.values);
      }
    }
  }
}

// oracle: values are scaled as the file says, axes of length 1 are left out, a slice is an image,
// and the note has the size of the voxels where these or the sides differ.
TEST(ArrayKinds, NiftiScalesSlicesAndVoxels) {
  testing::NiftiFile file = nifti_volume();
  file.slope = 0.5;
  file.intercept = -3;
  const VolumeInput scaled = volume_in(nifti_bytes(file), "a.nii");
  EXPECT_EQ(scaled.volume.values[7], 0.5);
  ASSERT_EQ(scaled.notes.size(), 1U);
  EXPECT_EQ(
      scaled.notes[0],
      "the voxels are 1 x 1 x 1 mm and the volume is 17 x 16 x 3 mm; moments in the cube take "
      "its sides as equal");
  file.voxel = {16.0 / kWidth, 1, 16.0 / 3};
  EXPECT_EQ(volume_in(nifti_bytes(file), "a.nii").notes,
            std::vector<std::string>{"the voxels are 0.9412 x 1 x 5.333 mm and the volume is 16 x "
                                     "16 x 16 mm; moments in the ball take its voxels as cubes"});
  file.lengths = {kWidth, kHeight, kDepth, 1, 1};
  EXPECT_EQ(volume_in(nifti_bytes(file), "a.nii").volume.depth, kDepth);
  EXPECT_EQ(values_of(samples(nifti_bytes(file), "a.nii#3")).front(),
            0.5 * file.values[2 * kWidth * kHeight] - 3);
  file.lengths = {kWidth, kHeight};
  EXPECT_TRUE(volume_in(nifti_bytes(file), "a.nii").is_image);
}

// mechanics: damaged NIfTI files are refused, whatever their headers say, as are those whose values
// are elsewhere, colours, complex numbers and series.
TEST(ArrayKinds, DamagedNiftiFilesAreRefused) {
  const testing::NiftiFile good = nifti_volume();
  const std::string bytes = nifti_bytes(good);
  const auto said = [](const std::string& file, const char* name) {
    return refusal([&] { volume_in(file, name); });
  };
  EXPECT_NE(said(bytes.substr(0, bytes.size() - 1), "a.nii").find("ends early"), std::string::npos);
  EXPECT_NE(said(bytes.substr(0, 350), "a.nii"), "");
  const std::string gz = packed(bytes);
  EXPECT_NE(said(gz.substr(0, gz.size() / 2), "a.nii.gz").find("ends early"), std::string::npos);
  EXPECT_NE(said(packed("abc"), "a.nii.gz"), "");
  std::string elsewhere = bytes;
  elsewhere.replace(344, 3, "ni1");
  EXPECT_NE(said(packed(elsewhere), "a.nii.gz").find("values in another file"), std::string::npos);
  for (const int type : {1, 32, 128, 2304}) {
    testing::NiftiFile file = good;
    file.type = type;
    EXPECT_NE(said(nifti_bytes(file), "a.nii").find("complex"), std::string::npos) << type;
  }
  for (const std::vector<int>& lengths :
       {std::vector{-1, 4}, {}, {30000, 30000, 30000, 30000}, {4, 4, 0}, {8, 8, 2, 4}}) {
    testing::NiftiFile file = good;
    file.lengths = lengths;
    EXPECT_NE(said(nifti_bytes(file), "a.nii"), "");
  }
  std::string far = bytes;
  far.replace(108, 4, std::string("\xff\xff\x7f\x7f", 4));
  EXPECT_NE(said(far, "a.nii").find("where its values begin"), std::string::npos);
}

testing::MrcFile mrc_volume() {
  testing::MrcFile file;
  file.lengths = {kWidth, kHeight, kDepth};
  file.values = nifti_volume().values;
  return file;
}

// oracle: volumes of MRC in both byte orders, of every kind of number, behind the notes of a
// program, have the values that were written; the fastest axis is the columns.
TEST(ArrayKinds, MrcVolumes) {
  const std::pair<int, SampleStore> kinds[] = {{0, {SampleStore::kSigned, 8}},
                                               {1, {SampleStore::kSigned, 16}},
                                               {2, {SampleStore::kFloat, 32}},
                                               {6, {SampleStore::kUnsigned, 16}},
                                               {12, {SampleStore::kFloat, 16}}};
  for (const auto& [mode, store] : kinds) {
    for (const bool is_big_endian : {false, true}) {
      testing::MrcFile file = mrc_volume();
      file.mode = mode;
      file.store = store;
      file.is_big_endian = is_big_endian;
      if (store.format != SampleStore::kUnsigned) file.values[3] = -5;
      const VolumeInput volume = volume_in(mrc_bytes(file), "a.mrc");
      EXPECT_EQ(volume.volume.values, file.values) << mode;
      EXPECT_EQ(volume.volume.at(2, 1, 4), file.values[2 * kWidth * kHeight + kWidth + 4]);
      EXPECT_EQ(volume.range.depth, mode == 6 ? SampleDepth::k16Bit : SampleDepth::kFloat);
      EXPECT_TRUE(volume.notes.empty());
    }
  }
}

// oracle: the cell is that of x, y and z, whichever axes the columns, rows and sections are; a
// single section is an image.
TEST(ArrayKinds, MrcVoxelsAreMeasured) {
  testing::MrcFile file = mrc_volume();
  file.axes = {3, 1, 2};
  file.cell = {1.5 * kHeight, 1.5 * kDepth, 1.5 * kWidth};
  EXPECT_EQ(volume_in(mrc_bytes(file), "a.map").notes.size(), 1U);  // of the sides alone
  file.cell[2] = 3.0 * kWidth;
  const VolumeInput volume = volume_in(mrc_bytes(file), "a.map");
  ASSERT_EQ(volume.notes.size(), 1U);
  EXPECT_NE(volume.notes[0].find("the voxels are 3 x 1.5 x 1.5 A"), std::string::npos)
      << volume.notes[0];
  file.lengths[2] = 1;
  EXPECT_TRUE(volume_in(mrc_bytes(file), "a.mrc").is_image);
}

// mechanics: damaged MRC files are refused, whatever their headers say, as are complex numbers.
TEST(ArrayKinds, DamagedMrcFilesAreRefused) {
  const testing::MrcFile good = mrc_volume();
  const std::string bytes = mrc_bytes(good);
  const auto said = [](const std::string& file) {
    return refusal([&] { volume_in(file, "a.mrc"); });
  };
  EXPECT_NE(said(bytes.substr(0, bytes.size() - 1)).find("ends early"), std::string::npos);
  EXPECT_NE(said(bytes.substr(0, 500)), "");
  for (const int mode : {-1, 3, 4, 101}) {
    testing::MrcFile file = good;
    file.mode = mode;
    EXPECT_NE(said(mrc_bytes(file)).find("complex"), std::string::npos) << mode;
  }
  for (const std::vector<int>& lengths :
       {std::vector{0, 4, 4}, {4, -1, 4}, {2000000000, 2000000000, 2000000000}}) {
    testing::MrcFile file = good;
    file.lengths = lengths;
    EXPECT_NE(said(mrc_bytes(file)), "");
  }
  std::string notes = bytes;
  notes.replace(92, 4, std::string("\xff\xff\xff\x7f", 4));
  EXPECT_NE(said(notes).find("NSYMBT"), std::string::npos);
}

}  // namespace
}  // namespace leafglyph
