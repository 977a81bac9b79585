// `leafglyph index ...`: nearest neighbours among the rows of feature stores.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "classify/extraction/recipe.h"
#include "classify/index/feature_index.h"
#include "classify/index/index_prediction.h"
#include "datasets/leaf/class_folders.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct BuildOptions {
  std::vector<std::string> stores;
  std::string out;
  std::string type;
  std::int64_t lists = 0;
  double recall = IndexSpec().recall;
  std::string like;
  FigureFiles figures;
};

constexpr const char* kRecallHelp =
    "For ivf: share of the ten nearest rows that a search must find; sets how many lists are "
    "searched";

// What an index is, and the measured recalls.
void print_built(const CommandLine& line, const std::string& folder,
                 const std::vector<ProbeRecall>& recalls, const FigureFiles& figures) {
  const FeatureIndex index = FeatureIndex::open(folder);
  std::ostream& out = line.text();
  out << fmt::format(
      "{}: {} rows of {} columns, {}\n", folder, index.size(), index.header().columns.size(),
      index.type() == IndexType::kFlat
          ? "flat: searched exactly"
          : fmt::format("{} lists, of which {} are searched", index.lists(), index.probes()));
  if (!recalls.empty()) out << "lists searched   recall of the 10 nearest   ms per query\n";
  Table table("lists_searched recall_of_10_nearest:.4f ms_a_query:.3f");
  for (const ProbeRecall& one : recalls) {
    out << fmt::format("{:14}   {:24.4f}   {:10.3f}\n", one.probes, one.recall, 1e3 * one.seconds);
    table.add(one.probes, one.recall, 1e3 * one.seconds);
  }
  write_figures(figures, table);
}

ExitCode build(const CommandLine& line, const BuildOptions& options) {
  std::vector<FeatureStore> stores;
  std::size_t inputs = 0;
  for (const std::string& folder : options.stores) {
    stores.push_back(FeatureStore::open(folder));
    inputs += stores.back().header().inputs;
  }
  IndexSpec spec;
  spec.type = !options.type.empty()     ? from_name<IndexType>(options.type)
              : inputs <= kMostFlatRows ? IndexType::kFlat
                                        : IndexType::kIvf;
  if (spec.type == IndexType::kFlat && options.lists > 0) {
    throw UsageError("--lists applies to --type ivf only");
  }
  spec.lists = static_cast<std::size_t>(options.lists);
  spec.recall = options.recall;
  spec.like = options.like;
  print_built(line, options.out, FeatureIndex::build(stores, spec, options.out), options.figures);
  return ExitCode::kDone;
}

void add_build(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<BuildOptions>();
  CLI::App* command =
      add_command(group, line, "build", "Build an index of the standardised rows of feature stores",
                  "leafglyph index build leaves.store --out leaves.index",
                  [&line, options] { return build(line, *options); });
  command->add_option("stores", options->stores, "Folders written by features extract")->required();
  add_output(*command, line, "--out", options->out, OutputKind::kFolder,
             "Folder to write; an older index is replaced")
      ->required();
  CLI::Option* type = command->add_option(
      "--type", options->type,
      fmt::format("flat: exact; ivf: inverted lists; default: flat up to {} rows", kMostFlatRows));
  CLI::Option* lists =
      command
          ->add_option(
              "--lists", options->lists,
              "For ivf: number of inverted lists; default: the square root of the number of rows")
          ->check(whole_number(1, kMaxCount));
  command
      ->add_option("--like", options->like,
                   "Folder of an index whose units and lists are used, so that both can be parts "
                   "of one index")
      ->excludes(type)
      ->excludes(lists);
  command->add_option("--recall", options->recall, kRecallHelp)
      ->check(finite_number(0.01, 1.0))
      ->capture_default_str();
  add_figure_files(*command, line, options->figures, "recall by lists searched");
}

struct MergeIndexes {
  std::vector<std::string> parts;
  std::string out;
  double recall = IndexSpec().recall;
  FigureFiles figures;
};

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& folders) {
  return {folders.begin(), folders.end()};
}

ExitCode merge_indexes(const CommandLine& line, const MergeIndexes& options) {
  print_built(line, options.out,
              FeatureIndex::merge(paths_of(options.parts), options.recall, options.out),
              options.figures);
  return ExitCode::kDone;
}

