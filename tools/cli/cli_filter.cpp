// `leafglyph moments filter`: filters colour images through their Bessel-Fourier moments.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/base/files.h"
#include "features/bessel_fourier/moment_filter.h"
#include "features/image/image_quality.h"
#include "features/image_io/image_file.h"
#include "gpu/plans.h"
#include "tools/cli/cli.h"
#include "tools/cli/fourier_filter.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct FilterOptions {
  std::string image;
  std::vector<std::string> filters = {"ilf"};
  std::vector<double> alphas = {0.5};
  std::string domain = "moment";
  int order = 100;
  int subregions = 0;  ///< 0: adaptive points
  double offset = 0.0;
  bool unrounded = false;
  std::string out;
  FigureFiles figures;
  std::optional<double> peak;
};

enum class Domain { kMoment, kFourier };

struct Job {
  Domain domain;
  FilterKind kind;
  double alpha;
};

// One row of the table.
struct Outcome {
  Job job;
  std::vector<FilterPower> channels;
  FilterPower together;
  double psnr = 0.0;  // against the image, over the pixels of the disk and all channels
};

std::string domain_name(Domain domain) { return domain == Domain::kMoment ? "moment" : "fourier"; }

std::vector<Job> jobs_of(const FilterOptions& options) {
  std::vector<Domain> domains;
  if (options.domain != "fourier") domains.push_back(Domain::kMoment);
  if (options.domain != "moment") domains.push_back(Domain::kFourier);
  std::vector<Job> jobs;
  for (const Domain domain : domains) {
    for (const std::string& name : options.filters) {
      for (const double alpha : options.alphas) {
        validate_cutoff(alpha);
        jobs.push_back({domain, from_name<FilterKind>(name), alpha});
      }
    }
  }
  return jobs;
}

// The channels and their moments, which every filter starts from.
struct Source {
  SquareImage image;
  std::unique_ptr<MomentPlan> plan;
  std::vector<std::vector<std::complex<double>>> moments;  // empty if all filters are Fourier ones
};

// Reads the image and makes the plan for its moments.
Source open_source(const FilterOptions& options, std::size_t filters, const CommonOptions& common) {
  SquareImage image = read_square_image(options.image, /*grey=*/std::nullopt, options.peak);
  log_image_notes(options.image, image.notes);
  MomentSpec spec;
  spec.family = Family::kBesselFourier;
  spec.order = options.order;
  if (options.subregions > 0) {
    spec.points = options.subregions;
  } else {
    spec.method = default_method(spec.family);
  }
  validate(spec);
  // The moments of each channel, and an image for each filter.
  const std::size_t transforms = (1 + filters) * image.channels.size();
  auto plan = make_moment_plan(spec, image.size, common.plan_options(spec, image.size, transforms));
  return {std::move(image), std::move(plan), {}};
}

void compute_moments(Source& source) {
  for (const SquareChannel& channel : source.image.channels) {
    throw_if_interrupted();
    auto& moments = source.moments.emplace_back(source.plan->moment_count());
    source.plan->moments(ImageBatch(channel.pixels, 1, source.image.size), moments);
  }
}

// Filters every channel and writes the resulting images to `channels`.
Outcome apply(const Job& job, const Source& source, Rounding rounding,
              std::vector<std::vector<double>>& channels) {
  Outcome outcome{job, {}, {}, 0.0};
  double squares = 0.0;
  for (std::size_t c = 0; c < source.image.channels.size(); ++c) {
    const std::vector<double>& original = source.image.channels[c].pixels;
    std::vector<double>& pixels = channels.emplace_back(original);
    if (job.domain == Domain::kFourier) {
      outcome.channels.push_back(
          filter_frequencies(job.kind, job.alpha, source.image.size, pixels));
    } else {
      auto moments = source.moments[c];
      outcome.channels.push_back(filter_moments(job.kind, job.alpha, source.plan->spec(), moments));
      source.plan->reconstruct(moments, {0, top_order(source.plan->spec())}, pixels);
    }
    outcome.together += outcome.channels.back();
    squares +=
        image_error(original, pixels, source.plan->mask(), source.image.range, rounding).mse_disk;
  }
  const double mean = squares / static_cast<double>(source.image.channels.size());
  outcome.psnr = psnr(mean, source.image.range);
  return outcome;
}

// A single image goes to --out itself. Several go to files in the folder --out, named after their
// filters.
fs::path output_path(const FilterOptions& options, const Job& job, std::size_t jobs,
                     SampleDepth depth) {
  if (jobs == 1) return options.out;
  const std::string extension = depth == SampleDepth::kFloat ? ".tiff" : ".png";
  return fs::path(options.out) / fmt::format("{}_{}_{:g}{}", domain_name(job.domain),
                                             name_of(job.kind), job.alpha, extension);
}

