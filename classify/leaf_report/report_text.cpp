#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf_report/report.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kPairsShown = 10;
constexpr const char* kCurvePoint = "95.00";  // the point of the rejection curve that is shown

std::string padded(std::string text, std::size_t width) {
  const std::size_t have = count_characters(text);
  if (have < width) text.append(width - have, ' ');
  return text;
}

std::string right(const std::string& text, std::size_t width) {
  const std::size_t have = count_characters(text);
  return have < width ? std::string(width - have, ' ') + text : text;
}

// Number of classes that the first split with unknown leaves holds back.
std::size_t held_back(const EvaluationResult& r) {
  std::set<int> classes;
  for (const TestPrediction& prediction : r.unknown_predictions) {
    if (prediction.split == r.unknown_predictions.front().split) classes.insert(prediction.truth);
  }
  return classes.size();
}

// The share of each word among `all` predictions, and how many of these are right if that is asked
// for.
std::string word_shares(std::span<const WordScore> words, std::size_t all, bool with_right) {
  std::string text;
  for (std::size_t w = 0; w < words.size(); ++w) {
    text += fmt::format("{}{} {} %", w == 0 ? "" : "; ", name_of(static_cast<Word>(w)),
                        percent(words[w].share(all)));
    if (with_right) text += ", right " + percent(words[w].right_share());
  }
  return text;
}

std::string headline(const EvaluationResult& r) {
  const auto figure = [&](const Summary& summary) {
    return percent(summary.mean) + " %" +
           (r.splits.size() > 1 ? " +- " + percent(summary.deviation) : std::string());
  };
  std::ostringstream text;
  text << "top-1          " << figure(r.top1) << "   (95 % interval " << percent(r.interval.low)
       << " to " << percent(r.interval.high) << " %: " << r.interval.method << ")\n"
       << "top-3, top-5   " << figure(r.top3) << ", " << figure(r.top5) << "\n"
       << "macro average  " << figure(r.macro) << "\n";
  if (r.classifier.answered_share < 1.0) {
    text << "answered       " << figure(r.answered) << ", right among them "
         << figure(r.answered_correct) << "   (asked for: " << percent(r.classifier.answered_share)
         << " % of known leaves)\n";
  }
  if (!r.reliability.empty()) {
    text << "in words       " << word_shares(r.words, r.predictions.size(), /*with_right=*/true);
    text << "\n               probability off by " << percent(calibration_error(r.reliability))
         << " % (expected calibration error)\n";
  }
  if (!r.unknown_predictions.empty()) {
    text << "rejected       " << figure(r.rejected) << " of the leaves of " << held_back(r)
         << " classes held back\n";
    if (!r.reliability.empty()) {
      text << "in words       "
           << word_shares(r.unknown_words, r.unknown_predictions.size(), /*with_right=*/false)
           << "\n";
    }
    for (const RejectionPoint& point : rejection_curve(r)) {
      if (percent(point.answered) != kCurvePoint) continue;
      text << "               " << figure(point.rejected) << " of them at " << kCurvePoint
           << " % of the known test leaves answered\n";
    }
  }
  return text.str();
}

std::string class_lines(const EvaluationResult& r) {
  Table table("class:text tests right recall:.2f precision:.2f");
  for (std::size_t c = 0; c < r.classes.size(); ++c) {
    const ClassScore& score = r.classes[c];
    table.add(r.class_names[c], score.tests, score.correct, 100.0 * score.recall(),
              100.0 * score.precision());
  }
  return table.aligned(7);
}

std::string pair_lines(const EvaluationResult& r) {
  const std::vector<ConfusedPair> pairs = confused_pairs(r);
  if (pairs.empty()) return "no leaf was taken for another class\n";
  std::string text = "most often taken for another class\n";
  for (std::size_t i = 0; i < std::min(kPairsShown, pairs.size()); ++i) {
    text += right(std::to_string(pairs[i].count), 7) + "  " +
            r.class_names[static_cast<std::size_t>(pairs[i].truth)] + " -> " +
            r.class_names[static_cast<std::size_t>(pairs[i].prediction)] + "\n";
  }
  return text;
}

// The chosen settings, with the number of splits that chose them, most frequent first.
std::string tuning_lines(const EvaluationResult& r) {
  if (r.tuned.empty()) return "";
  std::string text = "tuned          by " + describe(r.tuning, r.layout, r.classifier) + "\n";
  for (const ChosenSettings& chosen : chosen_settings(r)) {
    text += fmt::format("               chosen in {} of {} splits: {}\n", chosen.splits,
                        r.tuned.size(), chosen.settings);
  }
  return text;
}

