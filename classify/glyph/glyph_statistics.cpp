#include "classify/glyph/glyph_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "features/base/errors.h"
#include "features/base/names.h"
#include "features/base/utf8.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

using Moments = std::vector<std::complex<double>>;

// f = 1 on the background.
std::vector<std::uint8_t> background(const GlyphImages& images) {
  std::vector<std::uint8_t> pixels(images.ink.size());
  std::transform(images.ink.begin(), images.ink.end(), pixels.begin(),
                 [](std::uint8_t ink) { return static_cast<std::uint8_t>(255 - ink); });
  return pixels;
}

// Every bitmap turned counter-clockwise by 90 degrees.
std::vector<std::uint8_t> turned(const std::vector<std::uint8_t>& pixels, std::size_t size) {
  std::vector<std::uint8_t> result(pixels.size());
  const std::size_t area = size * size;
  for (std::size_t first = 0; first < pixels.size(); first += area) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < size; ++i) {
        result[first + (size - 1 - i) * size + j] = pixels[first + j * size + i];
      }
    }
  }
  return result;
}

Moments compute_moments(MomentPlan& engine, const std::vector<std::uint8_t>& pixels,
                        std::size_t count) {
  Moments moments(count * engine.moment_count());
  engine.moments(ImageBatch(std::span<const unsigned char>(pixels), count, engine.size()), moments);
  for (auto& moment : moments) moment /= 255.0;
  return moments;
}

std::complex<double> part_of(MomentPart part, std::complex<double> moment) {
  switch (part) {
    case MomentPart::kComplex:
      return moment;
    case MomentPart::kReal:
      return moment.real();
    case MomentPart::kMagnitude:
      return std::abs(moment);
  }
  return moment;
}

std::vector<double> variances(MomentPart part, const Moments& moments, std::size_t length) {
  const std::size_t count = moments.size() / length;
  Moments means(length);
  for (std::size_t k = 0; k < moments.size(); ++k) means[k % length] += part_of(part, moments[k]);
  for (auto& mean : means) mean /= static_cast<double>(count);
  std::vector<double> result(length);
  for (std::size_t k = 0; k < moments.size(); ++k) {
    result[k % length] += std::norm(part_of(part, moments[k]) - means[k % length]);
  }
  for (double& variance : result) variance /= static_cast<double>(count);
  return result;
}

std::vector<std::size_t> choose(const std::vector<double>& variances, std::size_t chosen) {
  if (chosen < 1 || chosen > variances.size()) {
    throw UsageError(fmt::format("{} moments to choose; use 1 to {}, or a higher order", chosen,
                                 variances.size()));
  }
  std::vector<std::size_t> positions(variances.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::size_t a, std::size_t b) { return variances[a] > variances[b]; });
  positions.resize(chosen);
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::vector<std::size_t> find_named(const std::vector<MomentIndex>& named,
                                    const std::vector<MomentIndex>& indices, Family family) {
  std::vector<std::size_t> positions;
  for (const MomentIndex& index : named) {
    const auto found = std::find(indices.begin(), indices.end(), index);
    if (found == indices.end()) {
      throw UsageError(
          fmt::format("moment {} is not among the {} {} moments that are computed; use another one "
                      "or a higher order",
                      moment_name(index), indices.size(), family_name(family)));
    }
    positions.push_back(static_cast<std::size_t>(found - indices.begin()));
  }
  return positions;
}

// The compared components of every character, the fonts side by side as groups.
std::vector<double> feature_rows(MomentPart part, const std::vector<Moments>& fonts,
                                 std::size_t length, const std::vector<std::size_t>& chosen) {
  const std::size_t count = fonts.front().size() / length;
  std::vector<double> rows;
  rows.reserve(count * fonts.size() * chosen.size() * 2);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Moments& moments : fonts) {
      for (const std::size_t c : chosen) {
        const std::complex<double> value = part_of(part, moments[i * length + c]);
        rows.push_back(value.real());
        if (part == MomentPart::kComplex) rows.push_back(value.imag());
      }
    }
  }
  return rows;
}

std::size_t place_of(std::u32string_view characters, char32_t character) {
  const std::size_t place = characters.find(character);
  if (place == std::u32string_view::npos) {
    throw UsageError(describe_character(character) +
                     " of a listed pair is not among the compared characters");
  }
  return place;
}

class FamilyJob {
 public:
  FamilyJob(Family family, const std::vector<GlyphImages>& images,
            const std::vector<std::vector<std::uint8_t>>& pixels,
            const GlyphStatisticsOptions& options, const PlanOptions& engine)
      : images_(images), pixels_(pixels), options_(options), device_(engine.device) {
    result_.family = family;
    MomentSpec spec;
    spec.family = family;
    spec.order = options.order;
    spec.points = options.subregions;
    for (std::size_t f = 0; f < images.size(); ++f) {
      engines_.push_back(make_moment_plan(spec, images[f].size, engine));
      moments_.push_back(compute_moments(*engines_[f], pixels_[f], images[f].count()));
    }
    const auto indices = engines_.front()->indices();
    result_.indices.assign(indices.begin(), indices.end());
    result_.engine = engines_.front()->describe();
  }

  FamilyStatistics run() {
    for (std::size_t p = 0; p < kMomentParts.size(); ++p)
      compare(kMomentParts[p], result_.parts[p]);
    if (options_.rotations) check_rotations();
    return std::move(result_);
  }

