// `leafglyph index ...`: nearest neighbours among the rows of feature stores.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "classify/extraction/recipe.h"
#include "classify/index/feature_index.h"
#include "features/base/utf8.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_ranges.h"

namespace leafglyph {
namespace {

struct BuildOptions {
  std::vector<std::string> stores;
  std::string out;
  std::string type;
  std::int64_t lists = 0;
  double recall = IndexSpec().recall;
};

ExitCode build(const BuildOptions& options) {
  std::vector<FeatureStore> stores;
  std::size_t inputs = 0;
  for (const std::string& folder : options.stores) {
    stores.push_back(FeatureStore::open(folder));
    inputs += stores.back().header().inputs;
  }
  IndexSpec spec;
  spec.type = !options.type.empty()     ? index_type_from_name(options.type)
              : inputs <= kMostFlatRows ? IndexType::kFlat
                                        : IndexType::kIvf;
  if (spec.type == IndexType::kFlat && options.lists > 0) {
    throw UsageError("--lists is of --type ivf");
  }
  spec.lists = static_cast<std::size_t>(options.lists);
  spec.recall = options.recall;
  const std::vector<ProbeRecall> recalls = FeatureIndex::build(stores, spec, options.out);
  const FeatureIndex index = FeatureIndex::open(options.out);
  std::cout << fmt::format(
      "{}: {} rows of {} columns, {}\n", options.out, index.size(), index.header().columns.size(),
      index.type() == IndexType::kFlat
          ? "flat: searched exactly"
          : fmt::format("{} lists, of which {} are searched", index.lists(), index.probes()));
  if (recalls.empty()) return ExitCode::kDone;
  std::cout << "lists searched   recall of the 10 nearest   ms a query\n";
  for (const ProbeRecall& one : recalls) {
    std::cout << fmt::format("{:14}   {:24.4f}   {:10.3f}\n", one.probes, one.recall,
                             1e3 * one.seconds);
  }
  return ExitCode::kDone;
}

void add_build(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<BuildOptions>();
  CLI::App* command = add_command(
      group, line, "build", "An index of the rows of feature stores, their columns standardised",
      "leafglyph index build leaves.store --out leaves.index",
      [options] { return build(*options); });
  command->add_option("stores", options->stores, "Folders of features extract")->required();
  command->add_option("--out", options->out, "Folder to write; an older index is replaced")
      ->required();
  command->add_option("--type", options->type,
                      fmt::format("flat: exact; ivf: inverted lists; without it flat up to {} rows",
                                  kMostFlatRows));
  command
      ->add_option("--lists", options->lists,
                   "Of ivf: inverted lists; without it the square root of the number of rows")
      ->check(whole_number(1, 1'000'000));
  command
      ->add_option("--recall", options->recall,
                   "Of ivf: share of the ten nearest rows that a search has to find; as many lists "
                   "are searched as that takes")
      ->check(finite_number(0.01, 1.0))
      ->capture_default_str();
}

struct SearchOptions {
  std::string index;
  std::vector<std::string> images;
  std::int64_t top = 5;
};

// The row of one image, or why there is none.
std::vector<float> row_of(const Recipe& recipe, RowMaker& maker, const std::string& image) {
  StageLoad load;
  const auto prepared = recipe.prepare(image, load);
  std::vector<std::string> warnings;
  const PreparedImage* const one = prepared.get();
  auto row = maker.rows({&one, 1}, {&warnings, 1}, load);
  for (const std::string& warning : warnings) log_warning(image + ": " + warning);
  return row;
}

ExitCode search(const CommandLine& line, const SearchOptions& options) {
  const FeatureIndex index = FeatureIndex::open(options.index);
  const auto recipe = recipe_of(index.header(), options.index);
  PlanOptions plan = line.common.plan_options();
  if (index.header().device == "cpu") plan.device = {DeviceChoice::Kind::kCpu, 0};
  const auto maker = recipe->make_row_maker(plan);
  std::size_t failed = 0;
  for (const std::string& image : options.images) {
    throw_if_interrupted();
    try {
      const auto hits =
          index.search(row_of(*recipe, *maker, image), static_cast<std::size_t>(options.top));
      std::cout << printable(image) << "\n";
      for (const IndexHit& hit : hits.front()) {
        std::cout << fmt::format("  {:10.4f}  {}{}\n", hit.distance, printable(hit.path),
                                 hit.label.empty() ? "" : "  " + printable(hit.label));
      }
    } catch (const InputError& error) {
      if (options.images.size() == 1) throw;
      print_error(error.what());
      ++failed;
    }
  }
  return failed > 0 ? ExitCode::kSomeFailed : ExitCode::kDone;
}

void add_search(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<SearchOptions>();
  CLI::App* command =
      add_command(group, line, "search", "The images of an index that are most like others",
                  "leafglyph index search leaves.index leaf.jpg --top 5",
                  [&line, options] { return search(line, *options); });
  command->add_option("index", options->index, "Folder of index build")->required();
  command->add_option("images", options->images, "Image files")->required();
  command->add_option("--top", options->top, "Images to show for each")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
}

}  // namespace

void add_index_commands(CLI::App& app, CommandLine& line) {
  CLI::App* group =
      app.add_subcommand("index", "Nearest neighbours among millions of feature rows");
  group->require_subcommand(1);
  add_build(*group, line);
  add_search(*group, line);
}

}  // namespace leafglyph