std::string time_line(std::span<const StageTime> times) {
  std::string text = "seconds        ";
  for (const StageTime& time : times) {
    text += fmt::format("{}{} {}", &time == times.data() ? "" : ", ", time.stage,
                        seconds_text(time.seconds));
  }
  return text + "\n";
}

std::string in_words(const LeafModel& model, int label, const Decision& decision,
                     const std::optional<double>& probability) {
  const std::string& nearest = model.class_names[static_cast<std::size_t>(label)];
  const std::string share = probability ? fmt::format("{:.0f} %", 100 * *probability) : "";
  if (!decision.known())
    return "unknown; nearest: " + nearest + (share.empty() ? "" : " (" + share + ")");
  if (share.empty()) return nearest;
  return fmt::format("{}; {} ({})", nearest, name_of(*decision.word()), share);
}

const PublishedPoint* published_at(int order) {
  for (const PublishedPoint& point : published_sweep()) {
    if (point.order == order) return &point;
  }
  return nullptr;
}

}  // namespace

std::string describe(const ClassifierSpec& spec) {
  const PipelineSpec& p = spec.pipeline;
  std::string text(name_of(p.values));
  if (p.projection == Projection::kPlda) {
    text += fmt::format(", probabilistic linear discriminant (shrinkage {:g})", p.plda.shrinkage);
    if (p.plda.augmentation > 0.0) text += fmt::format(", augmentation {:g}", p.plda.augmentation);
    return fmt::format("{}; the likeliest species of the {} nearest leaves", text, spec.k);
  }
  if (p.scaling == Scaling::kStandardise) text += ", standardised";
  return fmt::format("{}; {} nearest, {}, majority vote", text, spec.k, name_of(spec.metric));
}

std::string describe_outlier_score(const ClassifierSpec& spec) {
  return spec.pipeline.projection == Projection::kPlda
             ? "probability that the species is none of the model's"
             : "mean distance to the nearest training leaves";
}

std::vector<ConfusedPair> confused_pairs(const EvaluationResult& r) {
  const std::size_t classes = r.class_names.size();
  std::vector<ConfusedPair> pairs;
  for (std::size_t t = 0; t < classes; ++t) {
    for (std::size_t a = 0; a < classes; ++a) {
      const std::size_t count = r.confusion[t * classes + a];
      if (t != a && count > 0) pairs.push_back({static_cast<int>(t), static_cast<int>(a), count});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ConfusedPair& a, const ConfusedPair& b) { return a.count > b.count; });
  return pairs;
}

std::vector<ChosenSettings> chosen_settings(const EvaluationResult& r) {
  std::map<std::string, std::size_t> counts;
  for (const TunedSettings& tuned : r.tuned) ++counts[describe(tuned, r.tuning)];
  std::vector<ChosenSettings> chosen;
  chosen.reserve(counts.size());
  for (const auto& [settings, splits] : counts) chosen.push_back({settings, splits});
  std::stable_sort(
      chosen.begin(), chosen.end(),
      [](const ChosenSettings& a, const ChosenSettings& b) { return a.splits > b.splits; });
  return chosen;
}

std::string text_report(const LeafEvaluation& e) {
  const EvaluationResult& r = e.result;
  std::ostringstream text;
  text << "configuration  " << e.config.name << "\n"
       << "data           " << e.data_description << "\n"
       << "protocol       " << describe(r.protocol) << "\n"
       << "preparation    " << name_of(e.config.preparation.geometry) << ", "
       << e.config.preparation.size << " x " << e.config.preparation.size << ", leaf area "
       << e.config.preparation.area
       << (e.config.preparation.petiole == Petiole::kCut ? ", stalks cut off" : "") << "\n"
       << "features       " << describe(e.config.features) << ": " << r.layout.columns()
       << " columns, " << r.dropped_columns << " of them constant and dropped\n"
       << "classifier     " << describe(r.fitted) << "\n"
       << tuning_lines(r) << "\n"
       << (e.config.data.source == DataSource::kGenerated
               ? "generated leaves: they are easier to distinguish than real ones\n"
               : "")
       << headline(r) << "\n"
       << class_lines(r) << "\n"
       << pair_lines(r) << "\n"
       << time_line(e.times);
  return escape_bytes(text.str());
}

