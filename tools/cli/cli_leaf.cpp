// `leafglyph leaf ...`: trains, checks, evaluates, sweeps.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "classify/extraction/extract.h"
#include "classify/leaf/leaf_study.h"
#include "classify/leaf/leaf_sums.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf_report/html_report.h"
#include "classify/leaf_report/report.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/cli.h"
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct TrainOptions {
  ConfigChoice config;
  DataOptions data;
  std::vector<std::string> sums;
  std::string model;
  std::string json;
};

// How many photographs to list; `leaf check` shows the others on its page.
constexpr std::size_t kLookedAtInTraining = 10;

ExitCode train(const CommandLine& line, const TrainOptions& options) {
  const WriteLock lock(options.model);
  const std::vector<std::filesystem::path> sums(options.sums.begin(), options.sums.end());
  DataOptions data = options.data;
  if (data.features.empty()) {
    for (const std::filesystem::path& store : stores_of_sums(sums)) data.features.push_back(store);
  }
  LeafConfig config = config_with_data(options.config, data);
  config.data.sums = sums;
  const TrainedLeaves trained = train_leaves(config, leaf_run(line));
  throw_if_interrupted();
  show_warnings(line, trained.warnings);
  for (const StageTime& time : trained.times) {
    log_note(fmt::format("{}: {:.3f} s", time.stage, time.seconds));
  }
  const NearestClassifier& classifier = trained.model.classifier;
  line.text() << "trained on " << trained.model.history.data << ": "
              << counted(classifier.labels().size(), "leaf", "leaves") << " of "
              << counted(trained.model.class_names.size(), "class", "classes") << ", "
              << trained.model.features.layout().columns() << " columns ("
              << classifier.pipeline().dropped_columns() << " constant and dropped), "
              << classifier.pipeline().dimension() << " dimensions\n"
              << (trained.tuned.empty() ? "" : "tuned by " + trained.tuned + "\n")
              << check_text(check_document(trained.model), kLookedAtInTraining);
  const std::uint64_t bytes = save_model(trained.model, lock);
  write_output(options.json, json_text(check_document(trained.model)) + "\n");
  line.text() << "size           " << size_in_words(bytes, classifier.labels().size()) << "\n"
              << "model " << options.model << "\n";
  return show_errors(trained.errors);
}

void add_train(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App* command =
      add_command(leaf, line, "train", "Train on every leaf of the data set and save the model",
                  "leafglyph leaf train --config leaf --model leaf.model",
                  [&line, options] { return train(line, *options); });
  add_leaf_config_options(*command, options->config);
  CLI::Option* photographs = add_data_options(*command, options->data);
  command
      ->add_option("--sums", options->sums,
                   "Files written by leaf sums: trains on their feature stores, or on those of "
                   "--features where they have moved, without summing the rows again")
      ->excludes(photographs);
  add_output(*command, line, "--model", options->model, OutputKind::kModel,
             "Folder to write; an older model is replaced")
      ->required();
  add_output(*command, line, "--json", options->json, OutputKind::kJson,
             "Write what leaf check writes; -: to stdout, instead of text");
}

struct SumsOptions {
  ConfigChoice config;
  DataOptions data;
  std::string shard = "0/1";
  std::string sums;
};

ExitCode sum(const CommandLine& line, const SumsOptions& options) {
  const Shard shard = shard_from_text(options.shard);
  const LeafSums sums = sums_of_stores(config_with_data(options.config, options.data),
                                       {shard.index, shard.count}, leaf_run(line));
  throw_if_interrupted();
  write_output(options.sums, sums_file(sums));
  line.text() << fmt::format("sums of {} leaves of {} species in {}\n", sums.sums.rows(),
                             sums.sums.classes().size(), options.sums);
  return ExitCode::kDone;
}

