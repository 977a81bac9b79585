#include "classify/leaf_report/html_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "classify/leaf_report/report.h"
#include "classify/page/html_text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kPairs = 8;
constexpr std::size_t kExamples = 2;  // of each pair
constexpr std::size_t kLeaves = 60;

const std::string& class_name(const LeafEvaluation& e, int label) {
  return e.result.class_names[static_cast<std::size_t>(label)];
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

// Answers of different leaves that take `pair.truth` for `pair.answer`.
std::vector<const TestAnswer*> examples(const EvaluationResult& r, const ConfusedPair& pair) {
  std::vector<const TestAnswer*> found;
  std::set<std::size_t> leaves;
  for (const TestAnswer& answer : r.answers) {
    if (found.size() == kExamples) break;
    if (answer.truth == pair.truth && answer.predicted() == pair.answer &&
        leaves.insert(answer.sample).second) {
      found.push_back(&answer);
    }
  }
  return found;
}

// The nearest neighbour of the class that was answered; the vote makes sure that there is one.
std::size_t nearest_of_answer(const LeafEvaluation& e, const TestAnswer& answer) {
  return *std::find_if(answer.neighbours.begin(), answer.neighbours.end(), [&](std::size_t sample) {
    return label_of(e, sample) == answer.predicted();
  });
}

std::string pair_card(const LeafEvaluation& e, const ConfusedPair& pair, LeafPictures& pictures) {
  std::string truths;
  std::string answers;
  for (const TestAnswer* answer : examples(e.result, pair)) {
    truths += picture(e, answer->sample, pictures);
    answers += picture(e, nearest_of_answer(e, *answer), pictures);
  }
  const std::size_t tests = e.result.classes[static_cast<std::size_t>(pair.truth)].tests;
  return fmt::format(
      "<article class=\"card pair\"><h3>{} taken for {}</h3>\n<p class=\"soft\">{} of {} "
      "answers</p>\n<div class=\"sides\">\n<div><p class=\"side-name\">the leaf asked "
      "about</p><div class=\"pictures\">{}</div></div>\n<div><p class=\"side-name\">the nearest "
      "leaf of the other</p><div class=\"pictures\">{}</div></div>\n</div></article>\n",
      html_escaped(class_name(e, pair.truth)), html_escaped(class_name(e, pair.answer)), pair.count,
      tests, truths, answers);
}

// "Canadian poplar", or "Canadian poplar (2 times), tangerine (1)" where the splits differ.
std::string answers_text(const LeafEvaluation& e, const MistakenLeaf& leaf) {
  std::map<std::string, std::size_t> counts;
  for (const std::size_t mistake : leaf.mistakes) {
    ++counts[class_name(e, e.result.answers[mistake].predicted())];
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + name;
    if (counts.size() > 1) text += fmt::format(" ({})", count);
  }
  return text;
}

std::string mistake_card(const LeafEvaluation& e, const MistakenLeaf& leaf,
                         LeafPictures& pictures) {
  const TestAnswer& shown = e.result.answers[leaf.mistakes.front()];
  std::vector<NeighbourCard> cards;
  for (std::size_t i = 0; i < shown.neighbours.size(); ++i) {
    const std::size_t sample = shown.neighbours[i];
    const int label = label_of(e, sample);
    cards.push_back({picture(e, sample, pictures), file_name(e, sample), class_name(e, label),
                     static_cast<double>(shown.distances[i]),
                     label == shown.truth ? "same" : "other"});
  }
  std::string html =
      "<article class=\"card mistake\"><div class=\"query\">" + picture(e, leaf.sample, pictures) +
      "</div>\n<div><h3>" + html_escaped(class_name(e, shown.truth)) + ", " +
      html_escaped(file_name(e, leaf.sample)) + "</h3>\n<p>answered as <strong class=\"wrong\">" +
      html_escaped(answers_text(e, leaf)) + "</strong>";
  if (leaf.asked > 1) {
    html += fmt::format("; wrong in {} of the {} splits that tested it", leaf.mistakes.size(),
                        leaf.asked);
  }
  if (!shown.decision.known()) html += "; refused as unknown";
  html += "</p>\n";
  if (e.result.splits.size() > 1) {
    html +=
        fmt::format("<p class=\"soft\">Nearest training leaves in split {}</p>\n", shown.split + 1);
  }
  return html + neighbour_list(cards) + "</div></article>\n";
}

}  // namespace

