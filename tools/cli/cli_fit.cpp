// `leafglyph moments fit`: Zernike coefficients of wavefronts and other maps by least squares.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/fit/zernike_fit.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"
#include "tools/cli/outputs.h"

namespace leafglyph {
namespace {

struct FitOptions {
  std::vector<std::string> maps;
  int order = 8;
  int terms = 0;
  std::string indices = "noll";
  std::string scale = "rms";
  double hole = 0.0;
  bool annular = false;
  std::string mask;
  std::string weights;
  std::vector<double> centre;
  double radius = 0.0;
  bool y_down = false;
  std::string unit;
  std::vector<std::string> remove;
  std::string residual;
  std::string summary;
  FigureFiles figures;
};

// Maps of one size, and their names.
struct Maps {
  int width = 0;
  int height = 0;
  std::vector<std::string> names;
  std::vector<double> values;

  std::size_t pixels() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

void add_maps(const std::string& file, Maps& maps) {
  const VolumeInput input = read_volume(file);
  log_image_notes(file, input.notes);
  const Volume& volume = input.volume;
  if (maps.names.empty()) {
    maps.width = volume.width;
    maps.height = volume.height;
  }
  if (volume.width != maps.width || volume.height != maps.height) {
    throw InputError(fmt::format(
        "{} has maps of {} pixels, {} of {}; fit those of one size together", file,
        size_text(volume.width, volume.height), maps.names[0], size_text(maps.width, maps.height)));
  }
  for (int k = 0; k < volume.depth; ++k) {
    maps.names.push_back(volume.depth == 1 ? file : fmt::format("{}#{}", file, k + 1));
  }
  maps.values.insert(maps.values.end(), volume.values.begin(), volume.values.end());
}

// A mask or weights for maps of this size.
std::vector<double> read_beside(const std::string& file, const Maps& maps) {
  Volume volume = read_volume(file).volume;
  if (volume.width != maps.width || volume.height != maps.height || volume.depth != 1) {
    throw InputError(fmt::format("{} has not the size of the maps, {}", file,
                                 size_text(maps.width, maps.height)));
  }
  return std::move(volume.values);
}

FitPoints points_of(const FitOptions& options, const Maps& maps) {
  std::vector<double> counts(maps.values.begin(),
                             maps.values.begin() + static_cast<std::ptrdiff_t>(maps.pixels()));
  std::size_t lacking = 0;
  for (std::size_t i = maps.pixels(); i < maps.values.size(); ++i) {
    double& value = counts[i % maps.pixels()];
    if (std::isfinite(value) == std::isfinite(maps.values[i])) continue;
    value = std::numeric_limits<double>::quiet_NaN();
    ++lacking;
  }
  if (lacking > 0) log_warning("pixels that have no value in some maps do not count in any");
  if (!options.mask.empty()) {
    const std::vector<double> mask = read_beside(options.mask, maps);
    for (std::size_t p = 0; p < mask.size(); ++p) {
      if (mask[p] == 0.0) counts[p] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  FitCircle circle = FitCircle::inscribed(maps.width, maps.height);
  if (!options.centre.empty()) {
    circle.column = options.centre[0];
    circle.row = options.centre[1];
  }
  if (options.radius > 0.0) circle.radius = options.radius;
  const std::vector<double> weights =
      options.weights.empty() ? std::vector<double>() : read_beside(options.weights, maps);
  return fit_points(maps.width, maps.height, counts, weights, circle, options.hole,
                    /*everywhere=*/!options.mask.empty());
}

ZernikeBasis basis_of(const FitOptions& options, ZernikeNumbers numbers) {
  std::vector<ZernikeTerm> terms;
  const int first = numbers == ZernikeNumbers::kOsa ? 0 : 1;
  for (int i = 0; i < options.terms; ++i) terms.push_back(term_of(numbers, first + i));
  if (options.terms == 0) terms = terms_to_order(options.order);
  return {std::move(terms), options.annular ? options.hole : 0.0,
          from_name<ZernikeScale>(options.scale)};
}

// The terms that --remove names, by number or by the name of an aberration: "tilt" both of them.
std::vector<bool> removed_terms(const FitOptions& options, const ZernikeBasis& basis,
                                ZernikeNumbers numbers) {
  std::vector<bool> removed(basis.size(), options.remove.empty());
  for (const std::string& named : options.remove) {
    const std::optional<int> number = number_in<int>(named);
    bool is_known = false;
    for (std::size_t t = 0; t < basis.size(); ++t) {
      const std::string name = aberration_of(basis.terms()[t]);
      const bool is_meant = number ? number_of(numbers, basis.terms()[t]) == *number
                                   : name == named || name == named + " x" || name == named + " y";
      if (is_meant) removed[t] = is_known = true;
    }
    if (!is_known) {
      throw UsageError("--remove " + named +
                       " is not among the terms of the fit; use their numbers, "
                       "or names such as piston, tilt and defocus");
    }
  }
  return removed;
}

// Terms in the order of their numbers.
std::vector<std::size_t> by_number(const ZernikeBasis& basis, ZernikeNumbers numbers) {
  std::vector<std::size_t> order(basis.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t t) { return number_of(numbers, basis.terms()[t]); });
  return order;
}

// Coefficients of every map, and what was left of them.
class FitReport {
 public:
  FitReport(const FitOptions& options, const ZernikeFit& fit, ZernikeNumbers numbers)
      : options_(options),
        fit_(fit),
        numbers_(numbers),
        order_(by_number(fit.basis(), numbers)),
        diagonal_(fit.covariance_diagonal()),
        coefficients_(std::vector<TableColumn>{{"map", ColumnType::kName},
                                               {numbers_name()},
                                               {"n"},
                                               {"m"},
                                               {"coefficient"},
                                               {"standard_error"},
                                               {"name", ColumnType::kText}}),
        summary_(std::vector<TableColumn>{{"map", ColumnType::kName},
                                          {"pixels"},
                                          {"condition", ColumnType::kNumber, significant(4)},
                                          {"rms"},
                                          {"peak_to_valley"},
                                          {"residual_rms"},
                                          {"residual_peak_to_valley"}}) {
    for (std::size_t i = 0; i < fit.points().pixels.size(); ++i) {
      total_ += fit.points().weights.empty() ? 1.0 : fit.points().weights[i];
    }
    condition_ = fit.condition(fit.basis().order());
  }

  void add(const std::string& map, const FittedMap& fitted, std::ostream& out) {
    const auto points = static_cast<double>(fit_.points().pixels.size());
    const double spare = points - static_cast<double>(order_.size());
    // The noise of a pixel of weight 1, from what is left.
    const double noise = spare > 0 ? fitted.residual_rms * std::sqrt(total_ / spare)
                                   : std::numeric_limits<double>::quiet_NaN();
    const std::string unit = options_.unit.empty() ? "" : " " + options_.unit;
    out << map << "\n";
    Table lines("term n m name:text coefficient standard_error");
    for (const std::size_t t : order_) {
      const ZernikeTerm& term = fit_.basis().terms()[t];
      const double sign = options_.y_down && term.m < 0 ? -1.0 : 1.0;
      const double value = sign * fitted.coefficients[t], error = noise * std::sqrt(diagonal_[t]);
      const int number = number_of(numbers_, term);
      coefficients_.add(map, number, term.n, term.m, value, error, aberration_of(term));
      lines.add(number, term.n, term.m, aberration_of(term), fmt::format("{:.6g}", value),
                fmt::format("{:.2g}", error));
    }
    out << lines.aligned()
        << fmt::format("rms {:.6g}{}, peak to valley {:.6g}{}; ", fitted.rms, unit,
                       fitted.peak_to_valley, unit)
        << fmt::format("left: rms {:.3g}{}, peak to valley {:.3g}{}\n", fitted.residual_rms, unit,
                       fitted.residual_peak_to_valley, unit);
    summary_.add(map, fit_.points().pixels.size(), condition_, fitted.rms, fitted.peak_to_valley,
                 fitted.residual_rms, fitted.residual_peak_to_valley);
  }

  void write() const {
    write_figures(options_.figures, coefficients_);
    if (!options_.summary.empty()) write_output(options_.summary, summary_.csv());
  }

 private:
  std::string numbers_name() const {
    return std::string(name_of(kNamesOf<ZernikeNumbers>, numbers_));
  }

  const FitOptions& options_;
  const ZernikeFit& fit_;
  ZernikeNumbers numbers_;
  std::vector<std::size_t> order_;
  std::vector<double> diagonal_;
  double total_ = 0.0;  // of the weights
  double condition_ = 0.0;
  Table coefficients_;
  Table summary_;
};

// What is left of the maps without the terms of --remove, NaN where pixels do not count.
void write_residuals(const FitOptions& options, const Maps& maps, const ZernikeFit& fit,
                     std::vector<FittedMap> fitted, const std::vector<bool>& removed) {
  const std::size_t points = fit.points().pixels.size();
  Volume left(maps.width, maps.height, static_cast<int>(fitted.size()));
  std::ranges::fill(left.values, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    std::vector<double>& coefficients = fitted[k].coefficients;
    for (std::size_t t = 0; t < removed.size(); ++t) {
      if (!removed[t]) coefficients[t] = 0.0;
    }
    const std::vector<double> of_map = fit.residual(
        std::span(maps.values).subspan(k * maps.pixels(), maps.pixels()), coefficients);
    for (std::size_t i = 0; i < points; ++i) {
      left.values[k * maps.pixels() + fit.points().pixels[i]] = of_map[i];
    }
  }
  write_volume(options.residual, left);
}

void say_condition(const ZernikeFit& fit, std::ostream& out) {
  const int order = fit.basis().order();
  const double condition = fit.condition(order);
  out << fmt::format("{}, {} to order {}, condition {:.3g}\n",
                     counted(fit.points().pixels.size(), "pixel counts", "pixels count"),
                     counted(fit.basis().size(), "term", "terms"), order, condition);
  if (condition > kGoodCondition) {
    log_warning(fmt::format(
        "the pixels hardly distinguish the terms: the condition is {:.3g}; to "
        "order {} it is {:.3g}",
        condition, fit.safe_order(kGoodCondition), fit.condition(fit.safe_order(kGoodCondition))));
  }
}

ExitCode run_fit(const FitOptions& options, const CommandLine& line) {
  const auto numbers = from_name<ZernikeNumbers>(options.indices);
  if (!options.centre.empty() && options.centre.size() != 2) {
    throw UsageError("--centre takes two numbers: the column and the row of a pixel");
  }
  if (options.annular && options.hole == 0.0) {
    throw UsageError("--annular needs --hole, the radius of the hole in radii");
  }
  ZernikeBasis basis = basis_of(options, numbers);
  const std::vector<bool> removed = removed_terms(options, basis, numbers);
  Maps maps;
  for (const std::string& file : options.maps) add_maps(file, maps);
  const ZernikeFit fit(std::move(basis), points_of(options, maps));
  say_condition(fit, line.text());
  const std::vector<FittedMap> fitted = fit.fit(maps.values, maps.names.size());
  FitReport report(options, fit, numbers);
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    report.add(maps.names[k], fitted[k], line.text());
  }
  report.write();
  if (!options.residual.empty()) write_residuals(options, maps, fit, fitted, removed);
  return ExitCode::kDone;
}

}  // namespace

void add_moment_fit_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<FitOptions>();
  CLI::App* fit = add_command(
      moments, line, "fit",
      "Fit real Zernike polynomials to maps (wavefronts) by least squares, on exactly the pixels "
      "that count; moments compute integrates instead, which gives no coefficients on a grid",
      "leafglyph moments fit wavefront.npy --indices noll --order 6 --residual left.npy",
      [options, &line] { return run_fit(*options, line); });
  fit->add_option("maps", options->maps,
                  "Maps: .npy or FITS arrays of (rows, columns) or of several such, or images; "
                  "NaN does not count")
      ->required();
  CLI::Option* order = fit->add_option("--order", options->order, "All terms to this degree")
                           ->check(whole_number(0, kMaxFitOrder))
                           ->capture_default_str();
  fit->add_option("--terms", options->terms, "The first so many terms of --indices instead")
      ->check(whole_number(1, (kMaxFitOrder + 1) * (kMaxFitOrder + 2) / 2))
      ->excludes(order);
  fit->add_option("--indices", options->indices, "How terms are numbered: noll, osa or fringe")
      ->check(one_of({"noll", "osa", "fringe"}))
      ->capture_default_str();
  fit->add_option("--scale", options->scale,
                  "rms: the mean square of a term is 1; amplitude: its radial part is 1 at the rim")
      ->check(one_of({"rms", "amplitude"}))
      ->capture_default_str();
  fit->add_option("--hole", options->hole, "Radius in which nothing counts, in radii of the circle")
      ->check(finite_number(0.0, 1.0));
  fit->add_flag("--annular", options->annular,
                "Polynomials that are orthogonal on the ring around the hole");
  fit->add_option("--mask", options->mask,
                  "Image or array: where it is not 0, pixels count, beyond the circle as well");
  fit->add_option("--weights", options->weights, "Array of weights of the pixels, 0 or more");
  takes_list(fit->add_option("--centre", options->centre,
                             "Column and row of the circle's centre; pixel centres are whole "
                             "numbers from 0. Default: the middle"));
  fit->add_option("--radius", options->radius,
                  "Radius of the circle in pixels; default: that of the inscribed one")
      ->check(finite_number(1e-6, 1e9));
  fit->add_flag("--y-down", options->y_down, "y rises with the row number, not upwards");
  fit->add_option("--unit", options->unit, "Unit of the values, such as nm or waves, for the text");
  takes_list(fit->add_option("--remove", options->remove,
                             "Terms that --residual lacks, by name (piston,tilt) or number; "
                             "default: all"));
  add_output(*fit, line, "--residual", options->residual, OutputKind::kNpy,
             "What is left of the maps, NaN where pixels do not count");
  add_output(*fit, line, "--summary", options->summary, OutputKind::kCsv,
             "A line a map: rms, peak to valley, before and after");
  add_figure_files(*fit, line, options->figures, "the coefficients");
}

}  // namespace leafglyph
