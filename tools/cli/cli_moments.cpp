// `leafglyph moments ...`: moments of any image, and images from moments.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <numbers>
#include <optional>

#include "classify/page/svg_plot.h"
#include "classify/support/progress.h"
#include "features/base/files.h"
#include "features/base/memory.h"
#include "features/image/image_quality.h"
#include "features/image_io/image_file.h"
#include "features/moments/moment_file.h"
#include "features/plan/error_curve.h"
#include "gpu/plans.h"
#include "tools/cli/cli_moments.h"
#include "tools/cli/option_ranges.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct ComputeOptions {
  std::vector<std::string> images;
  std::string family = "zernike";
  int order = 30;
  bool exact = false;
  bool adaptive = false;
  int subregions = 0;
  int gauss = 0;
  std::string mask;
  bool grey = false;
  std::optional<double> peak;
  std::string out;
};

struct ReconstructOptions {
  std::string moments;
  std::string out;
  std::string reference;
  std::string orders;
  std::string repetitions = "all";
  std::string curve;
  std::string plot;
  int step = 10;
  std::optional<double> peak;
};

std::string decimal(double value, int digits) {
  if (std::isinf(value)) return "inf";
  return fmt::format("{:.{}f}", value, digits);
}

MomentSpec spec_of(const ComputeOptions& options, const CLI::App& command) {
  MomentSpec spec;
  const WeightedFamily family = weighted_family_from_text(options.family);
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = options.order;
  if (options.exact) {
    spec.method = Method::kExact;
  } else if (options.adaptive) {
    spec.method = Method::kAdaptive;
  } else if (command.count("--subregions") > 0) {
    spec.points = options.subregions;
  } else if (command.count("--gauss") > 0) {
    spec.method = Method::kGauss;
    spec.points = options.gauss;
  } else {
    spec.method = default_method(spec.family);
    log_note("method: " + std::string(method_name(spec.method)) + ", the default of " +
             options.family);
  }
  if (!options.mask.empty()) spec.mask = mask_from_name(options.mask);
  validate(spec);
  return spec;
}

// In the middle of the disk the fastest radial polynomial turns by T radians for a radius of 1, so
// that above pi N / 2 it turns by more than half a turn from pixel to pixel.
void warn_beyond_image(const MomentSpec& spec, int size) {
  const int carried = static_cast<int>(std::numbers::pi * size / 2);
  if (is_circular(spec.family) && spec.order > carried) {
    log_warning(
        fmt::format("order {} is more than an image of {} x {} pixels can carry (about {}); the "
                    "moments above that tell nothing new",
                    spec.order, size, size, carried));
  }
}

// Room for the moments of all images; beside them stands the text or the array that is written.
void reserve_moments(const ComputeOptions& options, std::size_t channels, MomentFile& file) {
  const std::size_t rows = options.images.size() * channels;
  const double written = fs::path(options.out).extension() == ".csv" ? 100.0 : 16.0;
  check_memory(static_cast<double>(rows) * static_cast<double>(file.moment_count()) *
                   (sizeof(std::complex<double>) + written),
               fmt::format("{} rows of {} moments", rows, file.moment_count()),
               "use a lower order or fewer images");
  file.values.reserve(rows * file.moment_count());
}

// Computes the rows of one image; the first image sets the size that all share.
void add_image(const std::string& path, const ComputeOptions& options,
               const PlanOptions& plan_options, MomentFile& file,
               std::unique_ptr<MomentPlan>& plan) {
  const SquareImage image = read_square_image(path, options.grey, options.peak);
  if (!plan) {
    file.range = image.range;
    log_note("samples: " + describe(image.range));
    plan = make_moment_plan(file.spec, image.size, plan_options);
    file.size = image.size;
    file.width = image.width;
    file.height = image.height;
    warn_beyond_image(file.spec, image.size);
    reserve_moments(options, image.channels.size(), file);
  }
  if (image.width != file.width || image.height != file.height) {
    throw InputError(fmt::format(
        "{} has {} x {} pixels, the first image has {} x {}; moments of one file share a size",
        path, image.width, image.height, file.width, file.height));
  }
  if (image.range.depth != file.range.depth) {
    throw InputError(path + " has " + std::string(depth_name(image.range.depth)) +
                     " samples, the first image " + std::string(depth_name(file.range.depth)) +
                     " ones; moments of one file share a depth");
  }
  file.range.peak = std::max(file.range.peak, image.range.peak);
  std::vector<std::complex<double>> values(plan->moment_count());
  for (const SquareChannel& channel : image.channels) {
    plan->moments(ImageBatch(channel.pixels, 1, image.size), values);
    file.rows.push_back(fs::path(path).filename().string() + ":" + channel.name);
    file.values.insert(file.values.end(), values.begin(), values.end());
  }
}

