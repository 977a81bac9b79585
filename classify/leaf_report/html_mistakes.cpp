#include "classify/leaf_report/html_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/page_template.h"

namespace leafglyph {
namespace {

constexpr std::size_t kPairs = 8;
constexpr std::size_t kExamples = 2;  // of each pair
constexpr std::size_t kLeaves = 60;

std::string class_name(const LeafEvaluation& e, int label) {
  return shown_species(e.result.class_names[static_cast<std::size_t>(label)]);
}

int label_of(const LeafEvaluation& e, std::size_t sample) {
  return e.dataset.samples[sample].label;
}

std::string file_name(const LeafEvaluation& e, std::size_t sample) {
  const LeafSample& leaf = e.dataset.samples[sample];
  return leaf.file.empty() ? fmt::format("leaf {}", leaf.generated) : leaf.file.filename().string();
}

std::string picture(const LeafEvaluation& e, std::size_t sample, LeafPictures& pictures) {
  return html_picture(pictures.of(sample),
                      file_name(e, sample) + " of " + class_name(e, label_of(e, sample)));
}

// Predictions, of distinct leaves, that mistake the truth of a pair for its prediction.
std::vector<const TestPrediction*> examples(const EvaluationResult& r, const PageValues& pair) {
  std::vector<const TestPrediction*> found;
  std::set<std::size_t> leaves;
  const auto& truth = pair["truth"].get_ref<const std::string&>();
  const auto& predicted = pair["prediction"].get_ref<const std::string&>();
  for (const TestPrediction& prediction : r.predictions) {
    if (found.size() == kExamples) break;
    if (r.class_names[static_cast<std::size_t>(prediction.truth)] == truth &&
        r.class_names[static_cast<std::size_t>(prediction.predicted())] == predicted &&
        leaves.insert(prediction.sample).second) {
      found.push_back(&prediction);
    }
  }
  return found;
}

// The nearest neighbour of the predicted class. There is one, because neighbours voted for the
// class.
std::size_t nearest_of_prediction(const LeafEvaluation& e, const TestPrediction& prediction) {
  return *std::find_if(
      prediction.neighbours.begin(), prediction.neighbours.end(),
      [&](std::size_t sample) { return label_of(e, sample) == prediction.predicted(); });
}

PageValues pair_card(const LeafEvaluation& e, PageValues pair, LeafPictures& pictures) {
  PageValues truths = PageValues::array(), predictions = PageValues::array();
  for (const TestPrediction* prediction : examples(e.result, pair)) {
    truths.push_back(picture(e, prediction->sample, pictures));
    predictions.push_back(picture(e, nearest_of_prediction(e, *prediction), pictures));
  }
  pair["truths"] = std::move(truths);
  pair["predictions"] = std::move(predictions);
  return pair;
}

// "Canadian poplar", or "Canadian poplar (2 times), tangerine (1)" where the splits differ.
std::string predictions_text(const LeafEvaluation& e, const MistakenLeaf& leaf) {
  std::map<std::string, std::size_t> counts;
  for (const std::size_t mistake : leaf.mistakes) {
    ++counts[class_name(e, e.result.predictions[mistake].predicted())];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name;
    if (counts.size() > 1) text += fmt::format(" ({})", count);
  }
  return text;
}

PageValues mistake_card(const LeafEvaluation& e, const MistakenLeaf& leaf, LeafPictures& pictures) {
  const TestPrediction& shown = e.result.predictions[leaf.mistakes.front()];
  PageValues neighbours = PageValues::array();
  for (std::size_t i = 0; i < shown.neighbours.size(); ++i) {
    const std::size_t sample = shown.neighbours[i];
    const int label = label_of(e, sample);
    neighbours.push_back({{"picture", picture(e, sample, pictures)},
                          {"name", file_name(e, sample)},
                          {"class", class_name(e, label)},
                          {"distance", shown.distances[i]},
                          {"same", label == shown.truth}});
  }
  PageValues card = {{"picture", picture(e, leaf.sample, pictures)},
                     {"truth", class_name(e, shown.truth)},
                     {"file", file_name(e, leaf.sample)},
                     {"predictions", predictions_text(e, leaf)},
                     {"often", leaf.tests > 1},
                     {"mistakes", leaf.mistakes.size()},
                     {"tests", leaf.tests},
                     {"refused", !shown.decision.known()},
                     {"neighbours", neighbour_list(neighbours)}};
  if (e.result.splits.size() > 1) card["split"] = shown.split + 1;
  return card;
}

}  // namespace

std::vector<MistakenLeaf> mistaken_leaves(const EvaluationResult& r) {
  std::map<std::size_t, MistakenLeaf> leaves;
  for (std::size_t i = 0; i < r.predictions.size(); ++i) {
    MistakenLeaf& leaf = leaves[r.predictions[i].sample];
    leaf.sample = r.predictions[i].sample;
    ++leaf.tests;
    if (!r.predictions[i].hit(1)) leaf.mistakes.push_back(i);
  }
  std::vector<MistakenLeaf> mistaken;
  for (auto& [sample, leaf] : leaves) {
    if (!leaf.mistakes.empty()) mistaken.push_back(std::move(leaf));
  }
  std::stable_sort(mistaken.begin(), mistaken.end(),
                   [](const MistakenLeaf& a, const MistakenLeaf& b) {
                     return a.mistakes.size() > b.mistakes.size();
                   });
  return mistaken;
}

std::string confused_pair_cards(const LeafEvaluation& e, const PageValues& document,
                                LeafPictures& pictures) {
  const PageValues& pairs = document["confused_pairs"];
  PageValues cards = PageValues::array();
  for (std::size_t i = 0; i < std::min(kPairs, pairs.size()); ++i) {
    cards.push_back(pair_card(e, pairs[i], pictures));
  }
  return filled_template(report_pairs(),
                         {{"pairs", std::move(cards)}, {"table", pairs.size() > kPairs}}, document);
}

std::string mistake_cards(const LeafEvaluation& e, const PageValues& document,
                          LeafPictures& pictures) {
  const std::vector<MistakenLeaf> leaves = mistaken_leaves(e.result);
  const std::size_t shown = std::min(kLeaves, leaves.size());
  PageValues cards = PageValues::array();
  for (std::size_t i = 0; i < shown; ++i) cards.push_back(mistake_card(e, leaves[i], pictures));
  return filled_template(report_mistakes(),
                         {{"cut", shown < leaves.size()}, {"cards", std::move(cards)}}, document);
}

std::string neighbour_list(const PageValues& neighbours) {
  return filled_template(report_neighbours(), {{"neighbours", neighbours}});
}

}  // namespace leafglyph
