// `leafglyph glyph recognise`, `train`, `info`, `check` and `sweep`: characters in pictures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "classify/character/character_drawing.h"
#include "classify/character/character_recogniser.h"
#include "classify/character/character_training.h"
#include "classify/character/known_lookalikes.h"
#include "classify/character_report/character_report.h"
#include "classify/glyph/glyph_config.h"
#include "classify/glyph/lookalike_cache.h"
#include "classify/leaf/stage_time.h"
#include "classify/leaf_report/report.h"
#include "datasets/glyph/character_code.h"
#include "datasets/glyph/character_set.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/record/json_text.h"
#include "tools/cli/cli.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

// Pictures that are in memory at once.
constexpr std::size_t kPicturesAtOnce = 64;

struct RecogniseOptions {
  std::vector<std::string> images;
  std::string model;
  std::string characters;
  int top = 5;
  FigureFiles figures;
};

TrainedCharacters trained(const CommandLine& line, const CharacterSpec& spec,
                          std::span<const CharacterPicture> pictures = {}) {
  Progress progress("characters", rows_to_train(spec, pictures.size()),
                    line.common.progress_style());
  return train_characters(spec, pictures, [&](std::size_t count) {
    progress.advance(count);
    throw_if_interrupted();
  });
}

// The configuration of the model that comes with LeafGlyph: that of all characters, if these are
// wanted, or some that the usual one does not have.
CharacterSpec usual_spec(const std::string& wanted) {
  CharacterSpec usual = load_character_spec("glyph"), all = load_character_spec("glyph_all");
  if (wanted.empty()) return usual;
  const std::vector<std::string> names = character_set_names(wanted);
  if (std::ranges::count(names, "all") > 0) return all;
  const auto characters_of = [](const std::vector<std::string>& sets) {
    const std::u32string characters = character_sets(sets, U"").characters;
    return std::set<char32_t>(characters.begin(), characters.end());
  };
  const auto in_usual = characters_of(usual.characters), in_all = characters_of(all.characters);
  const bool beyond = std::ranges::any_of(characters_of(names), [&](char32_t character) {
    return in_all.contains(character) && !in_usual.contains(character);
  });
  return beyond ? all : usual;
}

// Made on first use, and kept.
CharacterModel usual_model(const CommandLine& line, const std::string& wanted) {
  const CharacterSpec spec = usual_spec(wanted);
  const std::filesystem::path folder = place_of_model(spec, default_cache_folder());
  if (is_folder(folder)) {
    try {
      return load_characters(folder);
    } catch (const FormatError& error) {
      log_warning(error.what());
    }
  }
  log_note("the recogniser is made once, which takes minutes, and kept in " + folder.string());
  CharacterModel model = trained(line, spec).model;
  try {
    make_folder(folder.parent_path());
    save_characters(model, folder);
  } catch (const Error& error) {
    log_warning(std::string("the recogniser is not kept: ") + error.what());
  }
  return model;
}

Table prediction_table(std::size_t top) {
  std::string columns =
      "image:name character:text code:text same:text word:text unlike:.6f perhaps:text differ:text";
  for (std::size_t k = 1; k <= top; ++k) {
    columns += fmt::format(" character_{0}:text probability_{0}:.6f", k);
  }
  return Table(columns);
}

// A look-alike as text; "" for none.
std::string other_in(const LookalikeRemark& remark) {
  return remark.other == 0 ? "" : encode_utf8(remark.other);
}

void add_row(Table& table, const std::string& image, const CharacterPrediction& prediction,
             const LookalikeRemark& remark, std::size_t top) {
  const char32_t first = prediction.ranking.front().character;
  table.add(image, encode_utf8(first), unicode_name(first),
            encode_utf8(prediction.ranking.front().same), name_of(*prediction.decision.word()),
            prediction.unlike, other_in(remark), remark.place);
  for (std::size_t k = 0; k < top; ++k) {
    if (k < prediction.ranking.size()) {
      table.add(encode_utf8(prediction.ranking[k].character), prediction.ranking[k].probability);
    } else {
      table.add("", std::optional<double>());
    }
  }
}