ExitCode run_compute(const ComputeOptions& options, const CLI::App& command,
                     const CommonOptions& common) {
  MomentFile file;
  file.spec = spec_of(options, command);
  const fs::path out(options.out);
  static_cast<void>(moment_file_parts(out));  // refuses another extension
  std::unique_ptr<MomentPlan> plan;
  std::size_t failed = 0;
  {
    Progress progress("images", options.images.size(), common.progress_style());
    for (const std::string& path : options.images) {
      throw_if_interrupted();
      try {
        add_image(path, options, common.plan_options(), file, plan);
      } catch (const InputError& error) {
        if (options.images.size() == 1) throw;
        log_warning(error.what());
        ++failed;
      }
      progress.advance();
    }
  }
  if (failed == options.images.size()) throw InputError("none of the images could be used");
  throw_if_interrupted();
  write_moment_file(out, file);
  std::cout << out.string() << ": " << describe(file.spec)
            << (is_circular(file.spec.family)
                    ? ", mask " + std::string(mask_name(mask_of(file.spec)))
                    : "")
            << ", " << describe(file.size) << ", " << file.rows.size()
            << (file.rows.size() == 1 ? " row of " : " rows of ") << file.moment_count()
            << " moments\n";
  return failed > 0 ? ExitCode::kSomeFailed : ExitCode::kDone;
}

// Reads A:B, A: or :B within 0:order.
std::pair<int, int> order_range(const std::string& text, int order) {
  if (text.empty()) return {0, order};
  const std::size_t colon = text.find(':');
  const auto number = [&](std::string_view digits, int fallback) {
    if (digits.empty()) return fallback;
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      throw UsageError("--orders " + text + ": '" + std::string(digits) + "' is not a number");
    }
    return value;
  };
  if (colon == std::string::npos) {
    throw UsageError("--orders " + text + " is not a range A:B");
  }
  const std::string_view view(text);
  const int first = number(view.substr(0, colon), 0);
  const int last = number(view.substr(colon + 1), order);
  if (first < 0 || last < first || last > order) {
    throw UsageError(
        fmt::format("--orders {} is not a range within 0:{}, the orders of the file", text, order));
  }
  return {first, last};
}

SquareImage read_reference(const ReconstructOptions& options, const MomentFile& file) {
  SquareImage reference =
      read_square_image(options.reference, file.rows.size() == 1, file.range.peak);
  if (reference.width != file.width || reference.height != file.height) {
    throw UsageError(
        fmt::format("{} has {} x {} pixels, but {} holds moments of {} x {}; give the image that "
                    "they were computed from",
                    options.reference, reference.width, reference.height, options.moments,
                    file.width, file.height));
  }
  if (reference.range.depth != file.range.depth) {
    throw UsageError(options.reference + " has " + std::string(depth_name(reference.range.depth)) +
                     " samples, but " + options.moments + " holds moments of " +
                     std::string(depth_name(file.range.depth)) +
                     " ones; give the image that they were computed from");
  }
  if (reference.channels.size() != file.rows.size()) {
    throw UsageError(fmt::format("{} has {} channels, but {} holds {} rows", options.reference,
                                 reference.channels.size(), options.moments, file.rows.size()));
  }
  return reference;
}

