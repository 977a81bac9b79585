// `leafglyph features info, report, export, merge and compact`: what is done with a feature store.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "classify/extraction/recipe.h"
#include "classify/extraction/store_files.h"
#include "classify/index/compact_store.h"
#include "classify/leaf_report/store_report.h"
#include "features/base/text.h"
#include "tools/cli/cli.h"
#include "tools/cli/store_options.h"

namespace leafglyph {
namespace {

struct StoreInfoOptions {
  std::string folder;
  FigureFiles figures;
};

// One row.
Table info_table(const StoreHeader& header, const StoreContents& contents) {
  Table table(
      "kind:text columns convention:text device:text inputs classes block blocks "
      "blocks_there rows failed warned parts:text ok cut overlapping not_a_leaf "
      "empty values:text projected:text");
  table.add(header.kind, header.columns.size(), header.convention, header.device, header.inputs,
            header.classes.size(), header.block, header.blocks(), contents.blocks, contents.rows,
            count_of(contents.states, RowState::kFailed), contents.warned, name_of(header.parts));
  for (const RowState state : {RowState::kOk, RowState::kCut, RowState::kOverlapping,
                               RowState::kNotALeaf, RowState::kEmpty}) {
    table.add(count_of(contents.states, state));
  }
  table.add(name_of(header.values), header.projection.empty() ? "no" : "yes");
  return table;
}

ExitCode store_info(const CommandLine& line, const StoreInfoOptions& options) {
  const FeatureStore store = FeatureStore::open(options.folder);
  const StoreHeader& header = store.header();
  const StoreContents contents = contents_of(store);
  std::ostream& out = line.text();
  out << fmt::format("{}: {} features, {} columns, {} to {}\n", options.folder, header.kind,
                     header.columns.size(), header.columns.front(), header.columns.back());
  if (header.kind == "moments") {
    const MomentRecipe recipe = parse_moment_recipe(header.settings, options.folder);
    out << fmt::format("of {}, {}\n", describe(recipe.spec),
                       recipe.resize > 0 ? fmt::format("images of {0} x {0}", recipe.resize)
                                         : "images of their own size");
  }
  if (!header.projection.empty()) out << "projected onto directions of a model\n";
  out << fmt::format("convention {}, computed on {}, {}\n", header.convention, header.device,
                     name_of(header.values));
  out << fmt::format("{} of {}; blocks of {}: {}\n", counted(header.inputs, "input", "inputs"),
                     counted(header.classes.size(), "class", "classes"),
                     counted(header.block, "input", "inputs"), header.blocks());
  out << fmt::format(
      "{} rows present, {}, {} with warnings; {} blocks missing{}\n", contents.rows,
      states_text(contents.states), contents.warned, header.blocks() - contents.blocks,
      contents.blocks == header.blocks() ? ""
                                         : fmt::format(", the first {}", contents.first_missing));
  write_figures(options.figures, info_table(header, contents));
  return ExitCode::kDone;
}

void add_store_info(CLI::App& features, CommandLine& line) {
  const auto options = std::make_shared<StoreInfoOptions>();
  CLI::App* command =
      add_command(features, line, "info", "Show what a store contains and what is missing",
                  "leafglyph features info leaves.store",
                  [&line, options] { return store_info(line, *options); });
  command->add_option("store", options->folder, "Folder written by features extract")->required();
  add_figure_files(*command, line, options->figures, "what it holds");
}

struct ReportOptions {
  std::string folder, out;
};

ExitCode report(const CommandLine& line, const ReportOptions& options) {
  const PageValues report = store_document(FeatureStore::open(options.folder));
  write_output(options.out, html_store_report(report));
  States states;
  for (const auto& [state, rows] : report["states"].items()) {
    states[from_name<RowState>(state)] = rows;
  }
  line.text() << options.out << ": " << report["rows"] << " rows of " << report["inputs"]
              << " inputs, " << states_text(states) << "; " << report["same_files"]
              << (report["same_files"] == 1 ? " file" : " files") << " more than once\n";
  return ExitCode::kDone;
}

void add_report(CLI::App& features, CommandLine& line) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = add_command(
      features, line, "report",
      "Write a page about a store: reasons with pictures, unusual rows, files that occur twice",
      "leafglyph features report leaves.store --out leaves.html",
      [&line, options] { return report(line, *options); });
  command->add_option("store", options->folder, "Folder written by features extract")->required();
  add_output(*command, line, "--out", options->out, OutputKind::kHtml,
             "Page to write; its pictures are from the files of the inputs, where they still are")
      ->required();
}

struct ExportOptions {
  std::string store, csv, npz, parquet;
};

ExitCode export_store(const CommandLine& line, const ExportOptions& options) {
  using Export = std::size_t (*)(const FeatureStore&, const std::filesystem::path&);
  const std::array<std::pair<const std::string*, Export>, 3> files = {{
      {&options.csv, &export_csv},
      {&options.npz, &export_npz},
      {&options.parquet, &export_parquet},
  }};
  if (std::ranges::all_of(files, [](const auto& file) { return file.first->empty(); })) {
    throw UsageError("give --csv, --npz or --parquet");
  }
  const FeatureStore store = FeatureStore::open(options.store);
  for (const auto& [file, write] : files) {
    if (file->empty()) continue;
    const bool to_output = *file == "-";
    const std::size_t rows = write(store, to_output ? "/dev/stdout" : *file);
    if (to_output) continue;
    line.text() << fmt::format("{}: {} rows of {} columns\n", *file, rows,
                               store.header().columns.size());
  }
  return ExitCode::kDone;
}

void add_export(CLI::App& features, CommandLine& line) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      add_command(features, line, "export", "Export a store as a table or as arrays",
                  "leafglyph features export leaves.store --parquet leaves.parquet",
                  [&line, options] { return export_store(line, *options); });
  command->add_option("store", options->store, "Folder written by features extract")->required();
  add_output(*command, line, "--csv", options->csv, OutputKind::kCsv,
             "Write a table, one line per row; -: to standard output");
  add_output(
      *command, line, "--npz", options->npz, OutputKind::kNpz,
      "Write arrays for numpy.load: features, columns, paths, labels, states, parts and boxes");
  add_output(
      *command, line, "--parquet", options->parquet, OutputKind::kParquet,
      "Write a table for DuckDB, Spark, Polars and pandas (Apache Parquet), with the SHA-256 "
      "of each file");
}