// "a.png  己  U+5DF1  likely  己 0.91  已 0.08  己, perhaps 已: they differ at the left": an
// unknown one has candidates alone.
std::string line_of(const std::string& image, const CharacterPrediction& prediction,
                    const LookalikeRemark& remark, std::size_t top) {
  const std::string first = encode_utf8(prediction.ranking.front().character);
  std::string text =
      fmt::format("{}  {}  {}", printable(image),
                  prediction.decision.known()
                      ? first + "  " + unicode_name(prediction.ranking.front().character)
                      : "-",
                  name_of(*prediction.decision.word()));
  for (std::size_t k = 0; k < std::min(top, prediction.ranking.size()); ++k) {
    const auto& [character, probability, same] = prediction.ranking[k];
    text += fmt::format("  {} {:.2f}", encode_utf8(character) + encode_utf8(same), probability);
  }
  if (remark.other != 0) {
    text += fmt::format("  {}, perhaps {}", first, other_in(remark));
    if (!remark.place.empty()) text += ": they differ " + remark.place;
  }
  return text + "\n";
}

class Recognition {
 public:
  Recognition(const CommandLine& line, const CharacterRecogniser& recogniser, std::size_t top)
      : line_(line), recogniser_(recogniser), top_(top), table_(prediction_table(top)) {}

  void add(std::span<const std::string> files, std::vector<std::string>& errors) {
    ReadInks read = read_inks(files);
    errors.insert(errors.end(), read.errors.begin(), read.errors.end());
    const auto predictions = recogniser_.recognise(
        read.inks.size(), [&](std::size_t i) { return std::move(read.inks[i]); },
        std::max<std::size_t>(top_, 2));
    const std::vector<LookalikeRemark> remarks = lookalikes_.remarks(predictions);
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      const std::string& file = files[read.files[i]];
      line_.text() << line_of(file, predictions[i], remarks[i], top_);
      add_row(table_, file, predictions[i], remarks[i], top_);
    }
  }
  const Table& table() const { return table_; }

 private:
  const CommandLine& line_;
  const CharacterRecogniser& recogniser_;
  std::size_t top_;
  KnownLookalikes lookalikes_;
  Table table_;
};

ExitCode recognise(const CommandLine& line, const RecogniseOptions& options) {
  std::vector<std::string> errors, warnings;
  const std::vector<std::string> files = named_images(options.images, errors, warnings);
  log_warnings(warnings);
  std::u32string wanted;
  if (!options.characters.empty() && options.characters != "all") {
    wanted = character_sets(character_set_names(options.characters), U"").characters;
  }
  CharacterRecogniser recogniser(recogniser_model(line, options.model, options.characters));
  recogniser.restrict_to(wanted);
  Recognition recognition(line, recogniser, static_cast<std::size_t>(options.top));
  for (std::size_t first = 0; first < files.size(); first += kPicturesAtOnce) {
    throw_if_interrupted();
    const std::size_t count = std::min(kPicturesAtOnce, files.size() - first);
    recognition.add(std::span(files).subspan(first, count), errors);
  }
  write_figures(options.figures, recognition.table());
  const ExitCode code = show_errors(errors);
  const bool single = files.size() == 1 && options.images.size() == 1;
  return code == ExitCode::kSomeFailed && single ? ExitCode::kInput : code;
}

struct CharacterTrainOptions {
  std::vector<std::string> folders, fonts;
  std::string characters;
  ConfigChoice config{"glyph", {}};
  std::string model;
};

// The configuration, whose fonts those of the command line replace.
CharacterSpec spec_of(const CharacterTrainOptions& options) {
  CharacterSpec spec = load_character_spec(options.config.file, options.config.settings);
  if (!options.characters.empty()) spec.characters = character_set_names(options.characters);
  if (options.folders.empty() && options.fonts.empty()) return spec;
  spec.fonts.clear();
  for (const std::string& file : options.fonts) {
    TrainingFont& font = spec.fonts.emplace_back();
    font.font.file = file;
    font.font.pixel_size = kDrawnSide;
    font.style = GlyphSource(font.font).family();
  }
  return spec;
}

