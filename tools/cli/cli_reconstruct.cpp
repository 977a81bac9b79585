// `leafglyph moments reconstruct`: reconstructs images from moments and measures the error.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "classify/page/svg_plot.h"
#include "features/base/limits.h"
#include "features/image/image_quality.h"
#include "features/image_io/image_file.h"
#include "features/moments/moment_file.h"
#include "features/plan/error_curve.h"
#include "gpu/plans.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct ReconstructOptions {
  std::string moments;
  std::string out;
  std::string reference;
  std::string orders;
  std::string repetitions = "all";
  std::string grey = std::string(name_of(GreyRule::kRec601));
  bool unrounded = false;
  std::string curve;
  std::string plot;
  FigureFiles figures;
  int step = 10;
  double gain = 1.0;
  double offset = 0.0;
  std::optional<double> peak;
};

std::string decimal(double value, int digits) {
  if (std::isinf(value)) return "inf";
  return fmt::format("{:.{}f}", value, digits);
}

// The orders given by --orders. "20:" ends at the highest order, ":20" begins at 0.
std::vector<int> chosen_orders(std::string text, int highest) {
  if (text.empty()) text = ":";
  if (text.front() == ':') text.insert(0, "0");
  if (text.back() == ':') text += std::to_string(highest);
  try {
    return whole_numbers(text, 0, highest);
  } catch (const UsageError& error) {
    throw UsageError("--orders: " + std::string(error.what()) +
                     fmt::format("; the file has orders 0 to {}", highest));
  }
}

// Keeps the moments of the chosen orders and returns the range that contains these.
MomentSelection choose_orders(const ReconstructOptions& options, MomentFile& file) {
  const std::vector<int> orders = chosen_orders(options.orders, file.spec.order);
  const std::set<int> chosen(orders.begin(), orders.end());
  const std::vector<MomentIndex> indices = moment_indices(file.spec);
  for (std::size_t i = 0; i < file.values.size(); ++i) {
    const int order = order_of(file.spec.family, indices[i % indices.size()]);
    if (!chosen.contains(order)) file.values[i] = 0.0;
  }
  return {*chosen.begin(), *chosen.rbegin(), from_name<Repetitions>(options.repetitions)};
}

SquareImage read_reference(const ReconstructOptions& options, const MomentFile& file) {
  const Grey rule = grey_from(options.grey);
  SquareImage reference = read_square_image(
      options.reference, file.rows.size() == 1 ? std::optional(rule) : std::nullopt,
      file.range.peak);
  log_image_notes(options.reference, reference.notes);
  if (reference.width != file.width || reference.height != file.height) {
    throw UsageError(
        fmt::format("{} has {} x {} pixels, but {} holds moments of {} x {}; give the image that "
                    "they were computed from",
                    options.reference, reference.width, reference.height, options.moments,
                    file.width, file.height));
  }
  if (reference.range.depth != file.range.depth) {
    throw UsageError(options.reference + " has " + std::string(name_of(reference.range.depth)) +
                     " samples, but " + options.moments + " holds moments of " +
                     std::string(name_of(file.range.depth)) +
                     " ones; give the image that they were computed from");
  }
  if (reference.channels.size() != file.rows.size()) {
    throw UsageError(fmt::format("{} has {} channels, but {} holds {} rows", options.reference,
                                 reference.channels.size(), options.moments, file.rows.size()));
  }
  return reference;
}

// One row of the printed table and of --csv.
struct RowError {
  std::string row;
  ImageError error;
  std::optional<double> similarity;
};

// On the square every pixel counts, so there is no separate figure for the disk.
std::string errors_text(const std::vector<RowError>& rows, Family family) {
  std::string text;
  for (const auto& [row, error, similarity] : rows) {
    const std::string psnr = decimal(error.psnr_whole, 2), mse = decimal(error.mse_whole, 4);
    text += is_circular(family)
                ? fmt::format(
                      "{}: PSNR {} dB whole image, {} dB disk only; MSE {} whole image, {} disk "
                      "only",
                      row, psnr, decimal(error.psnr_disk, 2), mse, decimal(error.mse_disk, 4))
                : fmt::format("{}: PSNR {} dB; MSE {}", row, psnr, mse);
    text += similarity ? "; SSIM " + decimal(*similarity, 4) + "\n" : "\n";
  }
  return text;
}