void add_merge_indexes(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<MergeIndexes>();
  CLI::App* command =
      add_command(group, line, "merge", "Join parts that were built with --like into one index",
                  "leafglyph index merge first.index second.index --out leaves.index",
                  [&line, options] { return merge_indexes(line, *options); });
  command->add_option("parts", options->parts, "Folders written by index build")->required();
  add_output(*command, line, "--out", options->out, OutputKind::kFolder,
             "Folder to write; an older index is replaced")
      ->required();
  command->add_option("--recall", options->recall, kRecallHelp)
      ->check(finite_number(0.01, 1.0))
      ->capture_default_str();
  add_figure_files(*command, line, options->figures, "recall by lists searched");
}

/// An index on the command line.
struct NamedIndex {
  std::string folder;
  std::vector<std::string> parts;  ///< further ones

  FeatureIndex open() const {
    std::vector<std::string> folders = {folder};
    folders.insert(folders.end(), parts.begin(), parts.end());
    return FeatureIndex::open(paths_of(folders));
  }
};

void add_named_index(CLI::App& command, NamedIndex& index) {
  command.add_option("index", index.folder, "Folder written by index build")->required();
  takes_one_each(command.add_option(
      "--part", index.parts,
      "Another part of the index, built with --like; can be repeated, and is searched, too"));
}

struct IndexInfo {
  NamedIndex index;
  FigureFiles figures;
};

ExitCode index_info(const CommandLine& line, const IndexInfo& options) {
  const FeatureIndex index = options.index.open();
  index.check();
  line.text() << fmt::format(
      "{}: {} rows of {} columns; {} list{}, of which {} {} searched\n"
      "every list and every block of its stores matches its checksum in the index\n",
      options.index.folder, index.size(), index.header().columns.size(), index.lists(),
      index.lists() == 1 ? "" : "s", index.probes(), index.probes() == 1 ? "is" : "are");
  Table table("type:text rows columns lists lists_searched usual_distance:.6g");
  table.add(name_of(index.type()), index.size(), index.header().columns.size(), index.lists(),
            index.probes(), index.usual_distance());
  write_figures(options.figures, table);
  return ExitCode::kDone;
}

void add_index_info(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<IndexInfo>();
  CLI::App* command = add_command(
      group, line, "info", "Check an index and its stores and print what it contains",
      "leafglyph index info leaves.index", [&line, options] { return index_info(line, *options); });
  add_named_index(*command, options->index);
  add_figure_files(*command, line, options->figures, "what it holds");
}

struct SearchOfIndex {
  NamedIndex index;
  std::vector<std::string> images;
  std::int64_t top = 5;
  FigureFiles figures;
};

constexpr std::size_t kImagesPerPart = 64;  // read and computed before any row is used

using UseRow = std::function<void(const std::string& image, std::span<const float> row)>;

// Calls `use` with the row of every part that has one, such as each leaf of an image.
void use_parts(const std::string& image, const MadeRows<float>& made, std::size_t width,
               const UseRow& use) {
  for (std::size_t i = 0; i < made.input.parts.size(); ++i) {
    const Part& part = *made.input.parts[i];
    const PartPlace place = part.place();
    const std::string name = part_name(image, place.number);
    for (const std::string& warning : made.warnings[i]) log_warning(name + ": " + warning);
    if (!part.has_row()) {
      log_note(name + ": is not a leaf: " + place.reason);
      continue;
    }
    use(name, std::span<const float>(made.values).subspan(i * width, width));
  }
}

// Calls `use` with the rows of each readable image.
ExitCode for_each_row(const CommandLine& line, const FeatureIndex& index, const std::string& folder,
                      const std::vector<std::string>& named, const UseRow& use) {
  std::vector<std::string> empty_folders, warnings;
  const Recipe recipe = recipe_of(index.header(), folder);
  const std::vector<std::string> images =
      named_images(named, empty_folders, warnings, holds_volumes(index.header()));
  log_warnings(warnings);
  PlanOptions plan = line.common.plan_options();
  std::string reason;
  plan.device = recipe.rows->device(plan.device, reason);
  if (index.header().device == "cpu") {
    plan.device =
        cpu_only(plan.device,
                 "the rows of " + folder + " were computed on the CPU, and GPUs round differently");
  }
  MakerPool<float> makers(recipe.rows, plan);
  std::size_t failed = empty_folders.size();
  for (const std::string& error : empty_folders) print_error(error);
  for (std::size_t first = 0; first < images.size(); first += kImagesPerPart) {
    const auto part =
        std::span(images).subspan(first, std::min(kImagesPerPart, images.size() - first));
    std::vector<MadeRows<float>> rows;
    run_row_pipeline<float>(
        recipe.images(files_at(part.size(), [&](std::size_t i) { return part[i]; })), makers, {},
        [&](MadeRows<float> made) { rows.push_back(std::move(made)); });
    // Searches after the pipeline has ended, because a search uses every thread.
    for (const MadeRows<float>& made : rows) {
      const std::string& image = part[made.index];
      if (!made.error.empty()) {
        if (images.size() == 1) throw InputError(made.error);
        print_error(made.error);
        ++failed;
        continue;
      }
      use_parts(image, made, index.header().columns.size(), use);
    }
  }
  return failed > 0 ? ExitCode::kSomeFailed : ExitCode::kDone;
}

