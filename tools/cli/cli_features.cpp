// `leafglyph features ...`: feature stores for many images.
#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "classify/extraction/extract.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "tools/cli/cli.h"
#include "tools/cli/config_options.h"
#include "tools/cli/option_lists.h"
#include "tools/cli/store_options.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct ExtractOptions {
  ImageInputs inputs;
  ConfigChoice config;
  std::string source_aspect;
  int bits = 0;
  bool every_leaf = false;
  std::string masks;
  std::string family = "zernike";
  int order = 30;
  std::string mask;
  std::string convention = "textbook";
  std::string centre;
  std::string radius;
  int resize = 0;
  std::optional<double> around_mass;
  SmallerRows smaller;
  std::string out;
  std::string shard = "0/1";
  std::int64_t block = std::int64_t{kUsualBlock};
};

bool names_inputs(const ImageInputs& inputs) {
  return !inputs.paths.empty() || !inputs.list.empty() || !inputs.labels.empty();
}

MomentRecipe moment_recipe_of(const ExtractOptions& options) {
  const WeightedFamily family = volume_family_from_text(options.family);
  MomentRecipe recipe;
  recipe.spec.family = family.family;
  recipe.spec.weight = family.weight;
  recipe.spec.order = options.order;
  recipe.spec.convention = convention_from_text(options.convention, options.centre, options.radius);
  recipe.spec.method = default_method(family.family, recipe.spec.convention);
  if (!options.mask.empty()) recipe.spec.mask = from_name<Mask>(options.mask);
  recipe.resize = options.resize;
  if (options.around_mass) {
    if (!(*options.around_mass > 0.0) || *options.around_mass > 10.0) {
      throw UsageError("--around-mass takes a factor above 0 and of at most 10");
    }
    recipe.around_mass = *options.around_mass;
  }
  return recipe;
}

// The configuration for named images, without its own data.
LeafConfig config_for(const ExtractOptions& options) {
  LeafConfig config = load_leaf_config(options.config.file, options.config.settings);
  if (names_inputs(options.inputs)) use_named_photographs(config, 0.0);
  if (const auto aspect = source_aspect(options.source_aspect)) {
    config.data.source_aspect = *aspect;
  }
  if (options.bits > 0) config.data.bits = options.bits;
  return config;
}

void check_extract(const ExtractOptions& options, const CLI::App& command) {
  if (!options.masks.empty() && !is_folder(options.masks)) {
    throw InputError(options.masks + ": there is no such folder of masks");
  }
  if (!options.masks.empty() && options.every_leaf) {
    throw UsageError("give --masks or --every-leaf: a mask says what the parts of an image are");
  }
  if (!options.config.file.empty()) {
    for (const char* name : {"--family", "--order", "--mask", "--convention", "--centre",
                             "--radius", "--resize", "--around-mass"}) {
      if (command.count(name) > 0) {
        throw UsageError(std::string(name) + " applies to moments of whole images; a leaf " +
                         "configuration states its own");
      }
    }
    return;
  }
  for (const char* name : {"--source-aspect", "--bits", "--set", "--every-leaf"}) {
    if (command.count(name) > 0) throw UsageError(std::string(name) + " needs --config");
  }
  if (command.count("--order") == 0) {
    throw UsageError("give --config FILE for leaves, or --family and --order for whole images");
  }
  if (!names_inputs(options.inputs)) {
    throw UsageError("name images, folders of them, --list or --labels");
  }
}

void print_summary(const ExtractOptions& options, const FeatureStore& store,
                   const ExtractionReport& report, const std::string& labelled) {
  const std::size_t missing = store.missing_blocks().size();
  const std::string rows =
      report.rows == report.images ? "" : fmt::format(" {} rows,", report.rows);
  std::cout << fmt::format("{}: {} images,{} {}, {} columns; {} of {} blocks present", options.out,
                           report.images, rows, states_text(report.states),
                           store.header().columns.size(), store.header().blocks() - missing,
                           store.header().blocks())
            << "\n";
  if (!labelled.empty()) std::cout << printable(labelled) << "\n";
  if (report.images == 0) return;
  std::cout << fmt::format("{:.1f} s, {:.1f} images/s; busiest: {}\n", report.seconds,
                           static_cast<double>(report.images) / report.seconds, limit_of(report));
  for (const std::string& line : stage_lines(report)) log_note(line);
}

void show_failures(const ExtractionReport& report) {
  for (const std::string& error : report.errors) print_error(error);
  const auto failed = report.states.find(RowState::kFailed);
  const std::size_t all = failed == report.states.end() ? 0 : failed->second;
  if (all > report.errors.size()) {
    print_error(fmt::format("and {} more rows failed; features export shows why",
                            all - report.errors.size()));
  }
}

// With millions of images, the memory of one image is kept for the next. The C library would
// otherwise return it to the system and request it again, page by page.
void keep_memory() {
  constexpr int kLargestImage = 32 << 20, kKept = 256 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestImage);
  mallopt(M_TRIM_THRESHOLD, kKept);
}

PartRule parts_of(const ExtractOptions& options) {
  if (!options.masks.empty()) return PartRule::kMasks;
  return options.every_leaf ? PartRule::kEveryLeaf : PartRule::kWhole;
}