void add_sums(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<SumsOptions>();
  CLI::App* command =
      add_command(leaf, line, "sums",
                  "Sum the rows of feature stores, so that several machines share a training",
                  "leafglyph leaf sums leaf.store --config leaf --out leaf.sums",
                  [&line, options] { return sum(line, *options); });
  command
      ->add_option("stores", options->data.features, "Feature stores written by features extract")
      ->required();
  add_leaf_config_options(*command, options->config);
  add_prior_option(*command, options->data);
  command->add_option("--shard", options->shard,
                      "I/N: sum part I, counted from 0, of N parts of the rows");
  add_output(*command, line, "--out", options->sums, OutputKind::kSums,
             "File to write, for leaf train --sums")
      ->required();
}

struct CheckOptions {
  ConfigChoice config;
  DataOptions data;
  std::string json, report;
};

ExitCode check(const CommandLine& line, const CheckOptions& options) {
  const TrainedLeaves trained = train_leaves(config_with_data(options.config, options.data),
                                             leaf_run(line), Forecast::kAlways);
  throw_if_interrupted();
  show_warnings(line, trained.warnings);
  const PageValues document = check_document(trained.model);
  line.text() << check_text(document, document["look_at"].size()) << std::flush;
  write_output(options.json, json_text(document) + "\n");
  if (!options.report.empty()) write_output(options.report, html_check(trained.model));
  return show_errors(trained.errors);
}

void add_check(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = add_command(
      leaf, line, "check",
      "Find problems in training photographs and estimate what more of them would bring",
      "leafglyph leaf check photographs --config leaf --report check.html",
      [&line, options] { return check(line, *options); });
  command->add_option(
      "folder", options->data.folder,
      "Your own photographs, one folder per species, instead of the configured data");
  add_leaf_config_options(*command, options->config);
  add_join_option(*command, options->data.join);
  add_source_aspect_option(*command, options->data.source_aspect);
  add_bits_option(*command, options->data.bits);
  add_output(*command, line, "--report", options->report, OutputKind::kHtml,
             "Write a self-contained HTML page with the photographs to look at");
  add_output(*command, line, "--json", options->json, OutputKind::kJson,
             "Write everything as JSON; -: to stdout, instead of text");
}

struct EvaluateOptions {
  ConfigChoice config;
  DataOptions data;
  std::string json;
  std::string csv;
  std::string confusion;
  std::string splits;
  std::string save_splits;
  std::string report;
  std::vector<std::string> beside;
  bool no_curves = false;
  bool perturb = false;
};

// The configuration's study, followed by those that the page shows beside it.
std::vector<LeafStudy> studies(const CommandLine& line, const EvaluateOptions& options) {
  if (options.report.empty() && (!options.beside.empty() || options.no_curves)) {
    throw UsageError(
        "--beside and --no-curves change the page that --report writes; give --report as well");
  }
  std::vector<LeafConfig> configs = {config_with_data(options.config, options.data)};
  for (const std::string& file : options.beside) {
    configs.push_back(config_with_data({file, {}}, options.data));
  }
  const bool curves = !options.report.empty() && !options.no_curves;
  std::vector<LeafStudy> all;
  for (const LeafConfig& config : configs) {
    const std::string save = all.empty() ? options.save_splits : "";
    const StudyParts parts{curves, options.perturb && all.empty()};
    all.push_back(study_leaves(config, {options.splits, save}, parts, leaf_run(line)));
  }
  return all;
}

ExitCode evaluate(const CommandLine& line, const EvaluateOptions& options) {
  const std::vector<LeafStudy> all = studies(line, options);
  const LeafEvaluation& evaluation = all.front().evaluation;
  show_warnings(line, evaluation.warnings);
  throw_if_interrupted();
  const PageValues document = evaluation_document(all.front());
  line.text() << text_report(document) << std::flush;
  write_output(options.json, json_text(document) + "\n");
  write_output(options.csv, class_table(document).csv());
  write_output(options.confusion, confusion_table(document).csv());
  if (!options.report.empty()) write_output(options.report, html_report(all));
  return show_errors(evaluation.errors);
}

