#include "features/image_io/deep_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "features/base/text.h"

namespace leafglyph::detail {
namespace {

// What is subtracted from pictures, such as a dark frame, leaves values a little below 0.
constexpr double kNoise = 1.0 / 16;

// Larger numbers, which are hardly those of a picture, are white; 2^1024 is infinite.
constexpr int kMostBits = 1023;

struct Extremes {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();
};

/// The values that become 0 and 255, and why.
struct Scale {
  double black = 0, white = 1;
  std::string note;  // empty if they are what anyone expects
};

double highest_of(int bits) { return std::ldexp(1.0, bits) - 1; }

template <class T>
Extremes extremes_of(const OpenFile& file, const DeepSamples<T>& samples) {
  const auto step = static_cast<std::size_t>(samples.channels);
  const std::size_t colours = step - (step + 1) % 2;  // without alpha
  Extremes found;
  for (std::size_t first = 0; first < samples.values.size(); first += step) {
    for (std::size_t c = 0; c < colours; ++c) {
      const auto value = static_cast<double>(samples.values[first + c]);
      if (!std::isfinite(value)) {
        refuse(file.path, "row " + std::to_string(first / step / samples.width) + ", column " +
                              std::to_string(first / step % samples.width) +
                              " is not a finite number");
      }
      found.lowest = std::min(found.lowest, value);
      found.highest = std::max(found.highest, value);
    }
  }
  return found;
}

// The least of the usual numbers of bits that holds the value.
int bits_for(double highest, int most) {
  for (const int bits : {8, 10, 12, 14, 16, 24, 32}) {
    if (bits >= most) break;
    if (highest <= highest_of(bits)) return bits;
  }
  return most > 0 ? most : std::min(kMostBits, static_cast<int>(std::ceil(std::log2(highest + 1))));
}

// The least number of bits, with a sign, that holds both.
int signed_bits_for(const Extremes& extremes) {
  int bits = 8;
  while (bits < kMostBits &&
         (-highest_of(bits - 1) - 1 > extremes.lowest || highest_of(bits - 1) < extremes.highest)) {
    ++bits;
  }
  return bits;
}

template <class T>
Scale scale_of(const DeepSamples<T>& samples, const Extremes& extremes, int asked) {
  const bool is_float = samples.bits == 0;
  const bool is_unit = is_float && asked == 0 && extremes.highest <= 1 && extremes.lowest >= -1;
  const bool is_negative = extremes.lowest < -kNoise * std::max(extremes.highest, 0.0);
  if (is_unit) return {is_negative ? -1.0 : 0.0, 1.0, ""};
  const bool states = samples.stated > 0 && extremes.highest <= highest_of(samples.stated);
  const int bits = asked > 0     ? asked
                   : is_negative ? signed_bits_for(extremes)
                   : states      ? samples.stated
                                 : bits_for(extremes.highest, samples.bits);
  Scale scale{is_negative ? -highest_of(bits - 1) - 1 : 0.0,
              highest_of(is_negative ? bits - 1 : bits), ""};
  const bool is_plain = is_negative ? bits == samples.bits + 1 : bits == samples.bits;
  if (is_plain || asked > 0) return scale;
  scale.note =
      "its values were taken as those of " + std::to_string(bits) + " bits, " +
      number_text(scale.black) + " to " + number_text(scale.white) +
      (states && !is_negative ? ", as the file says"
                              : ", because none lies beyond; --bits states another number");
  return scale;
}

template <class T>
std::vector<std::uint8_t> in_eight_bits(const std::vector<T>& values, const Scale& scale) {
  const double factor = 255 / (scale.white - scale.black);
  std::vector<std::uint8_t> bytes(values.size());
  std::transform(values.begin(), values.end(), bytes.begin(), [&](T value) {
    const double level = (static_cast<double>(value) - scale.black) * factor;
    return static_cast<std::uint8_t>(level > 0 ? std::min(level, 255.0) + 0.5 : 0);  // NaN in alpha
  });
  return bytes;
}

// Composites colours that are premultiplied by alpha onto white, and makes alpha opaque.
template <class T>
void separate_alpha(std::vector<T>& values, int channels) {
  const auto count = static_cast<std::size_t>(channels);
  for (std::size_t i = 0; i < values.size(); i += count) {
    T& alpha = values[i + count - 1];
    for (std::size_t c = 0; c + 1 < count; ++c) {
      T& value = values[i + c];
      const T light = static_cast<T>(white<T>() - alpha);
      const bool overflows = std::is_integral_v<T> && value > white<T>() - light;
      value = overflows ? white<T>() : static_cast<T>(value + light);
    }
    alpha = white<T>();
  }
}

// Stores values; where white is the lowest, `inverted_at` is the sum of a value and its inverse.
template <class T>
void store_values(StoredImage& stored, const DecodeRequest& request, std::uint32_t width,
                  std::uint32_t height, int channels, std::vector<T> values, double inverted_at,
                  const auto& samples) {
  if (samples.white_is_zero) {
    const auto step = static_cast<std::size_t>(channels);
    for (std::size_t i = 0; i < values.size(); i += step) {
      values[i] = static_cast<T>(inverted_at - static_cast<double>(values[i]));
    }
  }
  if (samples.premultiplied) separate_alpha(values, channels);
  const bool kept = channels == 1 || (channels == 3 && !request.grey);
  store(stored, width, height,
        kept ? std::move(values) : laid_on<T>(request.ground, values, channels, request.grey));
}

}  // namespace

template <class T>
void store_deep(StoredImage& stored, const OpenFile& file, const DecodeRequest& request,
                DeepSamples<T> samples) {
  const auto put = [&]<class V>(std::vector<V> values, double inverted_at) {
    store_values(stored, request, samples.width, samples.height, samples.channels,
                 std::move(values), inverted_at, samples);
  };
  if (!request.eight_bit) {
    // A value and its negative share their bits but for the sign: -1 - value.
    const double highest = samples.bits == 0 ? 1 : highest_of(samples.bits);
    return put(std::exchange(samples.values, {}), samples.is_signed ? -1 : highest);
  }
  const Scale scale = scale_of(samples, extremes_of(file, samples), request.bits);
  if (!scale.note.empty()) stored.image.notes.push_back(scale.note);
  put(in_eight_bits(std::exchange(samples.values, {}), scale), 255);
}

template void store_deep(StoredImage&, const OpenFile&, const DecodeRequest&,
                         DeepSamples<std::uint16_t>);
template void store_deep(StoredImage&, const OpenFile&, const DecodeRequest&, DeepSamples<float>);
template void store_deep(StoredImage&, const OpenFile&, const DecodeRequest&, DeepSamples<double>);

}  // namespace leafglyph::detail
