#include "classify/character/character_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "classify/glyph/glyph_config.h"
#include "classify/support/config.h"
#include "datasets/glyph/damage.h"
#include "features/base/errors.h"
#include "features/base/keys.h"
#include "features/base/threads.h"
#include "features/glyph/ink.h"
#include "features/glyph/normalise.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

// Pictures of each font that show no character: as many of two characters as of parts of one.
constexpr std::size_t kUnlike = 400;
constexpr std::size_t kPicturesAtOnce = 64;

Image<float> drawn(const GlyphSource& source, char32_t character) {
  const int size = source.size(), side = size + 2 * kDrawnMargin;
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  source.render(character, ink);
  Image<float> picture(side, side);
  for (int row = 0, at = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column, ++at) {
      picture.at(row + kDrawnMargin, column + kDrawnMargin) =
          static_cast<float>(ink[static_cast<std::size_t>(at)]) / 255.0F;
    }
  }
  return picture;
}

// The ink of the picture that a reader would have of it, dark on white: what is recognised comes by
// the same way. Itself, if damage left nothing of it.
Image<float> as_seen(const Image<float>& ink) {
  Image<std::uint8_t> picture(ink.width(), ink.height());
  std::ranges::transform(ink.pixels(), picture.data(), [](float share) {
    return static_cast<std::uint8_t>(std::lround(255 * (1 - std::clamp(share, 0.0F, 1.0F))));
  });
  try {
    return ink_of(picture);
  } catch (const InputError&) {
    return ink;
  }
}

// A picture squeezed to half of its width or height: every two pixels become their mean.
Image<float> halved(const Image<float>& picture, bool across) {
  Image<float> half(across ? picture.width() / 2 : picture.width(),
                    across ? picture.height() : picture.height() / 2);
  for (int row = 0; row < half.height(); ++row) {
    for (int column = 0; column < half.width(); ++column) {
      half.at(row, column) =
          across ? (picture.at(row, 2 * column) + picture.at(row, 2 * column + 1)) / 2
                 : (picture.at(2 * row, column) + picture.at(2 * row + 1, column)) / 2;
    }
  }
  return half;
}

void put(const Image<float>& part, int top, int left, Image<float>& picture) {
  for (int row = 0; row < part.height(); ++row) {
    std::copy_n(part.data() + static_cast<std::ptrdiff_t>(row) * part.width(), part.width(),
                &picture.at(top + row, left));
  }
}

// Two characters in the place of one: beside each other, each half as wide, as two narrow ones in a
// line; or at half of their size, as a cut that took two.
Image<float> two_in_one(const Image<float>& a, const Image<float>& b, bool squeezed) {
  Image<float> picture(a.width(), a.height());
  Image<float> first = halved(a, /*across=*/true), second = halved(b, /*across=*/true);
  int top = 0;
  if (!squeezed) {
    first = halved(first, /*across=*/false);
    second = halved(second, /*across=*/false);
    top = a.height() / 4;
  }
  put(first, top, 0, picture);
  put(second, top, a.width() / 2, picture);
  return picture;
}

// The left, right, upper or lower half.
Image<float> part_of(Image<float> picture, unsigned which) {
  const int width = picture.width(), height = picture.height();
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const std::array is_gone = {column >= width / 2, column < width / 2, row >= height / 2,
                                  row < height / 2};
      if (is_gone[which]) picture.at(row, column) = 0;
    }
  }
  return picture;
}

bool has_ink(const Image<float>& picture) {
  return std::ranges::any_of(picture.pixels(), [](float ink) { return ink > 0.5F; });
}

// The i-th picture of no character of a font.
Image<float> unlike_picture(const std::vector<Image<float>>& pictures, std::size_t i) {
  std::mt19937_64 random(i);
  const auto any = [&]() -> const Image<float>& { return pictures[random() % pictures.size()]; };
  if (i % 2 == 0) {
    const Image<float>& first = any();
    return two_in_one(first, any(), random() % 2 == 0);
  }
  const auto which = static_cast<unsigned>(random() % 4);
  Image<float> part = part_of(any(), which);
  return has_ink(part) ? part : two_in_one(any(), any(), /*squeezed=*/true);
}

StyleRows& style_of(std::vector<StyleRows>& styles, const std::string& name) {
  const auto at = std::ranges::find(styles, name, &StyleRows::name);
  if (at != styles.end()) return *at;
  styles.emplace_back().name = name;
  return styles.back();
}