struct MergeOptions {
  std::vector<std::string> stores;
  std::string out;
};

ExitCode merge(const MergeOptions& options) {
  std::vector<FeatureStore> stores;
  for (const std::string& folder : options.stores) stores.push_back(FeatureStore::open(folder));
  merge_stores(stores, options.out);
  const FeatureStore merged = FeatureStore::open(options.out);
  std::cout << fmt::format("{}: {} inputs of {} stores, {} blocks\n", options.out,
                           merged.header().inputs, stores.size(), merged.header().blocks());
  return ExitCode::kDone;
}

void add_merge(CLI::App& features, CommandLine& line) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App* command =
      add_command(features, line, "merge", "Merge complete stores of the same features into one",
                  "leafglyph features merge april.store may.store --out spring.store",
                  [options] { return merge(*options); });
  command->add_option("stores", options->stores, "Folders written by features extract")->required();
  add_output(*command, line, "--out", options->out, OutputKind::kFolder,
             "Folder to write; an older store is replaced")
      ->required();
}

struct CompactOptions {
  std::string store;
  SmallerRows smaller;
  std::string out;
  FigureFiles figures;
};

Table compact_table(const CompactReport& report) {
  Table table(
      "rows bytes_before bytes compared queries same_nearest:.4f kept_of_10:.4f "
      "labelled same_label_before:.4f same_label:.4f correlation:.6f "
      "median_change:.6g change_of_95:.6g");
  table.add(report.rows, report.before.bytes, report.after.bytes, report.compared, report.queries,
            report.same_nearest, report.kept, report.labelled, report.before.same_label,
            report.after.same_label, report.correlation, report.median_change, report.usual_change);
  return table;
}

std::string compact_text(const CompactReport& report) {
  constexpr double kMega = 1e6, kPercent = 100;
  std::string text = fmt::format(
      "{:.2f} MB instead of {:.2f} MB\n"
      "{} rows as queries among {}: {:.1f} % keep their nearest row, {:.1f} % of the {} nearest "
      "stay\n",
      static_cast<double>(report.after.bytes) / kMega,
      static_cast<double>(report.before.bytes) / kMega, report.queries, report.compared,
      kPercent * report.same_nearest, kPercent * report.kept, CompactReport::kNearest);
  if (report.labelled > 0) {
    text += fmt::format("nearest row of the same label: {:.1f} %, before {:.1f} %\n",
                        kPercent * report.after.same_label, kPercent * report.before.same_label);
  }
  text += fmt::format("correlation of the distances: {:.6f}", report.correlation);
  if (report.median_change) {
    text += fmt::format("; nearest ones change by {:.4f} %, 95 % of them by less than {:.4f} %",
                        kPercent * *report.median_change, kPercent * *report.usual_change);
  }
  return text + "\n";
}

ExitCode compact(const CommandLine& line, const CompactOptions& options) {
  const FeatureStore store = FeatureStore::open(options.store);
  const CompactSpec spec{projection_of(options.smaller, store.header()),
                         values_of(options.smaller)};
  if (!spec.projection && spec.values == store.header().values) {
    throw UsageError("nothing would become smaller; give --values float16, --projection, or both");
  }
  const CompactReport report = compact_store(store, spec, options.out);
  const StoreHeader header = FeatureStore::open(options.out).header();
  line.text() << fmt::format("{}: {} rows of {} columns, {}: ", options.out, report.rows,
                             header.columns.size(), name_of(header.values))
              << compact_text(report);
  write_figures(options.figures, compact_table(report));
  return ExitCode::kDone;
}

void add_compact(CLI::App& features, CommandLine& line) {
  const auto options = std::make_shared<CompactOptions>();
  CLI::App* command =
      add_command(features, line, "compact",
                  "Write a complete store in fewer bytes and measure what that changes",
                  "leafglyph features compact leaves.store --values float16 --out small.store",
                  [&line, options] { return compact(line, *options); });
  command
      ->add_option("store", options->store,
                   "Folder written by features extract; with --projection of leaves that the model "
                   "was not trained on, so that the figures hold for others")
      ->required();
  add_smaller_rows(*command, options->smaller);
  add_output(*command, line, "--out", options->out, OutputKind::kFolder,
             "Folder to write; an older store is replaced")
      ->required();
  add_figure_files(*command, line, options->figures, "what changes");
}

}  // namespace

void add_store_commands(CLI::App& features, CommandLine& line) {
  add_store_info(features, line);
  add_report(features, line);
  add_export(features, line);
  add_merge(features, line);
  add_compact(features, line);
}

}  // namespace leafglyph