ExitCode train_recogniser(const CommandLine& line, const CharacterTrainOptions& options) {
  const CharacterSpec spec = spec_of(options);
  const CharacterPictures found = load_character_folders(options.folders);
  show_warnings(line, found.warnings);
  const TrainedCharacters trained_now = trained(line, spec, found.pictures);
  const CharacterModel& model = trained_now.model;
  const std::uint64_t bytes = save_characters(model, options.model);
  line.text() << fmt::format("{} in {}, {:.1f} MB: {}\n",
                             counted(model.characters.size(), "character", "characters"),
                             counted(model.styles.size(), "style", "styles"),
                             1e-6 * static_cast<double>(bytes), options.model);
  if (!model.history.judged.by_others) {
    log_warning(
        "no style can be judged by others; how sure predictions are is measured on damaged copies, "
        "and holds for pictures of these styles only");
  }
  return show_errors(trained_now.errors);
}

void add_recognise(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<RecogniseOptions>();
  CLI::App* command =
      add_command(glyph, line, "recognise", "Name the characters in pictures of one each",
                  "leafglyph glyph recognise cut-outs --csv characters.csv",
                  [&line, options] { return recognise(line, *options); });
  command->add_option("images", options->images, "Image files, and folders of them")->required();
  command->add_option("--model", options->model,
                      "Folder written by glyph train; default: made once from Debian's fonts");
  command->add_option(
      "--characters", options->characters,
      std::string("Only these are answers: ") + kCharacterSetNames + "; several with commas");
  command->add_option("--top", options->top, "Candidates to show per picture")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  add_figure_files(*command, line, options->figures, "the predictions");
}

// What is learnt: folders, fonts, characters, configuration.
void add_taught(CLI::App& command, CharacterTrainOptions& options) {
  command.add_option("FOLDER", options.folders,
                     "Folders of pictures, FOLDER/CHARACTER/*.png or "
                     "FOLDER/STYLE/CHARACTER/*.png, CHARACTER such as 永 or U+6C38; they are "
                     "learnt in place of the configuration's fonts");
  takes_one_each(command.add_option(
      "--font", options.fonts,
      "A font file to learn in place of the configuration's, beside the folders; repeatable"));
  command.add_option("--characters", options.characters,
                     std::string("Characters to learn from fonts: ") + kCharacterSetNames +
                         "; several with commas; default: those of the configuration");
  add_config_options(command, options.config, "Configuration: a name or a YAML file")
      ->capture_default_str();
}

void add_character_train(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterTrainOptions>();
  CLI::App* command =
      add_command(glyph, line, "train", "Train a recogniser of characters on pictures and fonts",
                  "leafglyph glyph train seals --model seals.model",
                  [&line, options] { return train_recogniser(line, *options); });
  add_taught(*command, *options);
  add_output(*command, line, "--model", options->model, OutputKind::kCharacters,
             "Folder for the model; replaces an older one")
      ->required();
}

struct CharacterCheckOptions {
  CharacterTrainOptions data;
  std::string json, report;
};

ExitCode check_set(const CommandLine& line, const CharacterCheckOptions& options) {
  const CharacterSpec spec = spec_of(options.data);
  const CharacterPictures found = load_character_folders(options.data.folders);
  show_warnings(line, found.warnings);
  Progress progress("pictures", steps_to_check(spec, found.pictures), line.common.progress_style());
  const CharacterCheck check = check_characters(spec, found.pictures, [&](std::size_t count) {
    progress.advance(count);
    throw_if_interrupted();
  });
  std::vector<std::string> names;
  for (const std::string& folder : options.data.folders) names.push_back(last_name(folder));
  const PageValues document = character_check_document(
      check, found.pictures,
      fmt::format("{} from {}", counted(found.pictures.size(), "picture", "pictures"),
                  fmt::join(names, ", ")));
  line.text() << character_check_text(document);
  write_output(options.json, json_text(document) + "\n");
  write_output(options.report, character_check_page(document, check));
  return show_errors(check.tested.errors);
}

struct CharacterSweepOptions {
  CharacterTrainOptions data;
  std::vector<int> orders = {5, 6, 8, 10, 12};
  std::vector<std::string> families = {"zernike", "pseudo-zernike"};
  FigureFiles figures;
  std::string plot;
};