void print_error(const std::string& row, const ImageError& error, double similarity) {
  std::cout << row << ": PSNR " << decimal(error.psnr_whole, 2) << " dB whole image, "
            << decimal(error.psnr_disk, 2) << " dB disk only; MSE " << decimal(error.mse_whole, 4)
            << " whole image, " << decimal(error.mse_disk, 4) << " disk only; SSIM "
            << decimal(similarity, 4) << '\n';
}

std::string curve_plot(const std::vector<OrderError>& curve, const std::string& title) {
  Plot plot;
  plot.title = title;
  plot.x_label = "order";
  plot.y_label = "PSNR in dB";
  plot.series = {{"whole image", {}, false}, {"disk only", {}, false}};
  for (const OrderError& point : curve) {
    const double order = point.order;
    if (!std::isfinite(point.error.psnr_whole)) continue;
    plot.series[0].points.push_back({order, point.error.psnr_whole, {}, {}});
    plot.series[1].points.push_back({order, point.error.psnr_disk, {}, {}});
  }
  return svg_plot(plot);
}

// The curve of the first row over the orders 0, step, 2 step, ... and the last.
std::vector<OrderError> curve_of(const ReconstructOptions& options, const MomentFile& file,
                                 MomentPlan& plan, const SquareImage& reference) {
  std::vector<int> orders;
  for (int order = 0; order < file.spec.order; order += options.step) orders.push_back(order);
  orders.push_back(file.spec.order);
  std::vector<double> image(reference.channels.front().pixels.size());
  return error_by_order(plan, std::span(file.values).first(file.moment_count()),
                        reference.channels.front().pixels, orders, image, file.range);
}

void write_curve(const ReconstructOptions& options, const MomentFile& file,
                 const std::vector<OrderError>& curve) {
  if (!options.curve.empty()) write_file(options.curve, error_curve_csv(curve));
  if (!options.plot.empty()) {
    write_file(options.plot, curve_plot(curve, file.rows.front() + ", " + describe(file.spec)));
  }
}

ExitCode run_reconstruct(const ReconstructOptions& options, const CommonOptions& common) {
  MomentFile file = read_moment_file(options.moments);
  if (file.size.width != file.size.height || file.size.is_volume()) {
    throw UsageError(options.moments + " holds moments of " + describe(file.size) +
                     " values; moments volume --from takes them");
  }
  if (options.peak) file.range.peak = *options.peak;
  validate(file.range);
  check_image_format(options.out, file.range.depth);
  const auto [first, last] = order_range(options.orders, file.spec.order);
  const MomentSelection selection{first, last, repetitions_from_name(options.repetitions)};
  if (file.rows.size() != 1 && file.rows.size() != 3) {
    throw UsageError(fmt::format(
        "{} holds {} rows; reconstruct files of one grey (1 row) or colour (3 rows) image",
        options.moments, file.rows.size()));
  }
  const bool wants_curve = !options.curve.empty() || !options.plot.empty();
  if (wants_curve && options.reference.empty()) {
    throw UsageError("--curve and --plot compare with an image; give it with --reference");
  }
  SquareImage reference;
  if (!options.reference.empty()) reference = read_reference(options, file);
  const auto plan = make_moment_plan(file.spec, file.size, common.plan_options());
  std::vector<std::vector<double>> channels;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    auto& pixels = channels.emplace_back(plan->mask().size());
    plan->reconstruct(
        std::span(file.values).subspan(row * file.moment_count(), file.moment_count()), selection,
        pixels);
    if (reference.channels.empty()) continue;
    const auto& original = reference.channels[row].pixels;
    const bool has_windows = file.size.width >= 11;
    print_error(file.rows[row], image_error(original, pixels, plan->mask(), file.range),
                has_windows ? structural_similarity(original, pixels, plan->mask(), file.range)
                            : std::numeric_limits<double>::infinity());
  }
  std::vector<OrderError> curve;
  if (wants_curve) curve = curve_of(options, file, *plan, reference);
  throw_if_interrupted();
  write_square_image(options.out, file.width, file.height, file.size.width, file.range, channels);
  if (wants_curve) write_curve(options, file, curve);
  return ExitCode::kDone;
}

