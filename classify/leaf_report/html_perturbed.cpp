#include "classify/leaf_report/html_perturbed.h"

#include <fmt/format.h>

#include <span>

#include "classify/page/html_page.h"
#include "classify/page/html_text.h"
#include "classify/support/text.h"

namespace leafglyph {
namespace {

std::string score_table(const std::string& what, std::span<const PerturbedScore> scores,
                        bool leaves) {
  std::vector<std::string> head = {what, "what was done", "#pictures"};
  if (leaves) head.emplace_back("#right, %");
  head.insert(head.end(), {"#unknown, %", "#no leaf found, %", "#wrongly named, %", "#sure, %"});
  std::string html = "<table>" + html_head_row(head) + "<tbody>\n";
  for (const PerturbedScore& score : scores) {
    const auto cell = [&](const char* key, std::size_t count) {
      const double share = score.share(count);
      return html_number_cell(share,
                              html_figure("perturbed." + score.name + "." + key, percent(share)));
    };
    html += "<tr><th scope=\"row\">" + html_escaped(score.name) + "</th><td>" +
            html_escaped(score.description) + "</td>" +
            html_number_cell(static_cast<double>(score.pictures), std::to_string(score.pictures)) +
            (leaves ? cell("right", score.right) : "") + cell("unknown", score.unknown) +
            cell("refused", score.refused) + cell("wrongly_named", score.wrongly_named) +
            cell("sure", score.sure) + "</tr>\n";
  }
  return html_scroll(what, html + "</tbody></table>");
}

}  // namespace

std::string perturbed_html(const PerturbationTable& table) {
  return html_paragraph(fmt::format(
             "The test leaves of the first split after what photographs suffer, asked of a "
             "classifier that learnt its {} training leaves as they are (seed {}). 'Right' counts "
             "the first name, also where the answer was 'unknown'.",
             table.training_leaves, table.seed)) +
         score_table("test leaves", table.leaves, /*leaves=*/true) +
         html_paragraph("Pictures in which there is no leaf. None should be given a name.") +
         score_table("no leaf", table.leafless, /*leaves=*/false);
}

}  // namespace leafglyph