std::string perturbation_text(const PerturbationTable& table) {
  std::size_t width = 11;
  for (const auto* scores : {&table.leaves, &table.leafless}) {
    for (const PerturbedScore& score : *scores) width = std::max(width, score.name.size());
  }
  const auto line = [&](const PerturbedScore& score, bool leaf) {
    return padded(score.name, width) + right(std::to_string(score.pictures), 10) +
           right(leaf ? percent(score.share(score.right)) : "-", 8) +
           right(percent(score.share(score.unknown)), 11) +
           right(percent(score.share(score.refused)), 11) +
           right(percent(score.share(score.misidentified)), 15) +
           right(percent(score.share(score.sure)), 8) +
           right(score.sure == 0 || !leaf ? "-" : percent(score.right_of_sure()), 12) +
           right(percent(score.wrong_doubted()), 15) + "\n";
  };
  std::string text = fmt::format(
      "perturbed photographs, seed {}, by a classifier of {} leaves of the first split; %\n\n",
      table.seed, table.training_leaves);
  const std::string head =
      "  pictures   right  'unknown'    refused  misidentified    sure  right then  wrong: "
      "doubted\n";
  text += padded("test leaves", width) + head;
  for (const PerturbedScore& score : table.leaves) text += line(score, /*leaf=*/true);
  text += "\n" + padded("no leaf", width) + head;
  for (const PerturbedScore& score : table.leafless) text += line(score, /*leaf=*/false);
  return text + "\nseconds        " + seconds_text(table.seconds) + "\n";
}

std::string sweep_text(std::span<const LeafSweep> sweeps) {
  std::ostringstream text;
  for (const LeafSweep& sweep : sweeps) {
    text << "configuration  " << sweep.config.name << "\n"
         << "data           " << sweep.data_description << "\n"
         << "protocol       " << describe(sweep.config.protocol) << "\n"
         << "features       " << describe(sweep.config.features) << "\n"
         << "classifier     " << describe(sweep.config.classifier) << "\n"
         << (sweep.tuned.empty() ? "" : "tuned          by " + sweep.tuned + "\n") << "\n"
         << "order  columns  top-1 %  deviation  95 % interval     published\n";
    for (const SweepPoint& point : sweep.points) {
      const PublishedPoint* published = published_at(point.order);
      text << right(std::to_string(point.order), 5) << right(std::to_string(point.columns), 9)
           << right(percent(point.top1.mean), 9) << right(percent(point.top1.deviation), 11)
           << right(percent(point.interval.low), 8) << " to "
           << padded(percent(point.interval.high), 8)
           << right(published != nullptr && sweep.config.data.source == DataSource::kFlavia
                        ? percent(published->percent / 100.0)
                        : "-",
                    9)
           << "\n";
    }
    text << "\n" << time_line(sweep.times) << (&sweep == &sweeps.back() ? "" : "\n");
  }
  return escape_bytes(text.str());
}

std::string predicted_name(const LeafModel& model, const Prediction& prediction) {
  return prediction.decision.known()
             ? model.class_names[static_cast<std::size_t>(prediction.ranking.front().label)]
             : "unknown";
}

std::string prediction_in_words(const LeafModel& model, const Prediction& prediction) {
  return in_words(model, prediction.ranking.front().label, prediction.decision,
                  prediction.probability);
}

std::string plant_text(const LeafModel& model, const PlantPrediction& plant,
                       std::span<const ClassifiedLeaf> leaves) {
  std::string text =
      fmt::format("one plant, {} {}: {}\n", plant.leaves, plant.leaves == 1 ? "leaf" : "leaves",
                  in_words(model, plant.ranking.front().label, plant.decision, plant.probability));
  for (const std::size_t i : plant.contradicting) {
    text += fmt::format("  but {} by itself is {}\n", shown_name(leaves[i]),
                        prediction_in_words(model, *leaves[i].prediction));
  }
  for (const PlantClass& ranked : plant.ranking) {
    text += fmt::format("  votes {} of {}  {}\n", ranked.voters, plant.voters,
                        model.class_names[static_cast<std::size_t>(ranked.label)]);
  }
  return escape_bytes(text) + classification_text(model, leaves);
}

std::string classification_text(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  std::string text;
  for (const ClassifiedLeaf& leaf : leaves) {
    if (!leaf.prediction) continue;
    text += shown_name(leaf) + ": " + prediction_in_words(model, *leaf.prediction) + "\n";
    for (const RankedClass& ranked : leaf.prediction->ranking) {
      const auto label = static_cast<std::size_t>(ranked.label);
      if (leaf.prediction->probability) text += fmt::format("  {:5.1f} %", 100 * ranked.score);
      text += fmt::format("  votes {} of {}  distance {:.4g}  {}", ranked.voters,
                          model.classifier.spec().k, static_cast<double>(ranked.distance),
                          model.class_names[label]);
      if (!model.scientific_names[label].empty()) {
        text += " (" + model.scientific_names[label] + ")";
      }
      text += "\n";
    }
  }
  return escape_bytes(text);
}

}  // namespace leafglyph
