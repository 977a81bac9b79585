#include "classify/character/character_model.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/support/config.h"
#include "classify/support/half_values.h"
#include "classify/support/versions.h"
#include "classify/support/written_keys.h"
#include "datasets/glyph/same_shape.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/base/text.h"
#include "features/record/record.h"

namespace leafglyph {
namespace {

constexpr const char *kSettings = "config.yaml", *kCharacters = "characters.txt",
                     *kMean = "mean.npy", *kSpread = "spread.npy", *kMatrix = "matrix.npy",
                     *kWhitening = "whitening.npy", *kCounts = "counts.npy", *kMeans = "means.npy",
                     *kTemplates = "templates.npy";
constexpr int kNoTemplate = 128;  // what an unsigned byte has more than a template

template <class T>
std::string array_of(std::span<const T> values, std::initializer_list<std::size_t> shape) {
  return npy_bytes<T>(values, std::vector<std::size_t>(shape));
}

template <class To, class From>
std::vector<To> as(std::span<const From> values) {
  return std::vector<To>(values.begin(), values.end());
}

template <class T>
NpyArray<T> array_in(const Record& record, const char* name, std::vector<std::size_t> shape) {
  NpyArray<T> array = parse_npy<T>(record.file(name), record.folder / name);
  if (array.shape != shape) throw record.damaged(name, "does not have the shape of the model");
  return array;
}

std::vector<std::string> names_in_characters(const std::filesystem::path& folder) {
  return names_in_record(folder, kCharacterModel);
}

RecordFiles files_of(const CharacterModel& model) {
  const CharacterClassifier& classifier = model.classifier;
  const CharacterClassifier::Parts& parts = classifier.parts();
  const std::size_t n = classifier.columns(), p = classifier.directions(),
                    all = classifier.characters();
  const std::vector<float> matrix = as<float>(parts.plda.matrix());
  const std::vector<std::int32_t> counts = as<std::int32_t>(std::span(parts.counts));
  std::vector<Half> means(parts.means.size());
  to_half(parts.means, means);
  std::vector<std::uint8_t> templates;
  for (const std::int8_t value : parts.templates) {
    templates.push_back(static_cast<std::uint8_t>(value + kNoTemplate));
  }
  return {{kSettings, yaml_of(model.spec)},
          {kCharacters, encode_utf8(model.characters)},
          {kMean, array_of(parts.plda.mean(), {n})},
          {kSpread, array_of(parts.plda.spread(), {p})},
          {kMatrix, array_of<float>(matrix, {n, p})},
          {kWhitening, array_of<float>(parts.whitening, {n * (n + 1) / 2})},
          {kCounts, array_of<std::int32_t>(counts, {all})},
          {kMeans, array_of<Half>(means, {all, p})},
          {kTemplates, array_of<std::uint8_t>(templates, {templates.size() / (all * p), all, p})}};
}

Facts judged_facts(const StyleShares& judged) {
  Facts list = Facts::array();
  for (const StyleShare& style : judged.styles) {
    list.push_back({{"style", style.name},
                    {"clean", {style.clean.right, style.clean.rows}},
                    {"damaged", {style.damaged.right, style.damaged.rows}}});
  }
  return list;
}

CharacterModel::History history_in(const Facts& facts) {
  CharacterModel::History history{facts.at("date").get<std::string>(),
                                  facts.at("written_by").get<std::string>(),
                                  {facts.at("judged_by_other_styles").get<bool>(), {}}};
  const auto rows = [](const Facts& pair) {
    return JudgedShare{pair.at(1).get<std::size_t>(), pair.at(0).get<std::size_t>()};
  };
  for (const Facts& style : facts.at("judged")) {
    history.judged.styles.push_back(
        {style.at("style").get<std::string>(), rows(style.at("clean")), rows(style.at("damaged"))});
  }
  return history;
}

Facts facts_of(const CharacterModel& model) {
  const CharacterClassifier::Parts& parts = model.classifier.parts();
  return {{"date", model.history.date},
          {"written_by", model.history.version},
          {"styles", model.styles},
          {"judged_by_other_styles", model.history.judged.by_others},
          {"judged", judged_facts(model.history.judged)},
          {"scale", parts.scale},
          {"template_weight", parts.template_weight},
          {"unlike",
           {{"weights", parts.unlike.weights},
            {"offset", parts.unlike.offset},
            {"threshold", parts.unlike.threshold}}},
          {"calibration",
           {{"slope", parts.calibration.slope()}, {"offset", parts.calibration.offset()}}}};
}

CharacterClassifier classifier_in(const Record& record, std::size_t columns,
                                  std::u32string_view known) {
  const std::size_t characters = known.size();
  const Facts& facts = record.facts;
  const auto spread = parse_npy<double>(record.file(kSpread), record.folder / kSpread);
  const std::size_t p = spread.values.size();
  const auto matrix = array_in<float>(record, kMatrix, {columns, p});
  const auto halves = view_npy<Half>(record.file(kMeans), record.folder / kMeans);
  if (halves.values.size() != characters * p) throw record.damaged(kMeans, "has another shape");
  std::vector<float> means(halves.values.size());
  to_float(halves.values, means);
  std::vector<std::int8_t> templates;
  for (const std::uint8_t value :
       parse_npy<std::uint8_t>(record.file(kTemplates), record.folder / kTemplates).values) {
    templates.push_back(static_cast<std::int8_t>(value - kNoTemplate));
  }
  const auto counts = array_in<std::int32_t>(record, kCounts, {characters});
  const Facts &unlike = facts.at("unlike"), &calibration = facts.at("calibration");
  return CharacterClassifier(
      {facts.at("scale").get<double>(),
       Plda(array_in<double>(record, kMean, {columns}).values, as<double>(std::span(matrix.values)),
            spread.values, record.folder.string()),
       array_in<float>(record, kWhitening, {columns * (columns + 1) / 2}).values,
       as<std::size_t>(std::span(counts.values)),
       std::move(means),
       std::move(templates),
       facts.at("template_weight").get<double>(),
       {unlike.at("weights").get<CharacterSigns>(), unlike.at("offset").get<double>(),
        unlike.at("threshold").get<double>()},
       OpenSetCalibration(calibration.at("slope").get<double>(),
                          calibration.at("offset").get<double>()),
       shapes_of(known)});
}

}  // namespace

std::vector<std::size_t> shapes_of(std::u32string_view characters) {
  std::map<char32_t, std::size_t> shapes;  // by the first character of each
  std::vector<std::size_t> result;
  for (const char32_t& character : characters) {
    result.push_back(
        shapes.try_emplace(same_shape(character).front(), shapes.size()).first->second);
  }
  return result;
}

void check_can_save_characters(const std::filesystem::path& folder) {
  StagedFolder::check(folder, names_in_characters);
}

std::uint64_t save_characters(const CharacterModel& model, const std::filesystem::path& folder) {
  StagedFolder staged(folder, names_in_characters);
  const std::uint64_t bytes =
      write_record(staged, kCharacterModel, facts_of(model), {files_of(model), {}});
  staged.commit();
  return bytes;
}

std::filesystem::path place_of_model(const CharacterSpec& spec,
                                     const std::filesystem::path& caches) {
  std::string all = version() + "\n" + yaml_of(spec);
  for (const TrainingFont& font : spec.fonts) all += sha256(read_file(font.font.file)) + "\n";
  return caches / ("characters-" + sha256(all).substr(0, 16));
}

CharacterModel load_characters(const std::filesystem::path& folder) {
  const Record record = read_record(folder, kCharacterModel);
  CharacterSpec spec;
  record.checked(kSettings, [&] {
    read_keys(Config::parse(record.file(kSettings), (folder / kSettings).string()), spec);
  });
  const std::u32string characters =
      record.checked(kCharacters, [&] { return decode_utf8(record.file(kCharacters)); });
  return record.checked(kCharacterModel.facts, [&] {
    auto styles = record.facts.at("styles").get<std::vector<std::string>>();
    CharacterClassifier classifier = classifier_in(record, columns(spec.features), characters);
    return CharacterModel{
        spec,        characters, std::move(styles), std::move(classifier), history_in(record.facts),
        record.bytes};
  });
}

}  // namespace leafglyph