std::vector<MistakenLeaf> mistaken_leaves(const EvaluationResult& r) {
  std::map<std::size_t, MistakenLeaf> leaves;
  for (std::size_t i = 0; i < r.answers.size(); ++i) {
    MistakenLeaf& leaf = leaves[r.answers[i].sample];
    leaf.sample = r.answers[i].sample;
    ++leaf.asked;
    if (!r.answers[i].hit(1)) leaf.mistakes.push_back(i);
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
  if (pairs.empty()) return html_paragraph("No leaf was taken for another species.");
  std::string html = "<div class=\"pairs\">\n";
  for (std::size_t i = 0; i < std::min(kPairs, pairs.size()); ++i) {
    html += pair_card(e, pairs[i], pictures);
  }
  html += "</div>\n";
  if (pairs.size() <= kPairs) return html;
  std::string list =
      "<table data-sortable>" + html_head_row({"truth", "answered as", "#answers"}) + "<tbody>\n";
  for (const ConfusedPair& pair : pairs) {
    list += "<tr><th scope=\"row\">" + html_escaped(class_name(e, pair.truth)) + "</th><td>" +
            html_escaped(class_name(e, pair.answer)) + "</td>" +
            html_number_cell(static_cast<double>(pair.count), std::to_string(pair.count)) +
            "</tr>\n";
  }
  return html + html_details(fmt::format("All {} pairs", pairs.size()),
                             html_scroll("Table of all pairs", list + "</tbody></table>"));
}

std::string mistake_cards(const LeafEvaluation& e, LeafPictures& pictures) {
  const std::vector<MistakenLeaf> leaves = mistaken_leaves(e.result);
  if (leaves.empty()) return html_paragraph("Every leaf was named rightly in every split.");
  const std::size_t shown = std::min(kLeaves, leaves.size());
  std::string html = html_paragraph(fmt::format(
      "{} of the {} leaves were answered wrongly at least once{} A neighbour of the leaf's own "
      "species has a green frame and a tick, another a red one and a cross.",
      leaves.size(), e.dataset.samples.size(),
      shown < leaves.size()
          ? fmt::format(
                "; the {} that were wrong most often are shown, the others are in the JSON file.",
                shown)
          : "; those that were wrong most often come first."));
  html +=
      "<p class=\"filter\" hidden><label>Show <input type=\"search\" placeholder=\"all leaves\" "
      "data-filter=\".mistake\"></label></p>\n<div class=\"mistakes\">\n";
  for (std::size_t i = 0; i < shown; ++i) html += mistake_card(e, leaves[i], pictures);
  return html + "</div>\n";
}

std::string neighbour_list(const std::vector<NeighbourCard>& cards) {
  std::string html = "<ol class=\"neighbours\">\n";
  for (const NeighbourCard& card : cards) {
    const char* sign = card.mark == "same"    ? "<b class=\"right\">\xE2\x9C\x93</b> "
                       : card.mark == "other" ? "<b class=\"wrong\">\xE2\x9C\x97</b> "
                                              : "";
    html += "<li class=\"" + card.mark + "\">" + card.picture + "<span>" + sign +
            html_escaped(card.class_name) + "</span><span class=\"soft\">" +
            html_escaped(card.name) + "<br>distance " + html_distance(card.distance) +
            "</span></li>\n";
  }
  return html + "</ol>\n";
}

}  // namespace leafglyph
