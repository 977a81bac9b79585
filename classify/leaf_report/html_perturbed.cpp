#include "classify/leaf_report/html_perturbed.h"

#include <nlohmann/json.hpp>
#include <span>

#include "classify/leaf_report/report_assets.h"
#include "classify/page/page_template.h"
#include "classify/support/text.h"

namespace leafglyph {
namespace {

PageValues score_table(const char* what, std::span<const PerturbedScore> scores, bool leafless) {
  PageValues rows = PageValues::array();
  for (const PerturbedScore& score : scores) {
    PageValues shares = PageValues::array();
    const auto add = [&](const char* key, std::size_t count) {
      const double share = score.share(count);
      shares.push_back(figure_cell(share, "perturbed." + score.name + "." + key, percent(share)));
    };
    if (!leafless) add("right", score.right);
    add("unknown", score.unknown);
    add("refused", score.refused);
    add("wrongly_named", score.wrongly_named);
    add("sure", score.sure);
    rows.push_back({{"name", score.name},
                    {"description", score.description},
                    {"pictures", score.pictures},
                    {"shares", std::move(shares)}});
  }
  return {{"what", what}, {"leafless", leafless}, {"scores", std::move(rows)}};
}

}  // namespace

std::string perturbed_html(const PerturbationTable& table) {
  return filled_template(report_perturbed(),
                         {{"training", table.training_leaves},
                          {"seed", table.seed},
                          {"tables",
                           {score_table("test leaves", table.leaves, /*leafless=*/false),
                            score_table("no leaf", table.leafless, /*leafless=*/true)}}});
}

}  // namespace leafglyph
