// `leafglyph leaf generate`, `examples` and `prepare`: leaves to try things with, good and bad
// photographs, and the stages of a preparation.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "classify/leaf/leaf_files.h"
#include "datasets/leaf/example_photographs.h"
#include "features/leaf/preprocess.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"
#include "tools/cli/outputs.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct GenerateOptions {
  std::string out;
  std::string colours = "none";
  SyntheticSpec spec;
};

ExitCode generate(const CommandLine& line, GenerateOptions options) {
  options.spec.colours = from_name<DrawnColours>(options.colours);
  const auto total = static_cast<std::size_t>(options.spec.species) *
                     static_cast<std::size_t>(options.spec.leaves_per_species);
  {
    Progress progress("drawing leaves", total, line.common.progress_style());
    std::size_t before = 0;
    write_synthetic_leaves(options.spec, options.out, [&](std::size_t written) {
      throw_if_interrupted();
      progress.advance(written - before);
      before = written;
    });
  }
  std::cout << total << " leaves of " << options.spec.species << " species in " << options.out
            << ", one folder per species\n";
  return ExitCode::kDone;
}

void add_generate(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<GenerateOptions>();
  CLI::App* command =
      add_command(leaf, line, "generate",
                  "Draw leaves of invented species, one folder of PNG files per species",
                  "leafglyph leaf generate --out leaves --species 32 --leaves 50 --seed 1",
                  [&line, options] { return generate(line, *options); });
  add_output(*command, line, "--out", options->out, OutputKind::kFolder, "Folder to write")
      ->required();
  command->add_option("--species", options->spec.species, "Number of species")
      ->capture_default_str();
  command->add_option("--leaves", options->spec.leaves_per_species, "Leaves per species")
      ->capture_default_str();
  command->add_option("--seed", options->spec.seed, "The same seed draws the same leaves")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  command
      ->add_option("--colours", options->colours,
                   "none: grey photographs; daylight: a colour of its own for each species; lamps: "
                   "light of another colour for each photograph")
      ->capture_default_str();
}

struct ExamplesOptions {
  std::string out;
};

ExitCode examples(const ExamplesOptions& options) {
  write_examples(options.out);
  for (const ExamplePhotograph& example : example_photographs()) {
    std::cout << fmt::format("{:4}  {:18} {}\n", example.is_good ? "good" : "bad", example.name,
                             example.text);
  }
  return ExitCode::kDone;
}

void add_examples(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<ExamplesOptions>();
  CLI::App* command = add_command(
      leaf, line, "examples", "Draw examples of good and bad photographs",
      "leafglyph leaf examples --out examples", [options] { return examples(*options); });
  add_output(*command, line, "--out", options->out, OutputKind::kFolder, "Folder to write")
      ->required();
}

struct PrepareOptions {
  std::vector<std::string> images;
  std::string out;
  std::string geometry = "shape-preserving";
  std::string background = "auto";
  std::string finder = "scene";
  std::string parts;
  std::string petiole = "keep";
  std::string source_aspect;
  PrepareSpec spec;
};

ExitCode prepare(PrepareOptions options) {
  options.spec.geometry = from_name<Geometry>(options.geometry);
  options.spec.background = from_name<Background>(options.background);
  options.spec.finder = from_name<Finder>(options.finder);
  options.spec.petiole = from_name<Petiole>(options.petiole);
  options.spec.source_aspect = source_aspect(options.source_aspect).value_or(0.0);
  if (options.spec.geometry == Geometry::kPublished) options.spec.parts = published_spec().parts;
  if (!options.parts.empty()) options.spec.parts = from_name<LeafParts>(options.parts);
  validate(options.spec);
  const std::vector<fs::path> images(options.images.begin(), options.images.end());
  const std::vector<std::string> stems = distinct_stems(images);
  bool failed = false;
  for (std::size_t i = 0; i < images.size(); ++i) {
    throw_if_interrupted();
    const std::string& image = options.images[i];
    try {
      StageFiles stages(options.out, stems[i]);
      const PreparedLeaf leaf = prepare_file(images[i], options.spec, &stages);
      for (const std::string& warning : leaf.warnings) log_warning(image + ": " + warning);
      for (const std::string& note : leaf.notes) log_note(image + ": " + note);
      std::cout << image << ": stages written to " << (fs::path(options.out) / stems[i]).string()
                << "-*.png\n";
    } catch (const InputError& error) {
      if (options.images.size() == 1) throw;
      print_error(error.what());
      failed = true;
    }
  }
  return failed ? ExitCode::kSomeFailed : ExitCode::kDone;
}

void add_prepare(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<PrepareOptions>();
  CLI::App* command = add_command(
      leaf, line, "prepare", "Write each stage of the preparation of photographs as an image",
      "leafglyph leaf prepare photo.jpg --out stages", [options] { return prepare(*options); });
  command->add_option("images", options->images, "Photographs")->required();
  add_output(*command, line, "--out", options->out, OutputKind::kFolder,
             "Output folder; photographs with the same name get their folder's name as a prefix")
      ->required();
  command->add_option("--geometry", options->geometry, "shape-preserving or published")
      ->capture_default_str();
  command->add_option("--background", options->background, "light, dark or auto")
      ->capture_default_str();
  command
      ->add_option(
          "--finder", options->finder,
          "scene: leaves out frames, rulers and charts, evens out the light and uses colour; "
          "best: as in 0.2.0, without the first; threshold: Otsu's threshold alone, "
          "which needs --background")
      ->capture_default_str();
  command->add_option("--parts", options->parts,
                      "largest: the largest part is the leaf; leaf: with its leaflets; together: "
                      "all that may be leaves; all: "
                      "everything that stands out. Default: largest, or all with --geometry "
                      "published");
  command
      ->add_option("--petiole", options->petiole,
                   "keep, or cut: remove the stalk, the longest thin part of uniform width")
      ->capture_default_str();
  command->add_option("--size", options->spec.size, "Width and height of the prepared image")
      ->capture_default_str();
  command->add_option("--area", options->spec.area, "Area of the prepared leaf, in pixels")
      ->capture_default_str();
  add_source_aspect_option(*command, options->source_aspect);
  add_bits_option(*command, options->spec.bits);
}

}  // namespace

void add_leaf_data_commands(CLI::App& leaf, CommandLine& line) {
  add_generate(leaf, line);
  add_examples(leaf, line);
  add_prepare(leaf, line);
}

}  // namespace leafglyph