// The images of the options, and how they become rows.
std::pair<ListedImages, Recipe> images_and_recipe(const ExtractOptions& options) {
  if (options.config.file.empty()) {
    const MomentRecipe moments = moment_recipe_of(options);
    Recipe recipe = moment_recipe(moments, parts_of(options));
    ImageInputs inputs = options.inputs;
    inputs.arrays = is_spherical(moments.spec.family);
    return {list_images(inputs), std::move(recipe)};
  }
  const LeafConfig config = config_for(options);
  ListedImages images;
  if (names_inputs(options.inputs)) {
    images = list_images(options.inputs);
  } else {
    images.list = list_images(load_dataset(config.data));
  }
  return {std::move(images), leaf_recipe(config, config.data.source_aspect, parts_of(options))};
}

// What is said of archives is said once all of them were read.
ExitCode extract(const CommandLine& line, const ExtractOptions& options, const CLI::App& command) {
  check_extract(options, command);
  keep_memory();
  auto [images, recipe] = images_and_recipe(options);
  images.list.use_masks(options.masks);
  if (auto projection = projection_of(options.smaller, recipe.header)) {
    recipe = projected(std::move(recipe), *std::move(projection));
  }
  const StoreRun run{options.out, values_of(options.smaller),
                     static_cast<std::size_t>(options.block), shard_from_text(options.shard)};
  const ExtractionReport report =
      fill_store(images, recipe, run, line.common.plan_options(), line.common.progress_style());
  if (report.blocks_there > 0) {
    log_note(fmt::format("{} blocks were there already", report.blocks_there));
  }
  for (const std::string& warning : images.warnings) log_warning(warning);
  for (const std::string& cut : images.cut) print_error(cut);
  show_failures(report);
  print_summary(options, FeatureStore::open(options.out), report, images.labelled);
  const bool all_used = images.cut.empty() && !report.states.contains(RowState::kFailed);
  return all_used ? ExitCode::kDone : ExitCode::kSomeFailed;
}

void add_extract(CLI::App& features, CommandLine& line) {
  const auto options = std::make_shared<ExtractOptions>();
  const auto self = std::make_shared<CLI::App*>(nullptr);
  CLI::App* command =
      add_command(features, line, "extract",
                  "Compute features of images into a store that several runs can fill together",
                  "leafglyph features extract photographs --config leaf --out leaves.store",
                  [&line, options, self] { return extract(line, *options, **self); });
  *self = command;
  command->add_option("images", options->inputs.paths,
                      "Image files, folders of them with their subfolders, and archives (.tar, "
                      ".tar.gz, .tar.bz2, .tar.xz, .tar.zst, .zip), which are not unpacked; -: a "
                      "tar from standard input; default: the data of the configuration");
  command->add_option(
      "--list", options->inputs.list,
      "File with the path of an image or archive per line; -: standard input. A name ending in "
      ".csv: a table with the column path, perhaps label, and others, which the store keeps. "
      "Without labels an image has that of its folder, if the images are in different ones");
  command->add_option(
      "--labels", options->inputs.labels,
      "CSV with the columns path and label; it also lists the images where none are given. "
      "Default: an image in a subfolder has the subfolder's name as its label");
  add_config_options(*command, options->config,
                     "Leaf configuration, by name or file: preparation, channels and moments");
  add_source_aspect_option(*command, options->source_aspect);
  add_bits_option(*command, options->bits);
  command->add_flag("--every-leaf", options->every_leaf,
                    "A row for each separate part of an image, numbered from the top; labels, "
                    "rulers and stems are rows of state 'not a leaf'");
  command->add_option(
      "--masks", options->masks,
      "Folder with a picture of labels (.png, .tif or .npy: whole numbers, or a palette) for each "
      "image, of the same name and size: a row for each region with a label above 0");
  command
      ->add_option("--family", options->family,
                   "For whole images: " + family_choices() +
                       "; for volumes: zernike-3d, whose norms turning keeps")
      ->capture_default_str();
  command->add_option("--order", options->order, "For whole images: highest order");
  command->add_option("--mask", options->mask, kMaskHelp);
  command
      ->add_option("--convention", options->convention,
                   "For whole images: textbook, mahotas, centrosome or nyxus")
      ->capture_default_str();
  command->add_option(
      "--centre", options->centre,
      "Centre of the unit circle: image, centroid, enclosing or X,Y; default: the convention's");
  command->add_option(
      "--radius", options->radius,
      "Radius of the unit circle: inscribed, shorter, enclosing or a number of pixels; "
      "default: the convention's");
  command
      ->add_option("--resize", options->resize,
                   "For whole images: scale the longer side to this many pixels; default: unscaled")
      ->check(whole_number(2, kMaxSquareSide));
  command->add_option(
      "--around-mass", options->around_mass,
      "FACTOR, for volumes: the ball around the centre of mass, FACTOR times the root "
      "mean square distance of the mass from there, such as 1.8; default: the ball "
      "of the volume");
  add_smaller_rows(*command, options->smaller);
  add_output(*command, line, "--out", options->out, OutputKind::kFolder,
             "Folder of the store; missing blocks are added")
      ->required();
  command
      ->add_option("--shard", options->shard,
                   "I/N, 0 <= I < N: only the blocks I, I + N, I + 2 N, ...; not of standard "
                   "input or a compressed tar")
      ->capture_default_str();
  command->add_option("--block", options->block, "Images per block; a block is written at once")
      ->check(whole_number(1, kMaxBlockInputs))
      ->capture_default_str();
}

}  // namespace

void add_features_commands(CLI::App& app, CommandLine& line) {
  CLI::App* features = app.add_subcommand("features", "Feature stores for collections of images");
  features->require_subcommand(1);
  add_extract(*features, line);
  add_store_commands(*features, line);
}

}  // namespace leafglyph
