// `leafglyph moments compare`: families of moments side by side.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classify/families/family_comparison.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/image_io/image_file.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_ranges.h"

namespace leafglyph {
namespace {

// Those of the highest order of any family.
constexpr std::int64_t kMostMoments = (kMaxOrder + 1LL) * (kMaxOrder + 1LL);

struct CompareOptions {
  std::string image;
  std::vector<std::string> families = {"zernike",       "pseudo-zernike", "bessel-fourier",
                                       "legendre",      "gegenbauer:1",   "jacobi:0.3:0.3",
                                       "jacobi:0.3:0.7"};
  std::vector<std::size_t> counts = {66, 231, 496, 1326, 5151};
  std::vector<int> orders;
  std::string leaves;
  std::string lookalikes;
  std::string csv;
  std::string plot;
  std::optional<double> peak;
};

std::vector<FamilyPoint> points_of(const CompareOptions& options) {
  std::vector<ComparedFamily> families;
  for (const std::string& name : options.families) {
    families.push_back(compared_family_from_name(name));
  }
  return options.orders.empty() ? points_by_count(families, options.counts)
                                : points_by_order(families, options.orders);
}

std::vector<ListedPair> read_pairs(const std::string& path) {
  PairFile file = parse_pairs(read_text_file(path), path);
  for (const std::string& refused : file.refused) log_warning(refused);
  return std::move(file.pairs);
}

LeafRun leaf_run(const CommonOptions& common) {
  LeafRun run;
  run.engine = common.plan_options();
  run.progress = common.progress_style();
  run.warn = log_warning;
  run.note = log_note;
  return run;
}

// Everything is read before anything is computed.
ExitCode run_compare(const CompareOptions& options, const CommonOptions& common) {
  std::vector<FamilyPoint> points = points_of(options);
  std::optional<LeafConfig> leaves;
  if (!options.leaves.empty()) leaves = load_leaf_config(options.leaves);
  std::optional<std::vector<ListedPair>> pairs;
  if (!options.lookalikes.empty()) pairs = read_pairs(options.lookalikes);
  const SquareImage image = read_square_image(options.image, /*grey=*/true, options.peak);

  const PlanOptions engine = common.plan_options();
  add_reconstructions(image.channels.front().pixels, image.size, image.range, engine, points);
  if (leaves) add_leaf_accuracy(*leaves, leaf_run(common), points);
  if (pairs) add_lookalike_recall(GlyphSelection{}, *pairs, engine, points);
  throw_if_interrupted();
  std::cout << comparison_text(points);
  if (!options.csv.empty()) write_file(options.csv, comparison_csv(points));
  if (!options.plot.empty()) {
    const auto against = options.orders.empty() ? PlotAgainst::kMoments : PlotAgainst::kOrder;
    write_file(
        options.plot,
        comparison_svg(points, against, std::filesystem::path(options.image).filename().string()));
  }
  return ExitCode::kDone;
}

}  // namespace

void add_moment_compare_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* compare = add_command(
      moments, line, "compare",
      "Families at equal numbers of moments, or orders: PSNR over the pixels in the disk, times, "
      "leaf accuracy, look-alike recall",
      "leafglyph moments compare photo.png --leaves configs/leaf_published.yaml --lookalikes "
      "pairs.txt --csv families.csv --plot families.svg",
      [options, &line] { return run_compare(*options, line.common); });
  compare->add_option("image", options->image, "Image to reconstruct, as grey")->required();
  compare
      ->add_option("--families", options->families,
                   "Families, comma-separated; gegenbauer:PARAMETER and "
                   "jacobi:ALPHA:BETA among them")
      ->delimiter(',')
      ->capture_default_str();
  auto* counts = compare
                     ->add_option("--moments", options->counts,
                                  "Numbers of moments, both signs of m counted; each family takes "
                                  "the highest order that has no more")
                     ->check(whole_number(1, kMostMoments))
                     ->delimiter(',')
                     ->capture_default_str();
  compare->add_option("--orders", options->orders, "Orders, the same for every family, instead")
      ->delimiter(',')
      ->excludes(counts);
  compare->add_option("--leaves", options->leaves,
                      "Leaf configuration: its accuracy with each family and order");
  compare->add_option("--lookalikes", options->lookalikes,
                      "File of look-alike pairs: the share found among the ten nearest");
  compare->add_option("--peak", options->peak, kPeakHelp);
  add_output(*compare, line, "--csv", options->csv, OutputKind::kFile, "The table as CSV");
  add_output(*compare, line, "--plot", options->plot, OutputKind::kFile,
             "The table as an SVG drawing");
}

}  // namespace leafglyph
