#include <fmt/format.h>

#include <algorithm>

#include "classify/leaf_report/report.h"
#include "features/base/csv.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

bool shows_flavia(std::span<const LeafSweep> sweeps) {
  for (const LeafSweep& sweep : sweeps) {
    if (sweep.config.data.source == DataSource::kFlavia) return true;
  }
  return false;
}

// Name, scientific name, score and distance of a class in a prediction.
std::string ranked_fields(const LeafModel& model, const RankedClass& ranked) {
  const auto label = static_cast<std::size_t>(ranked.label);
  return fmt::format(",{},{},{:.6f},{:.6f}", csv_shown_field(model.class_names[label]),
                     csv_shown_field(model.scientific_names[label]), ranked.score,
                     static_cast<double>(ranked.distance));
}

}  // namespace

std::string class_csv(const EvaluationResult& r) {
  std::string csv =
      "class,scientific_name,tests,correct,recall,precision,most_taken_for,times_taken_for\n";
  const std::vector<ConfusedPair> pairs = confused_pairs(r);
  for (std::size_t c = 0; c < r.classes.size(); ++c) {
    std::string taken_for;
    std::size_t times = 0;
    for (const ConfusedPair& pair : pairs) {
      if (pair.truth != static_cast<int>(c)) continue;
      taken_for = r.class_names[static_cast<std::size_t>(pair.prediction)];
      times = pair.count;
      break;
    }
    const ClassScore& score = r.classes[c];
    csv += fmt::format("{},{},{},{},{},{},{},{}\n", csv_shown_field(r.class_names[c]),
                       csv_shown_field(r.scientific_names[c]), score.tests, score.correct,
                       share_text(score.recall()), share_text(score.precision()),
                       csv_shown_field(taken_for), times);
  }
  return csv;
}

std::string confusion_csv(const EvaluationResult& r) {
  const std::size_t classes = r.class_names.size();
  std::string csv = "truth";
  for (const std::string& name : r.class_names) csv += "," + csv_shown_field(name);
  csv += "\n";
  for (std::size_t t = 0; t < classes; ++t) {
    csv += csv_shown_field(r.class_names[t]);
    for (std::size_t a = 0; a < classes; ++a) {
      csv += fmt::format(",{}", r.confusion[t * classes + a]);
    }
    csv += "\n";
  }
  return csv;
}

std::string sweep_csv(std::span<const LeafSweep> sweeps) {
  std::string csv =
      "configuration,order,columns,accuracy,standard_deviation,interval_low,interval_high\n";
  for (const LeafSweep& sweep : sweeps) {
    for (const SweepPoint& point : sweep.points) {
      csv +=
          fmt::format("{},{},{},{},{},{},{}\n", csv_shown_field(sweep.config.name), point.order,
                      point.columns, share_text(point.top1.mean), share_text(point.top1.deviation),
                      share_text(point.interval.low), share_text(point.interval.high));
    }
  }
  if (!shows_flavia(sweeps)) return csv;
  for (const PublishedPoint& point : published_sweep()) {
    csv += fmt::format("published,{},,{},,,\n", point.order, share_text(point.percent / 100.0));
  }
  return csv;
}

PlotPoint accuracy_point(double x, const Summary& share) {
  const double y = 100.0 * share.mean;
  const double bar = 100.0 * share.deviation;
  return {x, y, std::max(0.0, y - bar), std::min(100.0, y + bar)};
}

Plot sweep_plot(std::span<const LeafSweep> sweeps) {
  Plot plot;
  plot.title = "Leaf accuracy by order of the moments";
  plot.x_label = "highest order of the moments";
  plot.y_label = "top-1 accuracy, %";
  if (!sweeps.empty()) {
    plot.subtitle = describe(sweeps.front().config.protocol) + "; bars: standard deviation";
  }
  for (const LeafSweep& sweep : sweeps) {
    PlotSeries series{sweep.config.name, {}, false};
    for (const SweepPoint& point : sweep.points) {
      series.points.push_back(accuracy_point(point.order, point.top1));
      plot.x_ticks.push_back(point.order);
    }
    plot.series.push_back(std::move(series));
  }
  if (shows_flavia(sweeps)) {
    PlotSeries series{"published (one split)", {}, true};
    for (const PublishedPoint& point : published_sweep()) {
      series.points.push_back({static_cast<double>(point.order), point.percent, {}, {}});
      plot.x_ticks.push_back(point.order);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string sweep_svg(std::span<const LeafSweep> sweeps) { return svg_plot(sweep_plot(sweeps)); }

namespace {

std::string words(const Prediction& prediction) {
  const auto word = prediction.decision.word();
  return std::string(word ? name_of(*word) : "") + "," +
         (prediction.probability ? fmt::format("{:.4f}", *prediction.probability) : "");
}

}  // namespace

std::string classification_csv_names(const LeafModel& model, std::size_t top) {
  top = std::min(top, model.class_names.size());
  std::string csv = "image,prediction,word,probability,error";
  for (std::size_t i = 1; i <= top; ++i) {
    const std::string rank = fmt::format("_{}", i);
    csv += ",class" + rank + ",scientific_name" + rank + ",score" + rank + ",distance" + rank;
  }
  return csv + "\n";
}

std::string classification_csv(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                               std::size_t top) {
  return classification_csv_names(model, top) + classification_csv_lines(model, leaves, top);
}

std::string classification_csv_lines(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                                     std::size_t top) {
  top = std::min(top, model.class_names.size());
  std::string csv;
  for (const ClassifiedLeaf& leaf : leaves) {
    csv += csv_shown_field(shown_name(leaf)) + "," +
           (leaf.prediction ? csv_shown_field(predicted_name(model, *leaf.prediction)) + "," +
                                  words(*leaf.prediction)
                            : ",,") +
           "," + csv_shown_field(leaf.error);
    for (std::size_t i = 0; i < top; ++i) {
      csv += leaf.prediction && i < leaf.prediction->ranking.size()
                 ? ranked_fields(model, leaf.prediction->ranking[i])
                 : ",,,,";
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace leafglyph
