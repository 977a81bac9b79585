#include "classify/glyph/glyph_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/base/threads.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

using Moments = std::vector<std::complex<double>>;

constexpr std::size_t kCharactersAtATime = 256;  // that a thread processes together

// f is 1 on the background.
std::vector<std::uint8_t> background(const GlyphImages& images) {
  std::vector<std::uint8_t> pixels(images.ink.size());
  std::transform(images.ink.begin(), images.ink.end(), pixels.begin(),
                 [](std::uint8_t ink) { return static_cast<std::uint8_t>(255 - ink); });
  return pixels;
}

// Rotates every bitmap counter-clockwise by 90 degrees.
void turn(const std::vector<std::uint8_t>& pixels, std::size_t size,
          std::vector<std::uint8_t>& turned) {
  turned.resize(pixels.size());
  const std::size_t area = size * size;
  parallel_for({pixels.size() / area, kCharactersAtATime}, [&](std::size_t c) {
    const std::uint8_t* from = pixels.data() + c * area;
    std::uint8_t* to = turned.data() + c * area;
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < size; ++i) to[j * size + i] = from[i * size + size - 1 - j];
    }
  });
}

void compute_moments(MomentPlan& engine, const std::vector<std::uint8_t>& pixels, std::size_t count,
                     Moments& moments) {
  moments.resize(count * engine.moment_count());
  engine.moments(ImageBatch(std::span<const unsigned char>(pixels), count, engine.size()), moments);
  for (auto& moment : moments) moment /= 255.0;
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
  std::vector<double> result(length);
  parallel_for(length, [&](std::size_t c) {
    Moments values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = part_of(part, moments[i * length + c]);
    std::complex<double> mean =
        std::accumulate(values.begin(), values.end(), Moments::value_type{});
    mean /= static_cast<double>(count);
    for (const auto& value : values) result[c] += std::norm(value - mean);
    result[c] /= static_cast<double>(count);
  });
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

// The components of every character that are compared, with one group per font.
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

struct DrawnSelection {
  SelectedCharacters selected;
  std::vector<GlyphImages> images;                // font by font
  std::vector<std::vector<std::uint8_t>> pixels;  // their backgrounds
};

DrawnSelection draw_selection(const GlyphSelection& selection) {
  DrawnSelection drawn;
  const std::vector<GlyphSource> fonts = open_fonts(selection.fonts);
  drawn.selected = select_characters(selection, fonts);
  for (const GlyphSource& font : fonts) {
    drawn.images.push_back(draw_glyphs(font, drawn.selected.characters));
    drawn.pixels.push_back(background(drawn.images.back()));
  }
  return drawn;
}

class FamilyJob {
 public:
  FamilyJob(Family family, const std::vector<GlyphImages>& images,
            const std::vector<std::vector<std::uint8_t>>& pixels,
            const GlyphStatisticsOptions& options, const PlanOptions& engine)
      : images_(images), options_(options) {
    result_.family = family;
    MomentSpec spec;
    spec.family = family;
    spec.order = options.order;
    spec.points = options.subregions;
    for (std::size_t f = 0; f < images.size(); ++f) {
      engines_.push_back(make_moment_plan(spec, images[f].size, engine));
      compute_moments(*engines_[f], pixels[f], images[f].count(), moments_.emplace_back());
    }
    const auto indices = engines_.front()->indices();
    result_.indices.assign(indices.begin(), indices.end());
    result_.engine = engines_.front()->describe();
  }

  void compare_parts() {
    for (std::size_t p = 0; p < kMomentParts.size(); ++p) {
      compare(kMomentParts[p], result_.parts[p]);
    }
  }

  // `pixels` are the bitmaps of a font, rotated by `quarter` quarter turns. Called after the parts:
  // for every font with `quarter` from 1 to 3.
  void check_turned(std::size_t font, std::size_t quarter,
                    const std::vector<std::uint8_t>& pixels) {
    if (result_.rotations.size() < quarter) {
      result_.rotations.push_back({static_cast<int>(quarter) * 90});
    }
    compute_moments(*engines_[font], pixels, images_[font].count(), turned_);
    compare_turned(turned_, moments_[font], quarter, result_.rotations[quarter - 1]);
  }

  FamilyStatistics take() { return std::move(result_); }

  // The vectors of a part that are compared, and with its variances what chose them.
  std::vector<double> vectors(MomentPart part, PartStatistics& statistics) const {
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
    return feature_rows(part, moments_, length, statistics.chosen);
  }

 private:
  void compare(MomentPart part, PartStatistics& statistics) const {
    const auto values = vectors(part, statistics);
    const auto& characters = images_.front().characters;
    const FeatureRows rows{values, values.size() / characters.size(), moments_.size()};
    statistics.distances = pairwise_statistics(rows, options_.pairwise);
    for (const auto& [a, b] : options_.pairs) {
      statistics.pair_distances.push_back(
          pair_distance(rows, place_of(characters, a), place_of(characters, b)));
    }
  }

  void compare_turned(const Moments& after, const Moments& before, std::size_t quarter,
                      RotationCheck& check) const {
    const std::size_t length = result_.indices.size();
    std::vector<RotationCheck> checks(before.size() / length);  // one per character
    parallel_for({checks.size(), kCharactersAtATime}, [&](std::size_t i) {
      checks[i] = compared(&after[i * length], &before[i * length], quarter);
    });
    for (const RotationCheck& own : checks) {
      const auto raise = [](double& largest, double value) { largest = std::max(largest, value); };
      raise(check.largest_magnitude_change, own.largest_magnitude_change);
      raise(check.largest_phase_error, own.largest_phase_error);
      raise(check.largest_distance_change, own.largest_distance_change);
    }
  }

  // The moments of one character.
  RotationCheck compared(const std::complex<double>* after, const std::complex<double>* before,
                         std::size_t quarter) const {
    static constexpr std::array<std::complex<double>, 4> kPhases = {
        {{1.0, 0.0}, {0.0, -1.0}, {-1.0, 0.0}, {0.0, 1.0}}};
    RotationCheck check;
    std::vector<double> changes(result_.indices.size());
    for (std::size_t c = 0; c < changes.size(); ++c) {
      const auto m = static_cast<std::size_t>(result_.indices[c].m);
      changes[c] = std::abs(std::abs(before[c]) - std::abs(after[c]));
      check.largest_magnitude_change = std::max(check.largest_magnitude_change, changes[c]);
      check.largest_phase_error = std::max(
          check.largest_phase_error, std::abs(after[c] - before[c] * kPhases[m * quarter % 4]));
    }
    double squares = 0.0;
    for (const std::size_t c :
         result_.parts[static_cast<std::size_t>(MomentPart::kMagnitude)].chosen) {
      squares += changes[c] * changes[c];
    }
    check.largest_distance_change = 2.0 * std::sqrt(squares);
    return check;
  }

  const std::vector<GlyphImages>& images_;
  const GlyphStatisticsOptions& options_;
  FamilyStatistics result_;
  std::vector<std::unique_ptr<MomentPlan>> engines_;  // one per font
  std::vector<Moments> moments_;
  Moments turned_;
};

void check_rotations(const std::vector<GlyphImages>& images,
                     const std::vector<std::vector<std::uint8_t>>& pixels,
                     std::vector<FamilyJob>& jobs) {
  std::vector<std::uint8_t> before;
  std::vector<std::uint8_t> after;
  for (std::size_t f = 0; f < images.size(); ++f) {
    for (std::size_t quarter = 1; quarter <= 3; ++quarter) {
      turn(quarter == 1 ? pixels[f] : before, static_cast<std::size_t>(images[f].size), after);
      for (FamilyJob& job : jobs) job.check_turned(f, quarter, after);
      before.swap(after);
    }
  }
}

}  // namespace

