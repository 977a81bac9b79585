// `leafglyph glyph recognise`: the characters in pictures of one each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "classify/character/character_pictures.h"
#include "classify/character/character_recogniser.h"
#include "classify/character/known_lookalikes.h"
#include "classify/character_report/recognition_report.h"
#include "datasets/glyph/character_code.h"
#include "datasets/glyph/character_set.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/glyph/ink.h"
#include "tools/cli/character_options.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/leaf_options.h"
#include "tools/cli/option_lists.h"
#include "tools/cli/recognise_options.h"

namespace leafglyph {
namespace {

constexpr std::string_view kStdin = "standard input";

// Pictures that are in memory at once.
constexpr std::size_t kPicturesAtOnce = 64;

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

// The ink of stdin's picture, as of a file.
ReadInks read_ink(const Photograph& photograph) {
  ReadInks read;
  read.inks.push_back(ink_of(photograph));
  read.files.push_back(0);
  return read;
}

class Recognition {
 public:
  Recognition(const CommandLine& line, const RecogniseOptions& options,
              const CharacterRecogniser& recogniser)
      : line_(line),
        recogniser_(recogniser),
        top_(static_cast<std::size_t>(options.top)),
        options_(options),
        table_("image:name " + prediction_columns(top_)),
        sheet_(recogniser.model().spec.features.frame) {}

  void add(std::span<const std::string> files, std::vector<std::string>& errors) {
    ReadInks read = options_.given ? read_ink(*options_.given) : read_inks(files);
    errors.insert(errors.end(), read.errors.begin(), read.errors.end());
    const auto predictions = recogniser_.recognise(
        read.inks.size(), [&](std::size_t i) { return std::move(read.inks[i]); },
        std::max<std::size_t>(top_, 2));
    const std::vector<LookalikeRemark> remarks = lookalikes_.remarks(predictions);
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      const std::string& file = files[read.files[i]];
      line_.text() << line_of(file, predictions[i], remarks[i], top_);
      table_.add(file);
      add_prediction(table_, &predictions[i], remarks[i], top_);
      if (!options_.draw.empty()) sheet_.add(options_.photograph(file), predictions[i]);
    }
  }
  const Table& table() const { return table_; }
  const RecognitionSheet& sheet() const { return sheet_; }

 private:
  const CommandLine& line_;
  const CharacterRecogniser& recogniser_;
  std::size_t top_;
  const RecogniseOptions& options_;
  KnownLookalikes lookalikes_;
  Table table_;
  RecognitionSheet sheet_;
};

void recognise_pictures(const CommandLine& line, const RecogniseOptions& options,
                        const CharacterRecogniser& recogniser, std::span<const std::string> files,
                        std::vector<std::string>& errors) {
  if (!options.draw.empty() && files.size() > kMaxExplainedImages) {
    throw UsageError(fmt::format("--draw shows at most {} pictures", kMaxExplainedImages));
  }
  Recognition recognition(line, options, recogniser);
  for (std::size_t first = 0; first < files.size(); first += kPicturesAtOnce) {
    throw_if_interrupted();
    const std::size_t count = std::min(kPicturesAtOnce, files.size() - first);
    recognition.add(files.subspan(first, count), errors);
  }
  write_figures(options.figures, recognition.table());
  if (!options.draw.empty()) write_file(options.draw, recognition.sheet().png());
}

// The files to read; the picture of stdin becomes `options.given`.
std::vector<std::string> pictures_of(RecogniseOptions& options, std::vector<std::string>& errors) {
  if (std::ranges::find(options.images, "-") == options.images.end()) {
    std::vector<std::string> warnings;
    const std::vector<std::string> files = named_images(options.images, errors, warnings);
    log_warnings(warnings);
    return files;
  }
  if (options.images.size() > 1) throw UsageError("-, one picture from stdin, stands alone");
  const std::string bytes = read_stdin(kMaxMemberBytes);
  options.given = std::make_shared<const Photograph>(
      read_photograph(bytes, std::string(kStdin), character_request()));
  return {std::string(kStdin)};
}

ExitCode recognise(const CommandLine& line, RecogniseOptions& options) {
  std::vector<std::string> errors;
  const std::vector<std::string> files = pictures_of(options, errors);
  std::u32string wanted;
  if (!options.characters.empty() && options.characters != "all") {
    wanted = character_sets(character_set_names(options.characters), U"").characters;
  }
  CharacterRecogniser recogniser(recogniser_model(line, options.model, options.characters));
  recogniser.restrict_to(wanted);
  if (options.lines) {
    recognise_pages(line, options, recogniser, files, errors);
  } else {
    recognise_pictures(line, options, recogniser, files, errors);
  }
  const ExitCode code = show_errors(errors);
  const bool single = files.size() == 1 && options.images.size() == 1;
  return code == ExitCode::kSomeFailed && single ? ExitCode::kInput : code;
}

}  // namespace

void add_recognise_command(CLI::App& glyph, CommandLine& line) {
  const auto options = std::make_shared<RecogniseOptions>();
  CLI::App* command = add_command(glyph, line, "recognise",
                                  "Name the characters in pictures of one each, or on pages",
                                  "leafglyph glyph recognise cut-outs --csv characters.csv",
                                  [&line, options] { return recognise(line, *options); });
  command
      ->add_option("images", options->images, "Image files, and folders of them; -: one from stdin")
      ->required();
  command->add_option("--model", options->model,
                      "Folder written by glyph train; default: made once from Debian's fonts");
  command->add_option(
      "--characters", options->characters,
      std::string("Only these are answers: ") + kCharacterSetNames + "; several with commas");
  command->add_option("--top", options->top, "Candidates to show per picture")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  add_figure_files(*command, line, options->figures, "the predictions");
  add_output(*command, line, "--draw", options->draw, OutputKind::kPng,
             "Draw the pictures with their answers; with --lines the boxes on the page");
  CLI::Option* lines = command->add_flag("--lines", options->lines,
                                         "The images are pages: find lines and characters in them");
  command
      ->add_option("--direction", options->direction,
                   "Of the lines: horizontal, or vertical from right to left; default: found")
      ->check(one_of({"horizontal", "vertical"}))
      ->needs(lines);
  add_output(*command, line, "--hocr", options->hocr, OutputKind::kHocr,
             "Write the text of the pages with boxes as hOCR")
      ->needs(lines);
}

}  // namespace leafglyph