void add_compute(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<ComputeOptions>();
  const auto self = std::make_shared<CLI::App*>(nullptr);
  CLI::App* compute =
      add_command(moments, line, "compute", "Moments of images, each channel by itself",
                  "leafglyph moments compute photo.png --order 500 --out photo.npy",
                  [options, self, &line] { return run_compute(*options, **self, line.common); });
  *self = compute;
  compute
      ->add_option(
          "image", options->images,
          "Image files, or .npy arrays (rows, columns) or (rows, columns, channels), all of one "
          "size and depth")
      ->required();
  compute
      ->add_option("--family", options->family,
                   "zernike, pseudo-zernike, bessel-fourier, legendre, gegenbauer:PARAMETER or "
                   "jacobi:ALPHA:BETA")
      ->capture_default_str();
  compute
      ->add_option("--order", options->order,
                   fmt::format("Highest order; at most {}, bessel-fourier {}", kMaxOrder,
                               kMaxBesselFourierOrder))
      ->capture_default_str();
  auto* exact = compute->add_flag("--exact", options->exact, "The integral over each pixel itself");
  auto* subregions =
      compute->add_option("--subregions", options->subregions, "k x k sub-pixel centres");
  auto* gauss = compute->add_option("--gauss", options->gauss, "k x k Gauss-Legendre points");
  auto* adaptive = compute->add_flag("--adaptive", options->adaptive,
                                     "Gauss-Legendre points, as many as each pixel needs");
  const std::vector<CLI::Option*> methods{exact, subregions, gauss, adaptive};
  for (CLI::Option* one : methods) {
    for (CLI::Option* other : methods) {
      if (one != other) one->excludes(other);
    }
  }
  compute->add_option("--mask", options->mask, kMaskHelp);
  compute->add_flag("--grey", options->grey, "Colour images as one grey channel");
  compute->add_option("--peak", options->peak, kPeakHelp);
  add_output(*compute, line, "--out", options->out, OutputKind::kMoments,
             "F.npy (with F.columns.npy and F.npy.txt beside it) or F.csv")
      ->required();
}

void add_reconstruct(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<ReconstructOptions>();
  CLI::App* reconstruct =
      add_command(moments, line, "reconstruct", "An image from moments, and how close it comes",
                  "leafglyph moments reconstruct photo.npy --out again.png --reference photo.png",
                  [options, &line] { return run_reconstruct(*options, line.common); });
  reconstruct->add_option("moments", options->moments, "F.npy or F.csv of moments compute")
      ->required();
  add_output(*reconstruct, line, "--out", options->out, OutputKind::kFile,
             "Image file to write, of the depth of the original: .png and .npy hold 16-bit, .tiff "
             "and .npy float samples")
      ->required();
  reconstruct->add_option("--peak", options->peak,
                          "White, for PSNR and SSIM, instead of what the moments' header says");
  reconstruct->add_option("--reference", options->reference,
                          "The original: prints PSNR, MSE and SSIM");
  reconstruct->add_option("--orders", options->orders, "Range A:B of orders; all without it");
  reconstruct
      ->add_option("--repetitions", options->repetitions, "all, zero, positive or negative m")
      ->capture_default_str();
  add_output(*reconstruct, line, "--curve", options->curve, OutputKind::kFile,
             "CSV of PSNR against order (first channel)");
  add_output(*reconstruct, line, "--plot", options->plot, OutputKind::kFile,
             "The same as an SVG drawing");
  reconstruct->add_option("--step", options->step, "Orders between the curve's points")
      ->check(whole_number(1, kMaxOrder))
      ->capture_default_str();
}

}  // namespace

CLI::App* add_moments_commands(CLI::App& app, CommandLine& line) {
  CLI::App* moments = app.add_subcommand("moments", "Moments of any image, and images from them");
  moments->require_subcommand(1);
  add_compute(*moments, line);
  add_reconstruct(*moments, line);
  add_tables_command(*moments, line);
  return moments;
}

}  // namespace leafglyph
