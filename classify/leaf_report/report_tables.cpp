#include <nlohmann/json.hpp>

#include "classify/leaf_report/curves.h"
#include "classify/leaf_report/report.h"
#include "classify/page/svg_plot.h"

namespace leafglyph {

Table class_table(const PageValues& document) {
  Table table(
      "class:name scientific_name:name tests correct recall:.6f precision:.6f "
      "most_taken_for:name times_taken_for");
  for (const PageValues& of : document["classes"]) {
    table.add(of["name"].get<std::string>(), of["scientific_name"].get<std::string>(),
              of["tests"].get<std::size_t>(), of["correct"].get<std::size_t>(),
              of["recall"].get<double>(), of["precision"].get<double>());
    const PageValues most = of.value("most_taken_for", PageValues{{"class", ""}, {"count", 0}});
    table.add(most["class"].get<std::string>(), most["count"].get<std::size_t>());
  }
  return table;
}

Table confusion_table(const PageValues& document) {
  std::vector<TableColumn> columns = table_columns("truth:name");
  for (const PageValues& of : document["classes"]) {
    columns.push_back({of["name"], ColumnType::kNumber, {}, {}, /*is_named_from_outside=*/true});
  }
  Table table(std::move(columns));
  for (std::size_t t = 0; t < document["classes"].size(); ++t) {
    table.add(document["classes"][t]["name"].get<std::string>());
    for (const PageValues& count : document["confusion"][t]) table.add(count.get<std::size_t>());
  }
  return table;
}

Table sweep_table(std::span<const PageValues> sweeps) {
  Table table(
      "configuration:name order columns accuracy:.6f standard_deviation:.6f "
      "interval_low:.6f interval_high:.6f");
  const PageValues* published = nullptr;
  for (const PageValues& sweep : sweeps) {
    if (sweep.contains("published_sweep")) published = &sweep["published_sweep"];
    for (const PageValues& point : sweep["sweep"]) {
      const PageValues& top1 = point["top1"];
      table.add(sweep["configuration"].get<std::string>(), point["order"].get<int>(),
                point["columns"].get<std::size_t>(), top1["mean"].get<double>(),
                top1["standard_deviation"].get<double>(), top1["interval"]["low"].get<double>(),
                top1["interval"]["high"].get<double>());
    }
  }
  for (const PageValues& point : published != nullptr ? *published : PageValues::array()) {
    table.add("published", point["order"].get<int>(), "", point["top1"].get<double>(), "", "", "");
  }
  return table;
}

std::string sweep_svg(std::span<const PageValues> sweeps, const std::string& title) {
  std::vector<std::string> names;
  for (const PageValues& sweep : sweeps) names.push_back(sweep["configuration"]);
  Plot plot = sweep_curves(sweeps, names).plot;
  plot.title = title;
  plot.subtitle =
      sweeps.front()["protocol"]["description"].get<std::string>() + "; bars: standard deviation";
  return svg_plot(plot);
}

}  // namespace leafglyph