Table errors_table(const std::vector<RowError>& rows) {
  Table table("row:text psnr_whole:.6g psnr_disk:.6g mse_whole:.9g mse_disk:.9g ssim:.6g");
  for (const auto& [row, error, similarity] : rows) {
    table.add(row, error.psnr_whole, error.psnr_disk, error.mse_whole, error.mse_disk, similarity);
  }
  return table;
}

// The error over all channels, from the mean of their mean squared errors.
ImageError together(const std::vector<ImageError>& channels, const SampleRange& range) {
  ImageError error;
  for (const ImageError& channel : channels) {
    error.mse_whole += channel.mse_whole / static_cast<double>(channels.size());
    error.mse_disk += channel.mse_disk / static_cast<double>(channels.size());
  }
  error.psnr_whole = psnr(error.mse_whole, range);
  error.psnr_disk = psnr(error.mse_disk, range);
  return error;
}

std::string curve_plot(const std::vector<OrderError>& curve, const MomentFile& file) {
  Plot plot;
  plot.title = file.rows.front() + ", " + describe(file.spec);
  plot.x_label = "order";
  plot.y_label = "PSNR in dB";
  plot.series = {{"whole image", {}, false}};
  const bool has_disk = is_circular(file.spec.family);
  if (has_disk) plot.series.push_back({"disk only", {}, false});
  for (const OrderError& point : curve) {
    const double order = point.order;
    if (!std::isfinite(point.error.psnr_whole)) continue;
    plot.series[0].points.push_back({order, point.error.psnr_whole, {}, {}});
    if (has_disk) plot.series[1].points.push_back({order, point.error.psnr_disk, {}, {}});
  }
  return svg_plot(plot);
}

// The curve of the first row over the orders 0, step, 2 step, ... and the last order.
std::vector<OrderError> curve_of(const ReconstructOptions& options, const MomentFile& file,
                                 MomentPlan& plan, const SquareImage& reference) {
  std::vector<int> orders;
  for (int order = 0; order < file.spec.order; order += options.step) orders.push_back(order);
  orders.push_back(file.spec.order);
  std::vector<double> image(reference.channels.front().pixels.size());
  return error_by_order(plan, std::span(file.values).first(file.moment_count()),
                        reference.channels.front().pixels, orders, image, file.range,
                        rounding_of(options.unrounded));
}

void write_curve(const ReconstructOptions& options, const MomentFile& file,
                 const std::vector<OrderError>& curve) {
  if (!options.curve.empty()) write_output(options.curve, error_curve_csv(curve));
  if (!options.plot.empty()) {
    write_output(options.plot, curve_plot(curve, file));
  }
}

// A plan that can reconstruct images.
std::unique_ptr<MomentPlan> plan_for(const ReconstructOptions& options, const MomentFile& file,
                                     const CommandLine& line) {
  try {
    auto plan = make_moment_plan(file.spec, file.size,
                                 line.common.plan_options(file.spec, file.size, file.rows.size()));
    plan->prepare(MomentPlan::Direction::kImages);
    return plan;
  } catch (const UsageError& error) {
    throw UsageError(options.moments + ": " + error.what());
  }
}

