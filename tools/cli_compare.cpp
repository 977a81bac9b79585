// `leafglyph moments compare`: families of moments side by side.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "classify/family_comparison.h"
#include "classify/files.h"
#include "tools/cli.h"
#include "tools/moment_images.h"

namespace leafglyph {
namespace {

struct CompareOptions {
  std::string image;
  std::vector<std::string> families = {"zernike", "pseudo-zernike", "bessel-fourier", "legendre"};
  std::vector<std::size_t> counts = {66, 231, 496, 1326, 5151};
  std::string leaves;
  std::string lookalikes;
  std::string csv;
  std::string plot;
};

ExitCode run_compare(const CompareOptions& options, const CommonOptions& common) {
  std::vector<Family> families;
  for (const std::string& name : options.families) families.push_back(family_from_name(name));
  const SquareImage image = read_square_image(options.image, /*grey=*/true);
  auto points = compare_reconstructions(image.channels.front().pixels, image.size, families,
                                        options.counts, common.engine_options());
  if (!options.leaves.empty()) {
    LeafRun run;
    run.engine = common.engine_options();
    run.progress = common.progress_style();
    run.warn = log_warning;
    run.note = log_note;
    add_leaf_accuracy(load_leaf_config(options.leaves), run, points);
  }
  if (!options.lookalikes.empty()) {
    const PairFile file = parse_pairs(read_file(options.lookalikes), options.lookalikes);
    for (const std::string& refused : file.refused) log_warning(refused);
    add_lookalike_recall(GlyphSelection{}, file.pairs, common.engine_options(), points);
  }
  std::cout << comparison_text(points);
  if (!options.csv.empty()) write_file(options.csv, comparison_csv(points));
  if (!options.plot.empty()) {
    write_file(options.plot,
               comparison_svg(points, std::filesystem::path(options.image).filename().string()));
  }
  return ExitCode::kDone;
}

}  // namespace

void add_moment_compare_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* compare = add_command(
      moments, line, "compare",
      "Families at equal numbers of moments: PSNR, times, leaf accuracy, look-alike recall",
      "leafglyph moments compare photo.png --leaves configs/leaf_published.yaml --lookalikes "
      "pairs.txt --csv families.csv --plot families.svg",
      [options, &line] { return run_compare(*options, line.common); });
  compare->add_option("image", options->image, "Image to reconstruct, as grey")->required();
  compare->add_option("--families", options->families, "Families, comma-separated")
      ->delimiter(',')
      ->capture_default_str();
  compare
      ->add_option("--moments", options->counts,
                   "Numbers of moments, both signs of m counted; each family takes the highest "
                   "order that has no more")
      ->delimiter(',')
      ->capture_default_str();
  compare->add_option("--leaves", options->leaves,
                      "Leaf configuration: its accuracy with each family and order");
  compare->add_option("--lookalikes", options->lookalikes,
                      "File of look-alike pairs: the share found among the ten nearest");
  compare->add_option("--csv", options->csv, "The table as CSV");
  compare->add_option("--plot", options->plot, "The table as an SVG drawing");
}

}  // namespace leafglyph