std::string table(const std::vector<Outcome>& outcomes, const SquareImage& image) {
  std::string text = "domain   filter  alpha";
  for (const SquareChannel& channel : image.channels) {
    text += std::string(9 - channel.name.size(), ' ') + channel.name;
  }
  text += " together  PSNR/dB\n";
  for (const Outcome& outcome : outcomes) {
    text += fmt::format("{:<9}{}{:>10.3g}", domain_name(outcome.job.domain),
                        name_of(outcome.job.kind), outcome.job.alpha);
    for (const FilterPower& power : outcome.channels)
      text += fmt::format("{:>9.5f}", power.share());
    text += fmt::format("{:>9.5f}{:>9.2f}\n", outcome.together.share(), outcome.psnr);
  }
  return text;
}

Table shares_of(const std::vector<Outcome>& outcomes, const SquareImage& image) {
  std::string columns = "domain:text filter:text alpha:.6g";
  for (const SquareChannel& channel : image.channels) columns += " share_" + channel.name + ":.9g";
  Table table(columns + " share_together:.9g psnr_disk:.6g");
  for (const Outcome& outcome : outcomes) {
    table.add(domain_name(outcome.job.domain), name_of(outcome.job.kind), outcome.job.alpha);
    for (const FilterPower& power : outcome.channels) table.add(power.share());
    table.add(outcome.together.share(), outcome.psnr);
  }
  return table;
}

ExitCode run_filter(const FilterOptions& options, const CommandLine& line) {
  const std::vector<Job> jobs = jobs_of(options);
  if (jobs.size() == 1) {
    check_image_format(options.out, SampleDepth::k8Bit);
    check_can_write_file(options.out);
  } else {
    check_can_make_folder(options.out);
  }
  Source source = open_source(options, jobs.size(), line.common);
  const SampleDepth depth = source.image.range.depth;
  if (jobs.size() == 1) check_image_format(options.out, depth);
  if (options.domain != "fourier") compute_moments(source);
  throw_if_interrupted();
  if (jobs.size() > 1) make_folder(options.out);
  std::vector<Outcome> outcomes;
  for (const Job& job : jobs) {
    throw_if_interrupted();
    std::vector<std::vector<double>> channels;
    outcomes.push_back(apply(job, source, rounding_of(options.unrounded), channels));
    for (auto& channel : channels) {
      for (double& value : channel) value += options.offset;
    }
    throw_if_interrupted();
    write_square_image(output_path(options, job, jobs.size(), depth), source.image.width,
                       source.image.height, source.image.size, source.image.range, channels);
  }
  throw_if_interrupted();
  line.text() << "share of power kept\n" << table(outcomes, source.image);
  write_figures(options.figures, shares_of(outcomes, source.image));
  return ExitCode::kDone;
}

}  // namespace

void add_moment_filter_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<FilterOptions>();
  CLI::App* filter = add_command(
      moments, line, "filter",
      "Filter images by Bessel-Fourier moments, low-pass or high-pass, each channel by itself",
      "leafglyph moments filter photo.png --filter glf --alpha 0.3 --order 200 --out smooth.png",
      [options, &line] { return run_filter(*options, line); });
  filter->add_option("image", options->image, "Image file, grey or colour")->required();
  takes_list(
      filter->add_option("--filter", options->filters,
                         "ilf, ihf (ideal low-pass, high-pass), glf, ghf (Gaussian); or several"))
      ->capture_default_str();
  takes_list(filter->add_option(
                 "--alpha", options->alphas,
                 "Cut-off, 0 to 1, in units of the order (Fourier: of the width); or several"))
      ->check(finite_number())
      ->capture_default_str();
  filter->add_option("--domain", options->domain, "Domain of the filter; fourier is for comparison")
      ->check(one_of({"moment", "fourier", "both"}))
      ->capture_default_str();
  filter->add_option("--order", options->order, "n <= order, |m| <= order")->capture_default_str();
  filter
      ->add_option("--subregions", options->subregions,
                   "k x k sub-pixel centres; default: adaptive points")
      ->check(whole_number(1, 1'000));
  filter
      ->add_option("--offset", options->offset,
                   "Added before values are clipped to the range of the image's depth; 128 shows "
                   "all of an 8-bit high-pass image")
      ->check(finite_number(-1e12, 1e12))
      ->capture_default_str();
  add_output(*filter, line, "--out", options->out, OutputKind::kImageOrFolder,
             "Image file; for several filters or cut-offs a folder")
      ->required();
  filter->add_option("--peak", options->peak, kPeakHelp);
  filter->add_flag("--unrounded", options->unrounded, kUnroundedHelp);
  add_figure_files(*filter, line, options->figures, "the table");
}

}  // namespace leafglyph