 private:
  void compare(MomentPart part, PartStatistics& statistics) const {
    const std::size_t length = result_.indices.size();
    statistics.part = part;
    statistics.variances.assign(length, 0.0);
    for (const Moments& moments : moments_) {
      const auto own = variances(part, moments, length);
      for (std::size_t c = 0; c < length; ++c) {
        statistics.variances[c] += own[c] / static_cast<double>(moments_.size());
      }
    }
    const auto named = options_.named.find(part);
    statistics.chosen = named != options_.named.end()
                            ? find_named(named->second, result_.indices, result_.family)
                            : choose(statistics.variances, options_.chosen);
    const auto values = feature_rows(part, moments_, length, statistics.chosen);
    const auto& characters = images_.front().characters;
    const FeatureRows rows{values, values.size() / characters.size(), moments_.size()};
    statistics.distances = pairwise_statistics_on(device_, rows, options_.pairwise);
    for (const auto& [a, b] : options_.pairs) {
      statistics.pair_distances.push_back(
          pair_distance(rows, place_of(characters, a), place_of(characters, b)));
    }
  }

  void check_rotations() {
    for (std::size_t quarter = 1; quarter <= 3; ++quarter) {
      result_.rotations.push_back({static_cast<int>(quarter) * 90});
    }
    for (std::size_t f = 0; f < images_.size(); ++f) {
      std::vector<std::uint8_t> pixels = pixels_[f];
      for (std::size_t quarter = 1; quarter <= 3; ++quarter) {
        pixels = turned(pixels, static_cast<std::size_t>(images_[f].size));
        compare_turned(compute_moments(*engines_[f], pixels, images_[f].count()), moments_[f],
                       quarter, result_.rotations[quarter - 1]);
      }
    }
  }

  void compare_turned(const Moments& after, const Moments& before, std::size_t quarter,
                      RotationCheck& check) const {
    static constexpr std::array<std::complex<double>, 4> kPhases = {
        {{1.0, 0.0}, {0.0, -1.0}, {-1.0, 0.0}, {0.0, 1.0}}};
    const std::size_t length = result_.indices.size();
    const auto& chosen = result_.parts[static_cast<std::size_t>(MomentPart::kMagnitude)].chosen;
    std::vector<double> changes(length);
    for (std::size_t first = 0; first < before.size(); first += length) {
      for (std::size_t c = 0; c < length; ++c) {
        const std::complex<double> a = before[first + c];
        const std::complex<double> b = after[first + c];
        const auto m = static_cast<std::size_t>(result_.indices[c].m);
        changes[c] = std::abs(std::abs(a) - std::abs(b));
        check.largest_magnitude_change = std::max(check.largest_magnitude_change, changes[c]);
        check.largest_phase_error =
            std::max(check.largest_phase_error, std::abs(b - a * kPhases[m * quarter % 4]));
      }
      double squares = 0.0;
      for (const std::size_t c : chosen) squares += changes[c] * changes[c];
      check.largest_distance_change =
          std::max(check.largest_distance_change, 2.0 * std::sqrt(squares));
    }
  }

  const std::vector<GlyphImages>& images_;
  const std::vector<std::vector<std::uint8_t>>& pixels_;
  const GlyphStatisticsOptions& options_;
  DeviceChoice device_;
  FamilyStatistics result_;
  std::vector<std::unique_ptr<MomentPlan>> engines_;  // one a font
  std::vector<Moments> moments_;
};

constexpr Names<MomentPart, 3> kPartNames = {"part",
                                             {{{MomentPart::kComplex, "complex"},
                                               {MomentPart::kReal, "real"},
                                               {MomentPart::kMagnitude, "magnitude"}}}};

}  // namespace

std::string_view part_name(MomentPart part) { return name_of(kPartNames, part); }

std::string moment_name(const MomentIndex& index) {
  const bool short_form = index.n < 10 && index.m < 10;
  return fmt::format("A{}{}{}", index.n, short_form ? "" : ",", index.m);
}

MomentIndex moment_from_name(std::string_view name) {
  const auto number = [](std::string_view text, int& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && error == std::errc{} && end == text.data() + text.size() && value >= 0;
  };
  MomentIndex index;
  if (name.size() > 1 && name.front() == 'A') {
    const std::string_view rest = name.substr(1);
    const std::size_t comma = rest.find(',');
    const bool parsed =
        comma == std::string_view::npos
            ? rest.size() == 2 && number(rest.substr(0, 1), index.n) &&
                  number(rest.substr(1), index.m)
            : number(rest.substr(0, comma), index.n) && number(rest.substr(comma + 1), index.m);
    if (parsed) return index;
  }
  throw UsageError("'" + std::string(name) + "' names no moment; write A40 or A12,4 for A_nm");
}

GlyphStatistics glyph_statistics(const GlyphSelection& selection,
                                 const GlyphStatisticsOptions& options, const PlanOptions& engine) {
  GlyphStatistics statistics;
  const SelectedCharacters selected = select_characters(selection);
  statistics.characters = selected.characters;
  statistics.missing = selected.missing;
  validate(options.pairwise, selected.characters.size());
  std::vector<GlyphImages> images;
  std::vector<std::vector<std::uint8_t>> pixels;
  for (const FontOptions& font : selection.fonts) {
    images.push_back(draw_glyphs(font, selected.characters));
    pixels.push_back(background(images.back()));
  }
  for (const Family family : options.families) {
    statistics.families.push_back(FamilyJob(family, images, pixels, options, engine).run());
  }
  return statistics;
}

}  // namespace leafglyph