void append(std::vector<float>& rows, const std::vector<float>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

}  // namespace

void declare(Keys& keys, TrainingFont& font) {
  declare(keys, font.font);
  keys.key({"style", &font.style, "Fonts of one style are judged by those of the others"});
}

void declare(Keys& keys, CharacterSpec& spec) {
  keys.each("fonts", spec.fonts);
  keys.key({"characters", &spec.characters, "Names of sets of characters"});
  keys.number("copies", spec.copies, {0, 100}, "Damaged copies of each drawing");
  keys.seed(spec.seed, "Draws the damage");
  keys.group("features", [&] { declare(keys, spec.features); });
  keys.group("classifier", [&] { declare(keys, spec.classifier); });
}

CharacterSpec load_character_spec(const std::filesystem::path& file,
                                  const std::vector<std::string>& settings) {
  CharacterSpec spec;
  read_keys(Config::load(file, settings), spec);
  if (spec.fonts.empty()) throw UsageError(file.string() + ": lists no font; add at least one");
  return spec;
}

bool configures_recogniser(const Config& config) { return config.has("copies"); }

DirectionMoments direction_moments(const CharacterFeatures& features) {
  return {features, [](const MomentSpec& spec, int size) {
            PlanOptions options = for_many_images();
            options.device = {DeviceChoice::Kind::kCpu};
            options.precision = Precision::kFloat;
            return make_moment_plan(spec, size, options);
          }};
}

std::vector<float> rows_of(const CharacterFeatures& features, std::size_t count,
                           const std::function<Image<float>(std::size_t)>& ink) {
  const std::size_t n = columns(features), blocks = (count + kPicturesAtOnce - 1) / kPicturesAtOnce;
  std::vector<float> rows(count * n);
  parallel_for_with_scratch({blocks}, [&]() -> RoundJob {
    auto moments = std::make_shared<DirectionMoments>(direction_moments(features));
    return [&, moments](std::size_t block) {
      const std::size_t first = block * kPicturesAtOnce,
                        some = std::min(kPicturesAtOnce, count - first);
      std::vector<Image<float>> frames;
      for (std::size_t i = 0; i < some; ++i) {
        frames.push_back(normalised(ink(first + i), features.frame));
      }
      moments->rows(frames, std::span(rows).subspan(first * n, some * n));
    };
  });
  return rows;
}

std::vector<StyleRows> rows_of_fonts(const CharacterSpec& spec, const std::u32string& characters,
                                     const std::function<void(std::size_t)>& advance) {
  std::vector<StyleRows> styles;
  for (const TrainingFont& font : spec.fonts) {
    FontOptions options = font.font;
    options.pixel_size = kDrawnSide;
    const GlyphSource source(options);
    std::vector<Image<float>> pictures;
    std::vector<int> labels;
    for (std::size_t c = 0; c < characters.size(); ++c) {
      if (!source.draws(characters[c])) continue;
      pictures.push_back(drawn(source, characters[c]));
      labels.push_back(static_cast<int>(c));
    }
    if (pictures.empty()) {
      throw InputError(options.file +
                       ": draws none of the characters; choose others, or leave it "
                       "out");
    }
    const auto add = [&](std::vector<float>& to, std::size_t count, const auto& picture) {
      append(to, rows_of(spec.features, count, picture));
      if (advance) advance(count);
    };
    StyleRows& style = style_of(styles, font.style);
    add(style.clean, pictures.size(), [&](std::size_t i) { return as_seen(pictures[i]); });
    style.labels.insert(style.labels.end(), labels.begin(), labels.end());
    for (int copy = 0; copy < spec.copies; ++copy) {
      add(style.damaged, pictures.size(), [&](std::size_t i) {
        // The same damage for a character in every font would look like a part of it.
        const auto number = static_cast<std::uint64_t>(copy) * pictures.size() + i;
        std::mt19937_64 mix(spec.seed + 0x9E3779B97F4A7C15ULL * (styles.size() + number));
        return as_seen(damaged(pictures[i], mix()));
      });
      style.damaged_labels.insert(style.damaged_labels.end(), labels.begin(), labels.end());
    }
    add(style.unlike, kUnlike, [&](std::size_t i) { return as_seen(unlike_picture(pictures, i)); });
  }
  return styles;
}

}  // namespace leafglyph
