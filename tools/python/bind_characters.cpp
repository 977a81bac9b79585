// Characters in pictures: the recogniser that leafglyph.CharacterRecogniser is made of.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classify/character/character_training.h"
#include "classify/character/page_reader.h"
#include "classify/character/usual_characters.h"
#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"
#include "features/glyph/ink.h"
#include "tools/python/bindings.h"
#include "tools/python/given_pictures.h"
#include "tools/python/long_computation.h"

namespace leafglyph::python {
namespace {

namespace py = pybind11;
namespace fs = std::filesystem;

// A prediction as Python sees it. Names are those of the stubs.
struct NamedCharacter {
  std::optional<std::string> character;
  bool known = false;
  std::optional<double> probability;
  std::optional<std::string> word;
  std::vector<std::pair<std::string, double>> ranking;
  std::string same;
  std::optional<double> outlier_score;
  std::optional<std::array<int, 4>> box;
  std::optional<std::string> error;
};

NamedCharacter named(const CharacterPrediction& prediction) {
  NamedCharacter result;
  for (const auto& ranked : prediction.ranking) {
    result.ranking.emplace_back(encode_utf8(ranked.character), ranked.probability);
  }
  result.known = prediction.decision.known();
  result.probability = prediction.ranking.front().probability;
  result.word = name_of(*prediction.decision.word());
  result.same = encode_utf8(prediction.ranking.front().same);
  result.outlier_score = prediction.unlike;
  if (result.known) result.character = result.ranking.front().first;
  return result;
}

class Recogniser {
 public:
  explicit Recogniser(CharacterModel model) : recogniser_(std::move(model)) {}

  const CharacterModel& model() const { return recogniser_.model(); }
  void restrict_to(const std::u32string& characters) { recogniser_.restrict_to(characters); }

  std::vector<NamedCharacter> recognise(const GivenPictures& given, std::size_t top) {
    std::vector<CharacterPicture> pictures;
    std::vector<NamedCharacter> result(given.all.size());
    std::vector<Image<float>> inks(given.all.size());
    parallel_for(given.all.size(), [&](std::size_t i) {
      try {
        inks[i] = ink_of(photograph_of(given.all[i]));
      } catch (const InputError& error) {
        result[i].error = with_name(error.what(), given.names[i]);
      } catch (const FormatError& error) {
        result[i].error = error.what();
      }
    });
    std::vector<std::size_t> usable;
    for (std::size_t i = 0; i < inks.size(); ++i) {
      if (!result[i].error) usable.push_back(i);
    }
    const std::lock_guard lock(mutex_);
    const auto predictions = recogniser_.recognise(
        usable.size(), [&](std::size_t k) { return std::move(inks[usable[k]]); }, top);
    for (std::size_t k = 0; k < usable.size(); ++k) result[usable[k]] = named(predictions[k]);
    return result;
  }

  std::vector<std::vector<NamedCharacter>> read_page(const GivenPictures& given,
                                                     const PageRequest& request) {
    const std::lock_guard lock(mutex_);
    const ReadPage page =
        leafglyph::read_page(recogniser_, page_ink(photograph_of(given.all.front()).grey), request);
    std::vector<std::vector<NamedCharacter>> lines;
    for (const ReadLine& line : page.lines) {
      auto& characters = lines.emplace_back();
      for (const ReadCharacter& read : line.characters) {
        characters.push_back(read.prediction ? named(*read.prediction) : NamedCharacter{});
        characters.back().box = {read.box.left, read.box.top, read.box.width(), read.box.height()};
      }
    }
    return lines;
  }

 private:
  static std::string with_name(const std::string& reason, const std::string& name) {
    return reason.starts_with(name) ? reason : name + ": " + reason;
  }