// Without rows; behind the columns of the index, the fields of the lists that it was made of.
Table hit_table(const FeatureIndex& index) {
  auto columns = table_columns("image:text rank distance:.6g path:text label:text");
  for (const std::string& field : index.header().fields) {
    columns.push_back({field, ColumnType::kText});
  }
  return Table(std::move(columns));
}

ExitCode search(const CommandLine& line, const SearchOfIndex& options) {
  const FeatureIndex index = options.index.open();
  Table table = hit_table(index);
  const ExitCode code = for_each_row(
      line, index, options.index.folder, options.images,
      [&](const std::string& image, std::span<const float> row) {
        const auto hits = index.search(row, static_cast<std::size_t>(options.top)).front();
        line.text() << printable(image) << "\n";
        for (std::size_t i = 0; i < hits.size(); ++i) {
          const IndexHit& hit = hits[i];
          line.text() << fmt::format("  {:10.4f}  {}{}\n", hit.distance, printable(hit.path),
                                     hit.label.empty() ? "" : "  " + printable(hit.label));
          table.add(image, i + 1, hit.distance, hit.path, hit.label);
          for (const std::string& field : hit.fields) table.add(field);
        }
      });
  write_figures(options.figures, table);
  return code;
}

void add_search(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<SearchOfIndex>();
  CLI::App* command = add_command(group, line, "search",
                                  "Find the images of an index that are most similar to others",
                                  "leafglyph index search leaves.index leaf.jpg --top 5",
                                  [&line, options] { return search(line, *options); });
  add_named_index(*command, options->index);
  command->add_option("images", options->images, "Image files, and folders of them")->required();
  command->add_option("--top", options->top, "Images to show per query")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  add_figure_files(*command, line, options->figures, "the predictions");
}

struct ClassifyByIndex {
  NamedIndex index;
  std::vector<std::string> images;
  std::int64_t neighbours = 5;
  FigureFiles figures;
};

ExitCode classify_by_index(const CommandLine& line, const ClassifyByIndex& options) {
  const FeatureIndex index = options.index.open();
  Table table("image:name prediction:name label:name votes distance");
  const ExitCode code = for_each_row(
      line, index, options.index.folder, options.images,
      [&](const std::string& image, std::span<const float> row) {
        const IndexPrediction prediction =
            predict(index, row, static_cast<std::size_t>(options.neighbours));
        const IndexPrediction::Label& first = prediction.ranking.front();
        line.text() << fmt::format("{}\n  {}{}; votes {} of {}\n", printable(image),
                                   prediction.decision.known() ? "" : "unknown; nearest: ",
                                   printable(first.name), first.voters, prediction.voters);
        for (const IndexPrediction::Label& label : prediction.ranking) {
          line.text() << fmt::format("  {:10.4f}  votes {}  {}\n", label.distance, label.voters,
                                     printable(label.name));
        }
        table.add(image, prediction.decision.known() ? first.name : "unknown", first.name,
                  first.voters, fmt::format("{}", first.distance));
      });
  write_figures(options.figures, table);
  return code;
}

void add_classify_by_index(CLI::App& group, CommandLine& line) {
  const auto options = std::make_shared<ClassifyByIndex>();
  CLI::App* command =
      add_command(group, line, "classify", "Classify images by their nearest rows in an index",
                  "leafglyph index classify leaves.index leaf.jpg",
                  [&line, options] { return classify_by_index(line, *options); });
  add_named_index(*command, options->index);
  command->add_option("images", options->images, "Image files, and folders of them")->required();
  command
      ->add_option("--neighbours", options->neighbours,
                   "Number of nearest labelled rows that vote, one vote each")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  add_figure_files(*command, line, options->figures, "the predictions, one line per image");
}

}  // namespace

void add_index_commands(CLI::App& app, CommandLine& line) {
  CLI::App* group =
      app.add_subcommand("index", "Nearest neighbours among millions of feature rows");
  group->require_subcommand(1);
  add_build(*group, line);
  add_merge_indexes(*group, line);
  add_index_info(*group, line);
  add_search(*group, line);
  add_classify_by_index(*group, line);
}

}  // namespace leafglyph
