#include "classify/glyph_report/lookalike_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "datasets/glyph/character_code.h"
#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/unihan.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// Empty for rank 0, which stands for none.
std::string rank_cell(std::size_t rank) { return rank == 0 ? "" : std::to_string(rank); }

std::string code_name(const Gb2312& table, char32_t character) {
  const auto code = table.code(character);
  return code ? gb2312_code_name(*code) : "";
}

// Writes what is known about characters into JSON.
class CharacterWriter {
 public:
  nlohmann::ordered_json operator()(char32_t character) const {
    nlohmann::ordered_json json = {{"character", encode_utf8(character)},
                                   {"unicode", unicode_name(character)},
                                   {"gb2312", code_name(table_, character)}};
    const auto facts = unihan_.facts(character);
    if (!facts) return json;
    json["pinyin"] = nlohmann::ordered_json::array();
    json["toneless"] = nlohmann::ordered_json::array();
    for (const std::string& reading : facts->pinyin) {
      json["pinyin"].push_back(marked_pinyin(reading));
      const std::string toneless = toneless_pinyin(reading);
      auto& all = json["toneless"];
      if (std::find(all.begin(), all.end(), toneless) == all.end()) all.push_back(toneless);
    }
    json["strokes"] = facts->strokes;
    json["radical"] = facts->radical;
    json["frequency"] = facts->frequency;
    json["simplified"] = encode_utf8(facts->simplified);
    json["traditional"] = encode_utf8(facts->traditional);
    json["variants"] = encode_utf8(facts->variants);
    json["meaning"] = facts->meaning;
    return json;
  }

 private:
  Gb2312 table_;
  Unihan unihan_;
};

// A caption, two columns wide per hanzi, centred below a drawing.
std::string caption(const std::string& text, int text_columns, int width) {
  const int left = std::max(0, (width - text_columns) / 2);
  return std::string(static_cast<std::size_t>(left), ' ') + text +
         std::string(static_cast<std::size_t>(std::max(0, width - left - text_columns)), ' ');
}

void trim(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::string lookalike_text(const Lookalike& pair, std::uint64_t published_pairs) {
  if (published_pairs == 0) {
    return fmt::format("score {:.3f}  distance {:.4f}", pair.score, pair.distance);
  }
  return fmt::format("distance {:.4f}  pair {} of {}", pair.distance, pair.nearer + 1,
                     published_pairs);
}

std::string lookalikes_text(const LookalikeList& list) {
  const Gb2312 table;
  const std::string code = code_name(table, list.query);
  std::string text = fmt::format("{}  {}{}\n", encode_utf8(list.query), unicode_name(list.query),
                                 code.empty() ? "" : "  GB2312 " + code);
  for (std::size_t k = 0; k < list.answers.size(); ++k) {
    const Lookalike& answer = list.answers[k];
    text += fmt::format("  {:4}  {}  {}\n", k + 1, encode_utf8(answer.character),
                        lookalike_text(answer, list.published_pairs));
  }
  return text;
}

std::string lookalikes_drawing(const LookalikeList& list, const FontOptions& font,
                               DrawingStyle style, int columns) {
  std::u32string characters(1, list.query);
  for (const Lookalike& answer : list.answers) characters.push_back(answer.character);
  const GlyphImages images = draw_glyphs(font, characters);
  const int width = drawing_width(style, images.size);
  constexpr int kGap = 2;
  const auto fit = static_cast<std::size_t>(std::max(1, (columns + kGap) / (width + kGap)));
  std::string text;
  for (std::size_t first = 0; first < characters.size(); first += fit) {
    const std::size_t last = std::min(first + fit, characters.size());
    std::vector<std::string> lines;
    std::string captions;
    for (std::size_t c = first; c < last; ++c) {
      const std::size_t pixels = images.pixels_per_glyph();
      const auto drawing =
          draw_lines(std::span(images.ink).subspan(c * pixels, pixels), images.size, style);
      lines.resize(drawing.size());
      for (std::size_t l = 0; l < drawing.size(); ++l) lines[l] += drawing[l] + "  ";
      const std::string label = c == 0 ? "" : " " + lookalike_label(list, list.answers[c - 1]);
      const int columns_of_label = 2 + static_cast<int>(label.size());  // a hanzi takes two
      captions += caption(encode_utf8(characters[c]) + label, columns_of_label, width) + "  ";
    }
    lines.push_back(captions);
    for (std::string& line : lines) {
      trim(line);
      text += line + "\n";
    }
  }
  return text;
}

std::string lookalikes_json(const std::vector<LookalikeList>& lists) {
  const CharacterWriter character_json;
  auto json = nlohmann::ordered_json::array();
  for (const LookalikeList& list : lists) {
    auto entry = character_json(list.query);
    entry["similar"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < list.answers.size(); ++k) {
      auto answer = character_json(list.answers[k].character);
      answer["rank"] = k + 1;
      if (list.published_pairs == 0) answer["score"] = list.answers[k].score;
      answer["distance"] = list.answers[k].distance;
      if (list.published_pairs > 0) {
        answer["pair"] = list.answers[k].nearer + 1;
        answer["pairs"] = list.published_pairs;
      }
      entry["similar"].push_back(answer);
    }
    json.push_back(entry);
  }
  return json.dump(2) + "\n";
}

std::string misreadings_json(std::u32string_view text, const std::vector<LookalikeList>& lists,
                             double least_score) {
  const CharacterWriter character_json;
  nlohmann::ordered_json json = {{"text", encode_utf8(text)},
                                 {"characters", nlohmann::ordered_json::array()}};
  for (std::size_t position = 0; position < text.size(); ++position) {
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const LookalikeList& one) {
      return one.query == text[position];
    });
    if (list == lists.end()) continue;
    auto entry = character_json(list->query);
    entry["position"] = position;
    entry["misread"] = nlohmann::ordered_json::array();
    for (const Lookalike& answer : list->answers) {
      if (answer.score < least_score) break;  // scores only decrease
      auto reading = character_json(answer.character);
      reading["score"] = answer.score;
      reading["distance"] = answer.distance;
      entry["misread"].push_back(reading);
    }
    json["characters"].push_back(entry);
  }
  return json.dump(2) + "\n";
}

