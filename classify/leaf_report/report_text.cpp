#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/page_template.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kPairsShown = 10;

// The table of classes behind an empty line.
std::string class_lines(const PageValues& document) {
  Table table("class:text tests right recall:.2f precision:.2f");
  for (const PageValues& of : document["classes"]) {
    table.add(of["name"].get<std::string>(), of["tests"].get<std::size_t>(),
              of["correct"].get<std::size_t>(), 100.0 * of["recall"].get<double>(),
              100.0 * of["precision"].get<double>());
  }
  return "\n" + table.aligned(7);
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

std::string text_report(const PageValues& document) {
  PageValues pairs = document["confused_pairs"];
  if (pairs.size() > kPairsShown) pairs.erase(pairs.begin() + kPairsShown, pairs.end());
  std::size_t width = 11;
  for (const char* of : {"leaves", "leafless"}) {
    if (!document.contains("perturbed")) break;
    for (const PageValues& score : document["perturbed"][of]) {
      width = std::max(width, score["name"].get_ref<const std::string&>().size());
    }
  }
  return escape_bytes(filled_text(evaluation_lines(),
                                  {{"class_lines", class_lines(document)},
                                   {"pairs_shown", std::move(pairs)},
                                   {"test", "test leaves"},
                                   {"none", "no leaf"},
                                   {"width", width}},
                                  document)) +
         "\n";
}

std::string sweep_text(std::span<const PageValues> sweeps) {
  std::string text;
  for (const PageValues& sweep : sweeps) {
    text += (text.empty() ? "" : "\n") + filled_text(sweep_lines(), {}, sweep) + "\n";
  }
  return escape_bytes(text);
}

}  // namespace leafglyph
