// Samples of more than 8 bits: which of their values are black and white.
#pragma once

#include <cstdint>
#include <vector>

#include "features/image_io/decode_formats.h"

namespace leafglyph::detail {

/// The samples of an image that are not 8-bit integers, interleaved as in laid_on_white.
///
/// In 8 bits, black is 0 and white the highest integer of b bits. b is what the user or the file
/// states; otherwise the least of 8, 10, 12, 14, 16, 24 and 32 that holds the highest value of the
/// file, and at most `bits`. Numbers of at most 1 have white 1. Where values are negative by more
/// than noise, black is as far below 0 as white is above it. Values are never stretched to the
/// lowest and highest of a file, so that a dark picture stays dark.
template <class T>
struct DeepSamples {
  std::uint32_t width = 0, height = 0;
  int channels = 1;  ///< 1: grey; 2: grey and alpha; 3: colours; 4: colours and alpha
  std::vector<T> values;
  int bits = 0;  ///< of an integer, without its sign; 0: numbers with fractions
  bool is_signed = false;
  int stated = 0;              ///< bits that the file states are used; 0: it states none
  bool white_is_zero = false;  ///< white is stored as the lowest value
  bool premultiplied = false;  ///< colours are multiplied by alpha
};

/// Stores the image as the request asks: in 8 bits, with a note of what was taken for white unless
/// that is plain, or with the values of the file. Throws InputError for values that are not finite,
/// which have no 8 bits. T: std::uint16_t, float, double.
template <class T>
void store_deep(StoredImage& stored, const OpenFile& file, const DecodeRequest& request,
                DeepSamples<T> samples);

}  // namespace leafglyph::detail