  CharacterRecogniser recogniser_;
  std::mutex mutex_;
};

}  // namespace
template <>
inline constexpr bool kIsBound<NamedCharacter> = true;
template <>
inline constexpr bool kIsBound<Recogniser> = true;
namespace {

CharacterModel usual_model(const std::string& characters, std::vector<std::string>& warnings) {
  const UsualCharacters usual(characters);
  const auto warn = [&](const std::string& line) { warnings.push_back(line); };
  if (auto kept = usual.kept(warn)) return *std::move(kept);
  CharacterModel model =
      train_characters(usual.spec(), {}, [](std::size_t) { throw_if_interrupted(); }).model;
  usual.keep(model, warn);
  return model;
}

std::unique_ptr<Recogniser> loaded_recogniser(const std::optional<fs::path>& folder,
                                              const std::string& characters) {
  std::vector<std::string> warnings;
  auto recogniser = without_gil([&] {
    return std::make_unique<Recogniser>(folder ? load_characters(*folder)
                                               : usual_model(characters, warnings));
  });
  warn(warnings);
  return recogniser;
}

struct Taught {
  std::vector<std::string> characters, styles;
};

// Pictures from arrays and files, with the name of each one's character, or from folders.
std::vector<CharacterPicture> taught_pictures(const std::variant<fs::path, py::iterable>& given,
                                              const Taught& taught,
                                              std::vector<std::string>& warnings) {
  if (const auto* folder = std::get_if<fs::path>(&given)) {
    const std::string name = folder->string();
    CharacterPictures found = load_character_folders({&name, 1});
    warnings = std::move(found.warnings);
    return std::move(found.pictures);
  }
  GivenPictures pictures = given_pictures(std::get<py::iterable>(given), "picture");
  if (pictures.all.size() != taught.characters.size() ||
      (!taught.styles.empty() && taught.styles.size() != taught.characters.size())) {
    throw UsageError(std::to_string(pictures.all.size()) + " pictures, but " +
                     std::to_string(taught.characters.size()) + " characters and " +
                     std::to_string(taught.styles.size()) + " styles");
  }
  std::vector<CharacterPicture> result;
  for (std::size_t i = 0; i < pictures.all.size(); ++i) {
    const std::u32string characters = characters_from(taught.characters[i]);
    if (characters.size() != 1) {
      throw UsageError("'" + taught.characters[i] + "' is not one character or its code");
    }
    CharacterPicture& picture = result.emplace_back();
    picture.file = pictures.names[i];
    picture.style = taught.styles.empty() ? "pictures" : taught.styles[i];
    picture.character = characters.front();
    if (auto* grey = std::get_if<Image<std::uint8_t>>(&pictures.all[i])) {
      picture.grey = std::move(*grey);
    }
  }
  return result;
}

std::unique_ptr<Recogniser> taught_recogniser(const std::variant<fs::path, py::iterable>& pictures,
                                              const std::vector<std::string>& characters,
                                              const std::vector<std::string>& styles,
                                              const std::vector<fs::path>& fonts,
                                              const fs::path& config,
                                              const std::vector<std::string>& settings) {
  std::vector<std::string> lines, files;
  const std::vector<CharacterPicture> taught =
      taught_pictures(pictures, {characters, styles}, lines);
  for (const fs::path& font : fonts) files.push_back(font.string());
  const CharacterSpec spec =
      taught_by(load_character_spec(config, settings), files, !taught.empty());
  TrainedCharacters trained = without_gil(
      [&] { return train_characters(spec, taught, [](std::size_t) { throw_if_interrupted(); }); });
  warn(lines);
  warn(trained.errors);
  return std::make_unique<Recogniser>(std::move(trained.model));
}

std::size_t checked_top(int top) {
  if (top < 1) throw UsageError("top = " + std::to_string(top) + "; ask for 1 character or more");
  return static_cast<std::size_t>(top);
}

constexpr const char* kNamedDoc =
    R"(The result for a picture of one character, or for one on a page.

character: the most likely one; None if it is unknown, a mark on a page, or there is an error.
known: whether the picture shows a character of the model. probability: that the first of the ranking
    is correct. word: sure, likely, doubtful or unknown, as the command says; None of marks.
ranking: (character, probability), best first. same: other characters that are the same picture as
    the first, as ロ is of 口. outlier_score: the probability that it shows no character of the model.
box: (left, top, width, height) in pixels on its page; otherwise None.
error: one line; None if there is a prediction.)";

void bind_named_character(py::module_& module) {
  py::class_<NamedCharacter>(module, "CharacterPrediction", kNamedDoc)
      .def_readonly("character", &NamedCharacter::character)
      .def_readonly("known", &NamedCharacter::known)
      .def_readonly("probability", &NamedCharacter::probability)
      .def_readonly("word", &NamedCharacter::word)
      .def_readonly("ranking", &NamedCharacter::ranking)
      .def_readonly("same", &NamedCharacter::same)
      .def_readonly("outlier_score", &NamedCharacter::outlier_score)
      .def_readonly("error", &NamedCharacter::error)
      .def_property_readonly("box",
                             [](const NamedCharacter& prediction) -> py::object {
                               if (!prediction.box) return py::none();
                               return py::tuple(py::cast(*prediction.box));
                             })
      .def(pickled_by(&NamedCharacter::character, &NamedCharacter::known,
                      &NamedCharacter::probability, &NamedCharacter::word, &NamedCharacter::ranking,
                      &NamedCharacter::same, &NamedCharacter::outlier_score, &NamedCharacter::box,
                      &NamedCharacter::error))
      .def("__repr__", [](const NamedCharacter& prediction) {
        const std::string otherwise = prediction.word ? "unknown" : "mark";
        return "<leafglyph.CharacterPrediction: " +
               prediction.error.value_or(prediction.character.value_or(otherwise)) + ">";
      });
}

}  // namespace

void bind_characters(py::module_& module) {
  using namespace pybind11::literals;
  bind_named_character(module);
  py::class_<Recogniser>(module, "_CharacterModel")
      .def(py::init(&loaded_recogniser), "folder"_a, "characters"_a)
      .def("restrict_to", &Recogniser::restrict_to, "characters"_a)
      .def(
          "recognise",
          [](Recogniser& self, const py::iterable& pictures, int top) {
            const std::size_t count = checked_top(top);
            const GivenPictures given = given_pictures(pictures, "picture");
            return without_gil([&] { return self.recognise(given, count); });
          },
          "pictures"_a, "top"_a)
      .def(
          "read_page",
          [](Recogniser& self, const py::object& page, const std::optional<std::string>& direction,
             int top) {
            PageRequest request;
            if (direction) request.direction = from_name<TextDirection>(*direction);
            request.top = checked_top(top);
            request.advance = [](std::size_t, std::size_t) { throw_if_interrupted(); };
            const GivenPictures given = given_pictures(py::make_tuple(page), "page");
            return without_gil([&] { return self.read_page(given, request); });
          },
          "page"_a, "direction"_a, "top"_a)
      .def(
          "save",
          [](const Recogniser& self, const fs::path& folder) {
            without_gil([&] { save_characters(self.model(), folder); });
          },
          "folder"_a)
      .def_property_readonly("characters",
                             [](const Recogniser& self) { return self.model().characters; })
      .def_property_readonly("styles", [](const Recogniser& self) { return self.model().styles; });
  module.def("_train_characters", &taught_recogniser, "pictures"_a, "characters"_a, "styles"_a,
             "fonts"_a, "config"_a, "settings"_a);
}

}  // namespace leafglyph::python
