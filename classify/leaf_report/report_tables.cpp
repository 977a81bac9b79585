#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "classify/leaf_report/report.h"

namespace leafglyph {
namespace {

bool shows_flavia(std::span<const LeafSweep> sweeps) {
  for (const LeafSweep& sweep : sweeps) {
    if (sweep.config.data.source == DataSource::kFlavia) return true;
  }
  return false;
}

// Cells of a leaf in a table of predictions.
void add_leaf(const LeafModel& model, const ClassifiedLeaf& leaf, std::size_t top, Table& table) {
  table.add(shown_name(leaf));
  if (leaf.prediction) {
    const auto word = leaf.prediction->decision.word();
    table.add(predicted_name(model, *leaf.prediction), word ? name_of(*word) : "",
              leaf.prediction->probability);
  } else {
    table.add("", "", "");
  }
  table.add(leaf.error);
  for (std::size_t i = 0; i < top; ++i) {
    if (leaf.prediction && i < leaf.prediction->ranking.size()) {
      const RankedClass& ranked = leaf.prediction->ranking[i];
      const auto label = static_cast<std::size_t>(ranked.label);
      table.add(model.class_names[label], model.scientific_names[label], ranked.score,
                static_cast<double>(ranked.distance));
    } else {
      table.add("", "", "", "");
    }
  }
}

}  // namespace

Table class_table(const EvaluationResult& r) {
  Table table(
      "class:name scientific_name:name tests correct recall:.6f precision:.6f "
      "most_taken_for:name times_taken_for");
  const std::vector<ConfusedPair> pairs = confused_pairs(r);
  for (std::size_t c = 0; c < r.classes.size(); ++c) {
    const auto most = std::ranges::find(pairs, static_cast<int>(c), &ConfusedPair::truth);
    const ClassScore& score = r.classes[c];
    table.add(r.class_names[c], r.scientific_names[c], score.tests, score.correct, score.recall(),
              score.precision());
    if (most == pairs.end()) {
      table.add("", 0);
    } else {
      table.add(r.class_names[static_cast<std::size_t>(most->prediction)], most->count);
    }
  }
  return table;
}

Table confusion_table(const EvaluationResult& r) {
  const std::size_t classes = r.class_names.size();
  std::vector<TableColumn> columns = table_columns("truth:name");
  for (const std::string& name : r.class_names) {
    columns.push_back({name, ColumnType::kNumber, {}, {}, /*is_named_from_outside=*/true});
  }
  Table table(std::move(columns));
  for (std::size_t t = 0; t < classes; ++t) {
    table.add(r.class_names[t]);
    for (std::size_t a = 0; a < classes; ++a) table.add(r.confusion[t * classes + a]);
  }
  return table;
}

Table sweep_table(std::span<const LeafSweep> sweeps) {
  Table table(
      "configuration:name order columns accuracy:.6f standard_deviation:.6f "
      "interval_low:.6f interval_high:.6f");
  for (const LeafSweep& sweep : sweeps) {
    for (const SweepPoint& point : sweep.points) {
      table.add(sweep.config.name, point.order, point.columns, point.top1.mean,
                point.top1.deviation, point.interval.low, point.interval.high);
    }
  }
  if (!shows_flavia(sweeps)) return table;
  for (const PublishedPoint& point : published_sweep()) {
    table.add("published", point.order, "", point.percent / 100.0, "", "", "");
  }
  return table;
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

Table classification_table(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                           std::size_t top) {
  top = std::min(top, model.class_names.size());
  std::string columns = "image:name prediction:name word:text probability:.4f error:name";
  for (std::size_t i = 1; i <= top; ++i) {
    columns +=
        fmt::format(" class_{0}:name scientific_name_{0}:name score_{0}:.6f distance_{0}:.6f", i);
  }
  Table table(columns);
  for (const ClassifiedLeaf& leaf : leaves) add_leaf(model, leaf, top, table);
  return table;
}

}  // namespace leafglyph
