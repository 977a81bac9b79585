// `leafglyph glyph recognise`: the characters in pictures of one each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "classify/character/character_recogniser.h"
#include "classify/character/known_lookalikes.h"
#include "datasets/glyph/character_code.h"
#include "datasets/glyph/character_set.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "tools/cli/character_options.h"
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

}  // namespace

void add_recognise_command(CLI::App& glyph, CommandLine& line) {
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

}  // namespace leafglyph
