// Small TIFF and FITS files of every kind of sample, written byte by byte as their standards say.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace leafglyph::testing {

/// The bits of a number in half precision; of one that has such a number.
inline std::uint16_t half_bits(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const int biased = exponent + 14;
  const auto bits = biased > 0 ? (biased << 10) + static_cast<int>(fraction * 2048) - 1024
                               : static_cast<int>(std::ldexp(std::abs(value), 24));
  return static_cast<std::uint16_t>(bits + (value < 0 ? 0x8000 : 0));
}

/// How a sample is stored. Formats are those of TIFF.
struct SampleStore {
  enum Format { kUnsigned = 1, kSigned = 2, kFloat = 3 };
  Format format = kUnsigned;
  int bits = 8;
};

/// The sample's bytes, the most significant one first.
inline std::string sample_bytes(double value, const SampleStore& store) {
  std::uint64_t word = 0;
  if (store.format != SampleStore::kFloat) {
    word = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  } else if (store.bits == 16) {
    word = half_bits(value);
  } else if (store.bits == 32) {
    word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  } else {
    word = std::bit_cast<std::uint64_t>(value);
  }
  std::string bytes;
  for (int bit = store.bits - 8; bit >= 0; bit -= 8) bytes += static_cast<char>(word >> bit);
  return bytes;
}

struct TiffPage {
  int width = 0, height = 0;
  SampleStore store;
  std::vector<double> values;  ///< width x height of one channel
  int photometric = 1;         ///< 0: white is 0; 1: black is 0; 3: numbers of a palette of greys
  std::map<int, double> tags = {};  ///< further ones: NewSubfileType (254), ... as 32-bit integers
  double across = 0, down = 0;      ///< resolution; 0: none
  std::vector<TiffPage> inside = {};
};

/// A file of these pages, in either byte order.
class TiffWriter {
 public:
  explicit TiffWriter(bool big_endian) : big_endian_(big_endian) {}

  std::string file(const std::vector<TiffPage>& pages) {
    bytes_ = (big_endian_ ? "MM" : "II") + number(42, 2) + number(0, 4);
    std::size_t link = 4;
    for (const TiffPage& page : pages) link = add(page, link);
    return bytes_;
  }

 private:
  std::string ordered(std::string bytes) const {
    if (!big_endian_) std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }
  std::string number(double value, int bytes) const {
    return ordered(sample_bytes(value, {SampleStore::kUnsigned, 8 * bytes}));
  }
  void put(std::size_t at, const std::string& bytes) { bytes_.replace(at, bytes.size(), bytes); }

  // Appends a page to which the number at `link` points; returns where its own link is.
  std::size_t add(const TiffPage& page, std::size_t link) {
    const std::size_t data = bytes_.size();
    for (const double value : page.values) bytes_ += ordered(sample_bytes(value, page.store));
    const std::size_t size = bytes_.size() - data;
    if (size % 2 != 0) bytes_ += '\0';
    const std::size_t resolution = bytes_.size();
    for (const double dots : {page.across, page.down}) bytes_ += number(dots, 4) + number(1, 4);
    const std::size_t colours = bytes_.size();
    for (int i = 0; page.photometric == 3 && i < 3 * 256; ++i) bytes_ += number(257 * (i % 256), 2);
    std::map<int, std::string> entries;  // by tag
    const auto entry = [&](int tag, int type, double count, double value) {
      const std::string text =
          type == 3 && count == 1 ? number(value, 2) + number(0, 2) : number(value, 4);
      entries[tag] = number(tag, 2) + number(type, 2) + number(count, 4) + text;
    };
    entry(256, 4, 1, page.width);
    entry(257, 4, 1, page.height);
    entry(258, 3, 1, page.store.bits);
    entry(259, 3, 1, 1);
    entry(262, 3, 1, page.photometric);
    entry(273, 4, 1, static_cast<double>(data));
    entry(277, 3, 1, 1);
    entry(278, 4, 1, page.height);
    entry(279, 4, 1, static_cast<double>(size));
    if (page.across > 0) entry(282, 5, 1, static_cast<double>(resolution));
    if (page.down > 0) entry(283, 5, 1, static_cast<double>(resolution + 8));
    if (page.photometric == 3) entry(320, 3, 3 * 256, static_cast<double>(colours));
    entry(339, 3, 1, page.store.format);
    for (const auto& [tag, value] : page.tags) entry(tag, tag == 254 ? 4 : 3, 1, value);
    if (!page.inside.empty()) entry(330, 4, 1, 0);
    const std::size_t start = bytes_.size();
    put(link, number(static_cast<double>(start), 4));
    bytes_ += number(static_cast<double>(entries.size()), 2);
    std::size_t inner_link = 0;
    for (const auto& [tag, text] : entries) {
      if (tag == 330) inner_link = bytes_.size() + 8;
      bytes_ += text;
    }
    const std::size_t own_link = bytes_.size();
    bytes_ += number(0, 4);
    if (!page.inside.empty()) add(page.inside.front(), inner_link);
    return own_link;
  }

