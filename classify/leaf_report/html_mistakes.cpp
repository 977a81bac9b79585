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

// Predictions, of distinct leaves, that mistake `pair.truth` for `pair.prediction`.
std::vector<const TestPrediction*> examples(const EvaluationResult& r, const ConfusedPair& pair) {
  std::vector<const TestPrediction*> found;
  std::set<std::size_t> leaves;
  for (const TestPrediction& prediction : r.predictions) {
    if (found.size() == kExamples) break;
    if (prediction.truth == pair.truth && prediction.predicted() == pair.prediction &&
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

PageValues pair_card(const LeafEvaluation& e, const ConfusedPair& pair, LeafPictures& pictures) {
  PageValues truths = PageValues::array(), predictions = PageValues::array();
  for (const TestPrediction* prediction : examples(e.result, pair)) {
    truths.push_back(picture(e, prediction->sample, pictures));
    predictions.push_back(picture(e, nearest_of_prediction(e, *prediction), pictures));
  }
  return {{"truth", class_name(e, pair.truth)},
          {"prediction", class_name(e, pair.prediction)},
          {"count", pair.count},
          {"tests", e.result.classes[static_cast<std::size_t>(pair.truth)].tests},
          {"truths", std::move(truths)},
          {"predictions", std::move(predictions)}};
}

PageValues pair_table(const LeafEvaluation& e, const std::vector<ConfusedPair>& pairs) {
  if (pairs.size() <= kPairs) return nullptr;
  PageValues rows = PageValues::array();
  for (const ConfusedPair& pair : pairs) {
    rows.push_back({{"truth", class_name(e, pair.truth)},
                    {"prediction", class_name(e, pair.prediction)},
                    {"count", pair.count}});
  }
  return {{"total", pairs.size()}, {"rows", std::move(rows)}};
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
  std::vector<NeighbourCard> cards;
  for (std::size_t i = 0; i < shown.neighbours.size(); ++i) {
    const std::size_t sample = shown.neighbours[i];
    const int label = label_of(e, sample);
    cards.push_back({picture(e, sample, pictures), file_name(e, sample), class_name(e, label),
                     static_cast<double>(shown.distances[i]),
                     label == shown.truth ? "same" : "other"});
  }
  PageValues card = {{"picture", picture(e, leaf.sample, pictures)},
                     {"truth", class_name(e, shown.truth)},
                     {"file", file_name(e, leaf.sample)},
                     {"predictions", predictions_text(e, leaf)},
                     {"often", leaf.tests > 1},
                     {"mistakes", leaf.mistakes.size()},
                     {"tests", leaf.tests},
                     {"refused", !shown.decision.known()},
                     {"neighbours", neighbour_list(cards)}};
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

std::string confused_pair_cards(const LeafEvaluation& e, LeafPictures& pictures) {
  const std::vector<ConfusedPair> pairs = confused_pairs(e.result);
  PageValues cards = PageValues::array();
  for (std::size_t i = 0; i < std::min(kPairs, pairs.size()); ++i) {
    cards.push_back(pair_card(e, pairs[i], pictures));
  }
  return filled_template(
      report_pairs(),
      {{"any", !pairs.empty()}, {"pairs", std::move(cards)}, {"table", pair_table(e, pairs)}});
}

std::string mistake_cards(const LeafEvaluation& e, LeafPictures& pictures) {
  const std::vector<MistakenLeaf> leaves = mistaken_leaves(e.result);
  const std::size_t shown = std::min(kLeaves, leaves.size());
  PageValues cards = PageValues::array();
  for (std::size_t i = 0; i < shown; ++i) cards.push_back(mistake_card(e, leaves[i], pictures));
  return filled_template(report_mistakes(), {{"any", !leaves.empty()},
                                             {"wrong", leaves.size()},
                                             {"all", e.dataset.samples.size()},
                                             {"cut", shown < leaves.size()},
                                             {"shown", shown},
                                             {"leaves", std::move(cards)}});
}

std::string neighbour_list(const std::vector<NeighbourCard>& cards) {
  PageValues list = PageValues::array();
  for (const NeighbourCard& card : cards) {
    list.push_back({{"mark", card.mark},
                    {"picture", card.picture},
                    {"same", card.mark == "same"},
                    {"other", card.mark == "other"},
                    {"class", card.class_name},
                    {"name", card.name},
                    {"distance", html_distance(card.distance)}});
  }
  return filled_template(report_neighbours(), {{"neighbours", std::move(list)}});
}

}  // namespace leafglyph
