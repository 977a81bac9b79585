#include "classify/leaf_report/html_species.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/leaf_report/report_assets.h"
#include "classify/page/page_template.h"
#include "classify/support/text.h"

namespace leafglyph {
namespace {

std::string first_picture(const LeafEvaluation& e, std::size_t label, LeafPictures& pictures) {
  const auto& samples = e.dataset.samples;
  const auto first = std::find_if(samples.begin(), samples.end(), [&](const LeafSample& sample) {
    return sample.label == static_cast<int>(label);
  });
  if (first == samples.end()) return "";
  return html_picture(pictures.of(static_cast<std::size_t>(first - samples.begin())),
                      "A leaf of " + e.result.class_names[label]);
}

// What the class was most often taken for; none where it never was.
PageValues taken_for(const EvaluationResult& r, std::size_t label) {
  const std::size_t classes = r.class_names.size();
  std::size_t most = 0;
  std::size_t answer = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    const std::size_t count = r.confusion[label * classes + a];
    if (a != label && count > most) {
      most = count;
      answer = a;
    }
  }
  if (most == 0) return nullptr;
  return {{"name", r.class_names[answer]}, {"count", most}};
}

PageValues species_row(const LeafEvaluation& e, std::size_t label, LeafPictures& pictures) {
  const EvaluationResult& r = e.result;
  const ClassScore& score = r.classes[label];
  const std::string key = fmt::format("classes.{}.", label);
  const auto share = [&](const char* name, double value) {
    return figure_cell(value, key + name, percent(value));
  };
  PageValues row = {
      {"picture", first_picture(e, label, pictures)},
      {"name", r.class_names[label]},
      {"counts",
       {{{"key", key + "tests"}, {"value", score.tests}},
        {{"key", key + "correct"}, {"value", score.correct}}}},
      {"shares", {share("recall", score.recall()), share("precision", score.precision())}},
      {"taken", taken_for(r, label)}};
  if (!r.scientific_names[label].empty()) row["scientific"] = r.scientific_names[label];
  return row;
}

}  // namespace

std::string species_table(const LeafEvaluation& e, LeafPictures& pictures) {
  PageValues species = PageValues::array();
  for (std::size_t c = 0; c < e.result.classes.size(); ++c) {
    species.push_back(species_row(e, c, pictures));
  }
  return filled_template(report_species(), {{"species", std::move(species)}});
}

}  // namespace leafglyph
