// `leafglyph moments compare`: compares families of moments.
#include <CLI/CLI.hpp>
#include <filesystem>
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
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

// The number of moments at the highest order of any family.
constexpr std::int64_t kMostMoments = (kMaxOrder + 1LL) * (kMaxOrder + 1LL);

struct CompareOptions {
  std::string image;
  std::vector<std::string> families = {"zernike",       "pseudo-zernike", "bessel-fourier",
                                       "legendre",      "gegenbauer:1",   "jacobi:0.3:0.3",
                                       "jacobi:0.3:0.7"};
  std::vector<int> counts = {66, 231, 496, 1326, 5151};
  std::vector<int> orders;
  ConfigChoice leaves;
  std::string lookalikes;
  std::string grey = std::string(name_of(GreyRule::kRec601));
  FigureFiles figures;
  std::string plot;
  std::optional<double> peak;
};

std::vector<FamilyPoint> points_of(const CompareOptions& options) {
  std::vector<ComparedFamily> families;
  for (const std::string& name : options.families) {
    families.push_back(compared_family_from_name(name));
  }
  const std::vector<std::size_t> counts(options.counts.begin(), options.counts.end());
  return options.orders.empty() ? points_by_count(families, counts)
                                : points_by_order(families, options.orders);
}

std::vector<ListedPair> read_pairs(const std::string& path) {
  PairFile file = parse_pairs(read_text_file(path), path);
  if (!file.note.empty()) log_warning(file.note);
  print_errors(file.refused, "lines of " + path + " that are not pairs");
  return std::move(file.pairs);
}

// Reads everything before anything is computed.
ExitCode run_compare(const CompareOptions& options, const CommandLine& line) {
  std::vector<FamilyPoint> points = points_of(options);
  std::optional<LeafConfig> leaves;
  if (!options.leaves.file.empty()) {
    leaves = load_leaf_config(options.leaves.file, options.leaves.settings);
  } else if (!options.leaves.settings.empty()) {
    throw UsageError("--set changes the configuration that --leaves names; give both");
  }
  std::optional<std::vector<ListedPair>> pairs;
  if (!options.lookalikes.empty()) pairs = read_pairs(options.lookalikes);
  const SquareImage image = read_square_image(options.image, grey_from(options.grey), options.peak);
  log_image_notes(options.image, image.notes);

  const PlanOptions engine = line.common.plan_options();
  add_reconstructions(image.channels.front().pixels, image.size, image.range, engine, points);
  if (leaves) add_leaf_accuracy(*leaves, leaf_run(line), points);
  if (pairs) add_lookalike_recall(GlyphSelection{}, *pairs, engine, points);
  throw_if_interrupted();
  line.text() << comparison_text(points);
  write_figures(options.figures, comparison_table(points));
  if (!options.plot.empty()) {
    const auto against = options.orders.empty() ? PlotAgainst::kMoments : PlotAgainst::kOrder;
    write_output(
        options.plot,
        comparison_svg(points, against, std::filesystem::path(options.image).filename().string()));
  }
  return ExitCode::kDone;
}

}  // namespace

void add_moment_compare_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* compare =
      add_command(moments, line, "compare",
                  "Compare families at equal numbers of moments, or orders: PSNR over the pixels "
                  "in the disk, times, leaf accuracy, look-alike recall",
                  "leafglyph moments compare photo.png --leaves leaf_published --lookalikes "
                  "pairs.txt --csv families.csv --plot families.svg",
                  [options, &line] { return run_compare(*options, line); });
  compare->add_option("image", options->image, "Image to reconstruct, as grey")->required();
  takes_list(compare->add_option("--families", options->families,
                                 "Families, comma-separated; gegenbauer:PARAMETER and "
                                 "jacobi:ALPHA:BETA among them"))
      ->capture_default_str();
  CLI::Option* counts = add_whole_numbers(*compare, "--moments", options->counts, 1, kMostMoments,
                                          "Numbers of moments, counting both signs of m; each "
                                          "family takes the highest order with at most as many");
  add_whole_numbers(*compare, "--orders", options->orders, 0, kMaxJacobiOrder,
                    "Compare at these orders, equal for every family, instead")
      ->excludes(counts);
  compare
      ->add_option("--leaves", options->leaves.file,
                   "Leaf configuration, by name or file: its accuracy with each family and order")
      ->type_name("CONFIG");
  add_set_option(*compare, options->leaves.settings);
  compare->add_option("--lookalikes", options->lookalikes,
                      "File of look-alike pairs: the share found among the ten nearest");
  compare->add_option("--grey-as", options->grey, kGreyHelp)->capture_default_str();
  compare->add_option("--peak", options->peak, kPeakHelp);
  add_figure_files(*compare, line, options->figures, "the table");
  add_output(*compare, line, "--plot", options->plot, OutputKind::kSvg,
             "The table as an SVG drawing");
}

}  // namespace leafglyph