std::string moment_name(const MomentIndex& index) {
  const bool short_form = index.n < 10 && index.m < 10;
  return fmt::format("A{}{}{}", index.n, short_form ? "" : ",", index.m);
}

MomentIndex moment_from_name(std::string_view name) {
  const auto number = [](std::string_view text, int& value) {
    value = number_in<int>(text).value_or(-1);
    return value >= 0;
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
  throw UsageError("'" + std::string(name) +
                   "' does not name a moment; write A40 or A12,4 for A_nm");
}

GlyphVectors glyph_vectors(const GlyphSelection& selection, const GlyphStatisticsOptions& options,
                           MomentPart part, const PlanOptions& engine) {
  const auto [selected, images, pixels] = draw_selection(selection);
  GlyphVectors vectors{selected, {}, 0, images.size()};
  PartStatistics statistics;
  vectors.values = FamilyJob(options.families.front(), images, pixels, options, engine)
                       .vectors(part, statistics);
  vectors.dimension = vectors.values.size() / selected.characters.size();
  return vectors;
}

GlyphStatistics glyph_statistics(const GlyphSelection& selection,
                                 const GlyphStatisticsOptions& options, const PlanOptions& engine) {
  GlyphStatistics statistics;
  const auto [selected, images, pixels] = draw_selection(selection);
  statistics.characters = selected.characters;
  statistics.missing = selected.missing;
  validate(options.pairwise, selected.characters.size());
  std::vector<FamilyJob> jobs;
  for (const Family family : options.families) {
    jobs.emplace_back(family, images, pixels, options, engine).compare_parts();
  }
  if (options.rotations) check_rotations(images, pixels, jobs);
  for (FamilyJob& job : jobs) statistics.families.push_back(job.take());
  return statistics;
}

}  // namespace leafglyph