std::string groups_text(const std::vector<LookalikeGroup>& groups) {
  std::string text;
  for (const LookalikeGroup& group : groups) {
    text += fmt::format("{}  score {:.3f}\n", encode_utf8(group.characters), group.score);
  }
  return text;
}

std::string groups_json(const std::vector<LookalikeGroup>& groups) {
  auto json = nlohmann::ordered_json::array();
  for (const LookalikeGroup& group : groups) {
    auto characters = nlohmann::ordered_json::array();
    for (const char32_t character : group.characters) {
      characters.push_back(encode_utf8(character));
    }
    json.push_back({{"characters", characters}, {"score", group.score}});
  }
  return json.dump(2) + "\n";
}

Table groups_table(const std::vector<LookalikeGroup>& groups) {
  Table table("group character:text score:.6f");
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const char32_t character : groups[g].characters) {
      table.add(g + 1, encode_utf8(character), groups[g].score);
    }
  }
  return table;
}

// A table per list: a table of every character's look-alikes takes several times the memory of its
// text.
namespace {

std::string published_csv(const std::vector<LookalikeList>& lists) {
  Table table("character:text rank similar:text distance:.9g pair pairs");
  for (const LookalikeList& list : lists) {
    for (std::size_t k = 0; k < list.answers.size(); ++k) {
      const Lookalike& answer = list.answers[k];
      table.add(encode_utf8(list.query), k + 1, encode_utf8(answer.character), answer.distance,
                answer.nearer + 1, list.published_pairs);
    }
  }
  return table.csv();
}

}  // namespace

std::string lookalikes_csv(const std::vector<LookalikeList>& lists) {
  if (!lists.empty() && lists.front().published_pairs > 0) return published_csv(lists);
  constexpr std::string_view kColumns = "character:text rank similar:text score:.6f distance:.9g";
  std::string csv = Table(kColumns).csv_names();
  for (const LookalikeList& list : lists) {
    Table table(kColumns);
    for (std::size_t k = 0; k < list.answers.size(); ++k) {
      const Lookalike& answer = list.answers[k];
      table.add(encode_utf8(list.query), k + 1, encode_utf8(answer.character), answer.score,
                answer.distance);
    }
    csv += table.csv_rows();
  }
  return csv;
}