void add_evaluate(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      add_command(leaf, line, "evaluate", "Measure the accuracy with the configuration's protocol",
                  "leafglyph leaf evaluate --config leaf --json result.json "
                  "--report result.html --beside leaf_published",
                  [&line, options] { return evaluate(line, *options); });
  add_leaf_config_options(*command, options->config);
  add_data_options(*command, options->data);
  const auto output = [&](const std::string& name, std::string& file, OutputKind kind,
                          const std::string& text) {
    add_output(*command, line, name, file, kind, text);
  };
  output("--json", options->json, OutputKind::kJson,
         "Write everything as JSON; -: to stdout, instead of text");
  output("--csv", options->csv, OutputKind::kCsv,
         "Write the per-class table as CSV; -: to stdout, instead of text");
  output("--confusion", options->confusion, OutputKind::kCsv, "Write the confusion matrix as CSV");
  command->add_option("--splits", options->splits,
                      "Use the splits of this file instead of drawing them");
  output("--save-splits", options->save_splits, OutputKind::kJson, "Write the splits as JSON");
  output("--report", options->report, OutputKind::kHtml,
         "Write a self-contained HTML page, with the configuration's order sweep and a learning "
         "curve");
  takes_one_each(command->add_option("--beside", options->beside,
                                     "Configuration to compare with on the page; may be repeated"));
  command->add_flag(
      "--perturb", options->perturb,
      "Also test the classifier of the first split on perturbed test leaves (uneven light, "
      "shadows, noise, blur, damage, other sizes) and on pictures without a leaf");
  command->add_flag("--no-curves", options->no_curves,
                    "Leave order sweep and learning curve out of the page");
}

struct SweepOptions {
  std::vector<std::string> configs;
  std::vector<std::string> settings;
  DataOptions data;
  std::vector<int> orders;
  FigureFiles figures;
  std::string plot;
};

ExitCode sweep(const CommandLine& line, const SweepOptions& options) {
  std::vector<LeafConfig> configs;
  for (const std::string& file : options.configs) {
    configs.push_back(config_with_data({file, options.settings}, options.data));
  }
  std::vector<PageValues> sweeps;
  std::vector<std::string> errors;
  for (const LeafConfig& config : configs) {
    const LeafSweep sweep = sweep_leaves(
        config, options.orders.empty() ? config.sweep_orders : options.orders, leaf_run(line));
    show_warnings(line, sweep.warnings);
    errors.insert(errors.end(), sweep.errors.begin(), sweep.errors.end());
    sweeps.push_back(sweep_document(sweep));
  }
  throw_if_interrupted();
  line.text() << sweep_text(sweeps) << std::flush;
  write_figures(options.figures, sweep_table(sweeps));
  if (!options.plot.empty()) {
    write_output(options.plot, sweep_svg(sweeps, "Leaf accuracy by order of the moments"));
  }
  return show_errors(errors);
}

void add_sweep(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* command =
      add_command(leaf, line, "sweep", "Measure the accuracy at each order of the moments",
                  "leafglyph leaf sweep --config leaf_published --config leaf "
                  "--orders 5:50:5 --csv sweep.csv --plot sweep.svg",
                  [&line, options] { return sweep(line, *options); });
  takes_one_each(command->add_option("--config", options->configs,
                                     "Configuration by name or file; may be repeated"))
      ->type_name("CONFIG")
      ->required();
  add_set_option(*command, options->settings);
  add_data_options(*command, options->data);
  add_whole_numbers(*command, "--orders", options->orders, 0, kMaxFeatureOrder,
                    "Orders, such as 6,8,10 or 5:50:5; default: those of the configuration");
  add_figure_files(*command, line, options->figures, "the figures");
  add_output(*command, line, "--plot", options->plot, OutputKind::kSvg, "Write a plot as SVG");
}

}  // namespace

void add_leaf_commands(CLI::App& app, CommandLine& line) {
  CLI::App* leaf = app.add_subcommand("leaf", "Identify leaves");
  leaf->require_subcommand(1);
  add_train(*leaf, line);
  add_sums(*leaf, line);
  add_check(*leaf, line);
  add_evaluate(*leaf, line);
  add_leaf_classify(*leaf, line);
  add_sweep(*leaf, line);
  add_leaf_model_commands(*leaf, line);
  add_leaf_data_commands(*leaf, line);
}

}  // namespace leafglyph
