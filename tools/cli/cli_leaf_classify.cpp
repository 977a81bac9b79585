// `leafglyph leaf classify`: identifies the leaves in images.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classify/leaf/leaf_evidence.h"
#include "classify/leaf/leaf_files.h"
#include "classify/leaf_report/report.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/record/json_text.h"
#include "tools/cli/cli.h"
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct ClassifyOptions {
  std::string model;
  std::vector<std::string> images;
  int top = 3;
  std::string json;
  std::string csv;
  std::string explain;
  std::string join;
  std::string source_aspect;
  int bits = 0;
  bool every_leaf = false, one_leaf = false;
  std::string numbered;
  bool same_plant = false;
};

/// Streams predictions as they arrive. Keeps only the output lines unless an option needs every
/// leaf.
class PredictionOutput {
 public:
  PredictionOutput(const CommandLine& line, const LeafModel& model, const ClassifyOptions& options,
                   std::vector<std::string> errors)
      : line_(line),
        model_(model),
        options_(options),
        errors_(std::move(errors)),
        waits_(line.common.progress_style() == ProgressStyle::kBar &&
               ::isatty(STDOUT_FILENO) == 1) {}

  /// Receives the destination of the --csv table.
  void begin_table(const PutText& put) {
    put_lines_ = put;
    put_lines_(classification_table(model_, {}, top()).csv_names());
  }

  void add(std::vector<ClassifiedLeaf> leaves) {
    count_ += leaves.size();
    if (!options_.explain.empty()) explain_channels(leaves);
    for (const ClassifiedLeaf& leaf : leaves) {
      for (const std::string& warning : leaf.warnings) {
        log_warning(shown_name(leaf) + ": " + warning);
      }
      if (!leaf.prediction) errors_.push_back(leaf.error);
    }
    // Prints before anything is written, because a full disk may stop the writing.
    if (!options_.same_plant && !takes_stdout(line_.outputs)) {
      print(classification_text(model_, leaves));
    }
    if (put_lines_) put_lines_(classification_table(model_, leaves, top()).csv_rows());
    if (!options_.same_plant && options_.json.empty() && options_.explain.empty()) return;
    for (ClassifiedLeaf& leaf : leaves) {
      if (options_.explain.empty()) leaf.features = {};  // only explanations use them
      kept_.push_back(std::move(leaf));
    }
  }

  /// Prints to stdout; if a progress bar is drawn on the same terminal, only after it.
  void print(std::string_view text) {
    if (waits_) {
      text_ += text;
    } else {
      std::cout << text << std::flush;
    }
  }

  ExitCode finish() const {
    const auto has_prediction = [](const ClassifiedLeaf& leaf) {
      return leaf.prediction.has_value();
    };
    std::cout << text_;
    if (!options_.same_plant) {
      write_output(options_.json, json_text(classification_document(model_, kept_)) + "\n");
    } else if (std::ranges::any_of(kept_, has_prediction)) {  // otherwise all errors are printed
      const PlantPrediction plant = same_plant(model_, kept_);
      line_.text() << plant_text(model_, plant, kept_);
      write_output(options_.json, json_text(plant_document(model_, plant, kept_)) + "\n");
    }
    std::cout << std::flush;
    if (!options_.explain.empty()) {
      write_output(options_.explain, html_explanation(model_, kept_, parts_));
    }
    const ExitCode code = show_errors(errors_);
    // If there is a single image and it fails, the whole command fails.
    const bool single = count_ == 1 && options_.images.size() == 1;
    return code == ExitCode::kSomeFailed && single ? ExitCode::kInput : code;
  }

 private:
  void explain_channels(std::span<ClassifiedLeaf> leaves) {
    if (!channels_) channels_.emplace(model_);
    std::ranges::move(explain(model_, *channels_, leaves), std::back_inserter(parts_));
  }
  std::size_t top() const { return static_cast<std::size_t>(options_.top); }

  const CommandLine& line_;
  const LeafModel& model_;
  const ClassifyOptions& options_;
  std::vector<std::string> errors_;
  bool waits_;  // for the end of the bar
  PutText put_lines_;
  std::string text_;
  std::vector<ClassifiedLeaf> kept_;
  std::optional<PartClassifiers> channels_;         // with --explain
  std::vector<std::vector<PartPrediction>> parts_;  // of kept_
  std::size_t count_ = 0;
};

LeafRun run_of(const CommandLine& line, const ClassifyOptions& options) {
  LeafRun run = leaf_run(line);
  run.bits = options.bits;
  run.one_leaf = options.one_leaf;
  return run;
}

