// `leafglyph leaf info`, `leafglyph leaf add` and `leafglyph leaf share`: describes a model, adds
// photographs to it, and copies it to be given away.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "classify/leaf/leaf_training.h"
#include "classify/leaf_report/report.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/cli.h"
#include "tools/cli/leaf_options.h"

namespace leafglyph {
namespace {

struct InfoOptions {
  std::string model;
  std::string json;
};

ExitCode info(const CommandLine& line, const InfoOptions& options) {
  const PageValues document = model_document(load_model(options.model));
  line.text() << model_text(document);
  write_output(options.json, json_text(document) + "\n");
  return ExitCode::kDone;
}

void add_info(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = add_command(
      leaf, line, "info",
      "Describe a model: date, data, accuracy, settings, photographs per species",
      "leafglyph leaf info leaf.model", [&line, options] { return info(line, *options); });
  command->add_option("model", options->model, "Folder written by leaf train")->required();
  add_output(*command, line, "--json", options->json, OutputKind::kJson,
             "Write JSON, with the configuration; -: to stdout, instead of text");
}

struct AddOptions {
  std::string model;
  NewLeaves leaves;
  std::string folder;
  std::string source_aspect;
};

ExitCode add(const CommandLine& line, AddOptions options) {
  options.leaves.folder = options.folder;
  options.leaves.source_aspect = source_aspect(options.source_aspect).value_or(0.0);
  const WriteLock lock(options.model);
  const GrownModel grown = add_leaves(load_model(options.model), options.leaves, leaf_run(line));
  throw_if_interrupted();
  show_warnings(line, grown.warnings);
  const LeafModel& model = grown.model;
  const AddedLeaves& added = model.history.added.back();
  std::cout << fmt::format("added {} of {}{}: {} of {}\n",
                           counted(added.leaves, "photograph", "photographs"), added.species,
                           grown.new_species ? ", a new species" : "",
                           counted(model.sample_names.size(), "leaf", "leaves"),
                           counted(model.class_names.size(), "class", "classes"))
            << "right          " << accuracy_in_words(*model.history.accuracy) << "\n"
            << "unknown        " << unknown_in_words(model) << "\n";
  save_model(model, lock);
  std::cout << "model " << options.model << "\n";
  return show_errors(grown.errors);
}

void add_add(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<AddOptions>();
  CLI::App* command =
      add_command(leaf, line, "add", "Add photographs of a species, or a new species, to a model",
                  "leafglyph leaf add leaf.model 'Quercus robur' new-photographs",
                  [&line, options] { return add(line, *options); });
  add_output(
      *command, line, "model", options->model, OutputKind::kModel,
      "Folder written by leaf train; the new model replaces it; if that fails it stays unchanged")
      ->required();
  command
      ->add_option("species", options->leaves.species,
                   "A species of the model, as listed by leaf info, or a new one")
      ->required();
  command->add_option("folder", options->folder, "Folder of the photographs")->required();
  command->add_option("--scientific-name", options->leaves.scientific_name,
                      "Scientific name of a new species, or of one that has none");
  command->add_option("--chinese-name", options->leaves.chinese_name,
                      "Chinese name of a new species, or of one that has none");
  add_source_aspect_option(*command, options->source_aspect);
  add_bits_option(*command, options->leaves.bits);
}

struct ShareOptions {
  std::string model, shared, data;
};

ExitCode share(const ShareOptions& options) {
  const WriteLock lock(options.shared);
  LeafModel model = load_model(options.model);
  const std::string data = options.data.empty()
                               ? fmt::format("{} leaves of {} species", model.sample_names.size(),
                                             model.class_names.size())
                               : options.data;
  const std::uint64_t bytes = save_model(shared_model(std::move(model), data), lock);
  std::cout << fmt::format("model {}: {:.1f} MB, without pictures and features of its leaves\n",
                           options.shared, static_cast<double>(bytes) / 1e6);
  return ExitCode::kDone;
}

void add_share(CLI::App& leaf, CommandLine& line) {
  const auto options = std::make_shared<ShareOptions>();
  CLI::App* command = add_command(leaf, line, "share",
                                  "Copy a model to give it away, without pictures and features of "
                                  "its training leaves. The copy "
                                  "identifies leaves as the model does; nothing can be added to it",
                                  "leafglyph leaf share leaf.model shared.model",
                                  [options] { return share(*options); });
  command->add_option("model", options->model, "Folder written by leaf train")->required();
  add_output(*command, line, "shared", options->shared, OutputKind::kModel, "Folder for the copy")
      ->required();
  command->add_option("--data", options->data,
                      "A line of text: what the copy names as its training data. Default: the "
                      "numbers of leaves and "
                      "species");
}

}  // namespace

void add_leaf_model_commands(CLI::App& leaf, CommandLine& line) {
  add_info(leaf, line);
  add_add(leaf, line);
  add_share(leaf, line);
}

}  // namespace leafglyph