Table pairs_table(const std::vector<ScoredPair>& pairs) {
  Table table("first:text second:text score:.6f distance:.9g rank_of_second rank_of_first");
  for (const ScoredPair& scored : pairs) {
    table.add(encode_utf8(scored.pair.first), encode_utf8(scored.pair.second),
              scored.similarity.score, scored.similarity.distance, rank_cell(scored.rank_of_second),
              rank_cell(scored.rank_of_first));
  }
  return table;
}

namespace {

// Every share of an evaluation, in the order of the tables.
struct EvaluationLine {
  std::string kind;
  std::string by;
  std::size_t rank;  // 0: of the shortlist
  LookalikeEvaluation::Recall recall;
  std::size_t pairs;
};

std::vector<EvaluationLine> evaluation_lines(const LookalikeEvaluation& evaluation) {
  constexpr std::size_t kRankOfKinds = 10;
  std::vector<EvaluationLine> lines;
  for (std::size_t r = 0; r < evaluation.found.size(); ++r) {
    const std::size_t rank = LookalikeEvaluation::kRanks[r];
    lines.push_back({"all", "leafglyph", rank, evaluation.found[r], evaluation.pairs});
    lines.push_back({"all", "blurred", rank, evaluation.blurred[r], evaluation.pairs});
  }
  for (const LookalikeEvaluation::Kind& kind : evaluation.kinds) {
    const std::string name(name_of(kind.kind));
    lines.push_back({name, "leafglyph", kRankOfKinds, kind.found, kind.pairs});
    lines.push_back({name, "blurred", kRankOfKinds, kind.blurred, kind.pairs});
  }
  lines.push_back({"all", "shortlist", 0, evaluation.shortlisted, evaluation.pairs});
  return lines;
}

}  // namespace

std::string evaluation_text(const LookalikeEvaluation& evaluation) {
  const auto cell = [](const LookalikeEvaluation::Recall& recall) {
    return fmt::format("{:.3f} ({:.3f} to {:.3f})", recall.share, recall.interval.low,
                       recall.interval.high);
  };
  std::string text = fmt::format("{} pairs, both ways; partner among the nearest, 95 % interval\n",
                                 evaluation.pairs);
  text += fmt::format("  {:<18}  {:<22}  {}\n", "nearest", "leafglyph", "blurred pixels");
  for (std::size_t r = 0; r < evaluation.found.size(); ++r) {
    text += fmt::format("  {:<18}  {:<22}  {}\n", LookalikeEvaluation::kRanks[r],
                        cell(evaluation.found[r]), cell(evaluation.blurred[r]));
  }
  for (const LookalikeEvaluation::Kind& kind : evaluation.kinds) {
    text += fmt::format("  {:<18}  {:<22}  {}\n",
                        fmt::format("10, {} ({})", name_of(kind.kind), kind.pairs),
                        cell(kind.found), cell(kind.blurred));
  }
  return text + fmt::format("  {:<18}  {}\n", "shortlist", cell(evaluation.shortlisted));
}

Table evaluation_table(const LookalikeEvaluation& evaluation) {
  Table table("kind:text by:text rank share:.6f low:.6f high:.6f pairs");
  for (const EvaluationLine& line : evaluation_lines(evaluation)) {
    table.add(line.kind, line.by, rank_cell(line.rank), line.recall.share, line.recall.interval.low,
              line.recall.interval.high, line.pairs);
  }
  return table;
}

std::string evaluation_json(const LookalikeEvaluation& evaluation) {
  auto json = nlohmann::ordered_json::array();
  for (const EvaluationLine& line : evaluation_lines(evaluation)) {
    nlohmann::ordered_json entry = {{"kind", line.kind}, {"by", line.by}};
    if (line.rank != 0) entry["rank"] = line.rank;
    entry["share"] = line.recall.share;
    entry["low"] = line.recall.interval.low;
    entry["high"] = line.recall.interval.high;
    entry["pairs"] = line.pairs;
    json.push_back(entry);
  }
  return json.dump(2) + "\n";
}

}  // namespace leafglyph