ExitCode run_reconstruct(const ReconstructOptions& options, const CommandLine& line) {
  MomentFile file = read_moment_file(options.moments);
  if (file.size.width != file.size.height || file.size.is_volume()) {
    throw UsageError(options.moments + " holds moments of " + describe(file.size) +
                     " values; moments volume --from takes them");
  }
  if (options.peak) file.range.peak = *options.peak;
  validate(file.range);
  check_image_format(options.out, file.range.depth);
  if (file.rows.size() != 1 && file.rows.size() != 3) {
    throw UsageError(fmt::format(
        "{} holds {} rows; reconstruct files of one grey (1 row) or colour (3 rows) image",
        options.moments, file.rows.size()));
  }
  const bool wants_curve = !options.curve.empty() || !options.plot.empty();
  if (wants_curve && options.reference.empty()) {
    throw UsageError("--curve and --plot need an image to compare with; give it with --reference");
  }
  const bool wants_figures = !options.figures.json.empty() || !options.figures.csv.empty();
  if (wants_figures && options.reference.empty()) {
    throw UsageError("--json and --csv need an image to compare with; give it with --reference");
  }
  SquareImage reference;
  if (!options.reference.empty()) reference = read_reference(options, file);
  const auto plan = plan_for(options, file, line);
  std::vector<OrderError> curve;
  if (wants_curve) curve = curve_of(options, file, *plan, reference);
  const MomentSelection selection = choose_orders(options, file);
  std::vector<std::vector<double>> channels;
  std::vector<ImageError> errors;
  std::vector<RowError> rows;
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    auto& pixels = channels.emplace_back(plan->mask().size());
    plan->reconstruct(
        std::span(file.values).subspan(row * file.moment_count(), file.moment_count()), selection,
        pixels);
    if (reference.channels.empty()) continue;
    const auto& original = reference.channels[row].pixels;
    const bool has_windows = file.size.width >= 11;
    const Rounding rounding = rounding_of(options.unrounded);
    errors.push_back(image_error(original, pixels, plan->mask(), file.range, rounding));
    rows.push_back(
        {file.rows[row], errors.back(),
         has_windows ? structural_similarity(original, pixels, plan->mask(), file.range, rounding)
                     : std::numeric_limits<double>::infinity()});
  }
  if (errors.size() > 1) rows.push_back({"together", together(errors, file.range), {}});
  line.text() << errors_text(rows, file.spec.family);
  for (auto& pixels : channels) {
    for (double& value : pixels) value = options.gain * value + options.offset;
  }
  throw_if_interrupted();
  write_square_image(options.out, file.width, file.height, file.size.width, file.range, channels);
  if (wants_figures) write_figures(options.figures, errors_table(rows));
  if (wants_curve) write_curve(options, file, curve);
  return ExitCode::kDone;
}

}  // namespace

void add_reconstruct_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<ReconstructOptions>();
  CLI::App* reconstruct = add_command(
      moments, line, "reconstruct", "Reconstruct an image from moments and measure the error",
      "leafglyph moments reconstruct photo.npy --out again.png --reference photo.png",
      [options, &line] { return run_reconstruct(*options, line); });
  reconstruct->add_option("moments", options->moments, "F.npy or F.csv written by moments compute")
      ->required();
  add_output(*reconstruct, line, "--out", options->out, OutputKind::kImage,
             "Image file to write, with the depth of the original: .png and .npy can store 16-bit, "
             ".tiff and .npy float samples")
      ->required();
  reconstruct->add_option(
      "--peak", options->peak,
      "Value of white for PSNR and SSIM; default: what the header of the moments says");
  reconstruct->add_option("--reference", options->reference,
                          "The original: prints PSNR, MSE and SSIM");
  reconstruct->add_option("--grey-as", options->grey, std::string("Of the original. ") + kGreyHelp)
      ->capture_default_str();
  reconstruct->add_flag("--unrounded", options->unrounded, kUnroundedHelp);
  reconstruct->add_option("--orders", options->orders,
                          "Orders to use: 0:40, 20:, 5,10 or 0:40:2; default: all");
  reconstruct
      ->add_option("--repetitions", options->repetitions,
                   "all, zero, positive, negative, nonnegative or nonpositive m")
      ->capture_default_str();
  reconstruct
      ->add_option("--gain", options->gain,
                   "Factor for the written values, to show faint ranges of high orders; the "
                   "printed errors are those without it")
      ->check(finite_number(-1e12, 1e12))
      ->capture_default_str();
  reconstruct
      ->add_option("--offset", options->offset,
                   "Added to the written values; 128 makes negative values visible in 8 bits")
      ->check(finite_number(-1e12, 1e12))
      ->capture_default_str();
  add_figure_files(*reconstruct, line, options->figures, "PSNR, MSE and SSIM");
  add_output(*reconstruct, line, "--curve", options->curve, OutputKind::kCsv,
             "CSV of PSNR against order (first channel)");
  add_output(*reconstruct, line, "--plot", options->plot, OutputKind::kSvg,
             "The same as an SVG drawing");
  reconstruct
      ->add_option("--step", options->step, "Step in order from one point of the curve to the next")
      ->check(whole_number(1, kMaxOrder))
      ->capture_default_str();
}

}  // namespace leafglyph