ExitCode sweep_orders(const CommandLine& line, const CharacterSweepOptions& options) {
  CharacterSpec spec = spec_of(options.data);
  const CharacterPictures found = load_character_folders(options.data.folders);
  show_warnings(line, found.warnings);
  Progress progress(
      "characters",
      options.orders.size() * options.families.size() * rows_to_train(spec, found.pictures.size()),
      line.common.progress_style());
  std::vector<PageValues> sweeps;
  for (const std::string& family : options.families) {
    spec.features.family = from_name(kCharacterFamilies, family);
    const Stopwatch watch;
    const CharacterSweep sweep =
        sweep_characters(spec, found.pictures, options.orders, [&](std::size_t count) {
          progress.advance(count);
          throw_if_interrupted();
        });
    sweeps.push_back(character_sweep_document(sweep, watch.seconds()));
  }
  line.text() << sweep_text(sweeps) << std::flush;
  write_figures(options.figures, sweep_table(sweeps));
  if (!options.plot.empty()) {
    write_output(options.plot, sweep_svg(sweeps, "Characters identified by order of the moments"));
  }
  return ExitCode::kDone;
}

void add_character_sweep(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterSweepOptions>();
  CLI::App* command =
      add_command(glyph, line, "sweep",
                  "Measure how well characters are identified at each order of the moments",
                  "leafglyph glyph sweep --characters hsk3 --orders 5,8,10 --plot sweep.svg",
                  [&line, options] { return sweep_orders(line, *options); });
  add_taught(*command, options->data);
  add_whole_numbers(*command, "--orders", options->orders, 0, kMaxFeatureOrder,
                    "Orders of the moments of the finest edges, such as 6,8,10 or 5:12");
  takes_list(command->add_option("--families", options->families,
                                 "Families of moments: zernike, pseudo-zernike"))
      ->check(one_of({"zernike", "pseudo-zernike"}));
  add_figure_files(*command, line, options->figures, "the figures");
  add_output(*command, line, "--plot", options->plot, OutputKind::kSvg, "Write a plot as SVG");
}

struct CharacterInfoOptions {
  std::string model, json;
};

ExitCode character_info(const CommandLine& line, const CharacterInfoOptions& options) {
  const PageValues document = character_model_document(load_characters(options.model));
  line.text() << character_model_text(document);
  write_output(options.json, json_text(document) + "\n");
  return ExitCode::kDone;
}

void add_character_check(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterCheckOptions>();
  CLI::App* command =
      add_command(glyph, line, "check", "Find problems in labelled pictures, such as wrong folders",
                  "leafglyph glyph check seals --report check.html",
                  [&line, options] { return check_set(line, *options); });
  add_taught(*command, options->data);
  command->get_option("FOLDER")->required();
  add_output(*command, line, "--report", options->report, OutputKind::kHtml,
             "Write a self-contained HTML page with the pictures to look at");
  add_output(*command, line, "--json", options->json, OutputKind::kJson,
             "Write everything as JSON; -: to stdout, instead of text");
}

void add_character_info(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<CharacterInfoOptions>();
  CLI::App* command = add_command(glyph, line, "info",
                                  "Describe a recogniser: date, characters, styles, accuracy, size",
                                  "leafglyph glyph info seals.model",
                                  [&line, options] { return character_info(line, *options); });
  command->add_option("model", options->model, "Folder written by glyph train")->required();
  add_output(
      *command, line, "--json", options->json, OutputKind::kJson,
      "Write JSON, with all characters and the configuration; -: to stdout, instead of text");
}

}  // namespace

CharacterModel recogniser_model(const CommandLine& line, const std::string& folder,
                                const std::string& wanted) {
  return folder.empty() ? usual_model(line, wanted) : load_characters(folder);
}

void add_recogniser_commands(CLI::App& glyph, CommandLine& line) {
  add_recognise(glyph, line);
  add_character_train(glyph, line);
  add_character_check(glyph, line);
  add_character_sweep(glyph, line);
  add_character_info(glyph, line);
}

}  // namespace leafglyph