  bool big_endian_;
  std::string bytes_;
};

inline std::string tiff_bytes(const std::vector<TiffPage>& pages, bool big_endian = false) {
  return TiffWriter(big_endian).file(pages);
}

/// A FITS file: its cards in order, such as "BITPIX  = 16", and the values, in bytes.
inline std::string fits_bytes(const std::vector<std::string>& cards, std::string values) {
  std::string bytes;
  const auto add = [&](std::string card) {
    card.resize(80, ' ');
    bytes += card;
  };
  add("SIMPLE  =                    T");
  for (const std::string& card : cards) add(card);
  add("END");
  constexpr std::size_t kBlock = 2880;
  bytes.resize((bytes.size() + kBlock - 1) / kBlock * kBlock, ' ');
  values.resize((values.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return bytes + values;
}

/// A NIfTI file (its standards nifti1.h and nifti2.h), version 1 or 2.
struct NiftiFile {
  int version = 1;
  bool is_big_endian = false;
  int type = 16;
  std::vector<int> lengths;
  std::vector<double> voxel = {1, 1, 1};
  double slope = 0, intercept = 0;
  int unit = 2;  ///< millimetres
  SampleStore store = {SampleStore::kFloat, 32};
  std::vector<double> values;
};

inline std::string nifti_bytes(const NiftiFile& file) {
  const bool is_first = file.version == 1;
  const auto number = [&](double value, SampleStore store) {
    std::string bytes = sample_bytes(value, store);
    if (!file.is_big_endian) std::reverse(bytes.begin(), bytes.end());
    return bytes;
  };
  const SampleStore length{SampleStore::kSigned, is_first ? 16 : 64};
  const SampleStore real{SampleStore::kFloat, is_first ? 32 : 64};
  const std::size_t size = is_first ? 348 : 540;
  std::string bytes(size + 4, '\0');
  const auto put = [&](std::size_t at, const std::string& part) {
    bytes.replace(at, part.size(), part);
  };
  put(0, number(static_cast<double>(size), {SampleStore::kSigned, 32}));
  put(is_first ? 344 : 4, is_first ? std::string("n+1\0", 4) : std::string("n+2\0\r\n\032\n", 8));
  put(is_first ? 70 : 12, number(file.type, {SampleStore::kSigned, 16}));
  const auto axes = static_cast<double>(file.lengths.size());
  std::string lengths = number(axes, length), voxel = number(1, real);
  for (const int axis : file.lengths) lengths += number(axis, length);
  for (const double side : file.voxel) voxel += number(side, real);
  put(is_first ? 40 : 16, lengths);
  put(is_first ? 76 : 104, voxel);
  put(is_first ? 108 : 168, number(static_cast<double>(size + 4), is_first ? real : length));
  put(is_first ? 112 : 176, number(file.slope, real) + number(file.intercept, real));
  const SampleStore unit{SampleStore::kUnsigned, is_first ? 8 : 32};
  put(is_first ? 123 : 500, number(file.unit, unit));
  for (const double value : file.values) bytes += number(value, file.store);
  return bytes;
}

/// An MRC2014 file.
struct MrcFile {
  bool is_big_endian = false;
  int mode = 2;
  std::vector<int> lengths;                   ///< columns, rows, sections
  std::vector<double> cell = {0, 0, 0};       ///< angstrom along x, y, z
  std::vector<int> axes = {1, 2, 3};          ///< x, y or z of columns, rows, sections
  std::string more_header = "of a program ";  ///< symmetries, or what a program notes
  SampleStore store = {SampleStore::kFloat, 32};
  std::vector<double> values;
};

inline std::string mrc_bytes(const MrcFile& file) {
  const auto number = [&](double value, SampleStore store) {
    std::string bytes = sample_bytes(value, store);
    if (!file.is_big_endian) std::reverse(bytes.begin(), bytes.end());
    return bytes;
  };
  std::string bytes(1024, '\0');
  const auto put = [&](std::size_t at, double value, int format) {
    bytes.replace(at, 4, number(value, {static_cast<decltype(SampleStore::format)>(format), 32}));
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto of_cell = static_cast<std::size_t>(file.axes[axis] - 1);
    put(4 * axis, file.lengths[axis], SampleStore::kSigned);
    put(28 + 4 * of_cell, file.lengths[axis], SampleStore::kSigned);
    put(40 + 4 * axis, file.cell[axis], SampleStore::kFloat);
    put(64 + 4 * axis, file.axes[axis], SampleStore::kSigned);
  }
  put(12, file.mode, SampleStore::kSigned);
  put(92, static_cast<double>(file.more_header.size()), SampleStore::kSigned);
  bytes.replace(208, 4, "MAP ");
  bytes.replace(212, 2, file.is_big_endian ? "\x11\x11" : "\x44\x44");
  bytes += file.more_header;
  for (const double value : file.values) bytes += number(value, file.store);
  return bytes;
}

}  // namespace leafglyph::testing