// Identifies every leaf of each image. Writes the images with numbered leaves, if requested.
void name_every_leaf(const CommandLine& line, const LeafModel& model,
                     const std::vector<std::string>& files, const ClassifyOptions& options,
                     PredictionOutput& predictions) {
  const std::vector<std::string> stems =
      options.numbered.empty() ? std::vector<std::string>()
                               : distinct_stems(std::vector<fs::path>(files.begin(), files.end()));
  std::size_t i = 0;
  classify_every_leaf(
      model, files, static_cast<std::size_t>(options.top), run_of(line, options),
      source_aspect(options.source_aspect), [&](LeafSheet sheet) {
        if (!options.numbered.empty() && !sheet.numbered.jpeg.empty()) {
          FileSeries(options.numbered).write(stems[i] + "-leaves.jpg", sheet.numbered.jpeg);
        }
        ++i;
        predictions.add(std::move(sheet.leaves));
      });
}

void name_all(const CommandLine& line, const LeafModel& model,
              const std::vector<std::string>& files, const ClassifyOptions& options,
              PredictionOutput& predictions) {
  if (options.every_leaf) {
    name_every_leaf(line, model, files, options, predictions);
  } else {
    classify_leaves(model, files, static_cast<std::size_t>(options.top), run_of(line, options),
                    source_aspect(options.source_aspect),
                    [&](std::vector<ClassifiedLeaf> part) { predictions.add(std::move(part)); });
  }
  throw_if_interrupted();
}

void join_table(const std::string& file, JoinSpec& join) {
  if (!file.empty() && !join.is_used()) {
    throw UsageError("--join: the model was trained without the columns of a table");
  }
  join.file = file;
}

ExitCode classify(const CommandLine& line, const ClassifyOptions& options) {
  source_aspect(options.source_aspect);  // reports a mistake before the model is read
  LeafModel model = load_model(options.model);
  join_table(options.join, model.config.features.join);
  std::vector<std::string> errors, warnings;
  const std::vector<std::string> files = named_images(options.images, errors, warnings);
  log_warnings(warnings);
  if (!options.explain.empty()) check_explainable(files.size());
  PredictionOutput predictions(line, model, options, std::move(errors));
  const auto name_all_into = [&](const PutText& put) {
    if (put) predictions.begin_table(put);
    name_all(line, model, files, options, predictions);
  };
  if (options.csv.empty()) {
    name_all_into(nullptr);
  } else if (options.csv == "-") {
    name_all_into([&](std::string_view lines) { predictions.print(lines); });
  } else {
    write_file_by_parts(options.csv, name_all_into);
  }
  return predictions.finish();
}

}  // namespace

void add_leaf_classify(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<ClassifyOptions>();
  CLI::App* command = add_command(
      leaf, line, "classify", "Identify the leaves in images",
      "leafglyph leaf classify --model leaf.model leaf1.jpg photographs --top 3 --csv leaves.csv",
      [&line, options] { return classify(line, *options); });
  command->add_option("--model", options->model, "Folder written by leaf train")->required();
  command->add_option("images", options->images, "Image files, and folders of them")->required();
  command->add_option("--top", options->top, "Classes to show per image")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  add_join_option(*command, options->join);
  add_source_aspect_option(*command, options->source_aspect);
  add_bits_option(*command, options->bits);
  CLI::Option* every = command->add_flag(
      "--every-leaf", options->every_leaf,
      "Identify each separate leaf in an image, numbered from the top: 'sheet.jpg #2'");
  command
      ->add_flag(
          "--one-leaf", options->one_leaf,
          "Everything in an image that may be a leaf is one: for compound leaves, whose leaflets "
          "would be taken for leaves")
      ->excludes(every);
  add_output(*command, line, "--numbered", options->numbered, OutputKind::kFolder,
             "Folder for copies of the images with numbered leaves")
      ->needs(every);
  command->add_flag("--same-plant", options->same_plant,
                    "The images show one plant: print one identification for all of them first");
  add_output(*command, line, "--json", options->json, OutputKind::kJson,
             "Write the predictions as JSON; -: to stdout, instead of text");
  add_output(*command, line, "--csv", options->csv, OutputKind::kCsv,
             "Write a table, one line per leaf; -: to stdout, instead of text");
  add_output(*command, line, "--explain", options->explain, OutputKind::kHtml,
             "Write an HTML page of at most 1000 images: nearest training leaves, distances, and "
             "which channels agree");
}

}  // namespace leafglyph
