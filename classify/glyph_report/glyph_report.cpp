#include "classify/glyph_report/glyph_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "features/base/text.h"

namespace leafglyph {
namespace {

std::string chosen_names(const FamilyStatistics& family, const PartStatistics& part) {
  std::string names;
  for (const std::size_t c : part.chosen) {
    const MomentIndex& index = family.indices[c];
    const std::string name = moment_name(index);
    const bool magnitude = part.part == MomentPart::kMagnitude;
    names += (names.empty() ? "" : " ") + (magnitude ? "|" + name + "|" : name);
  }
  return names;
}

std::string characters_of(const GlyphStatistics& statistics, const PairDistance& pair) {
  return encode_utf8(statistics.characters[pair.first]) +
         encode_utf8(statistics.characters[pair.second]);
}

// The edges of bin k; the last one has no upper edge.
double edge(const GlyphStatisticsOptions& options, std::size_t k) {
  return static_cast<double>(k) * options.pairwise.bin_width;
}

std::string variance_table(const FamilyStatistics& family, const PartStatistics& part, int order) {
  std::string text = "Variance of moments, " + std::string(name_of(part.part)) + "\n  m\\n";
  for (int n = 0; n <= order; ++n) text += fmt::format("{:8}", n);
  text += '\n';
  for (int m = 0; m <= order; ++m) {
    text += fmt::format("{:5}", m);
    for (int n = 0; n <= order; ++n) {
      const auto found = std::find(family.indices.begin(), family.indices.end(), MomentIndex{n, m});
      const auto c = static_cast<std::size_t>(found - family.indices.begin());
      text +=
          found == family.indices.end() ? "       ." : fmt::format("{:>8.4f}", part.variances[c]);
    }
    text += '\n';
  }
  return text;
}

std::string histogram_table(const FamilyStatistics& family, const GlyphStatisticsOptions& options) {
  std::string text = "Pairs by distance\n  from      to  ";
  for (const auto& part : family.parts) text += fmt::format("{:>12}", name_of(part.part));
  text += '\n';
  for (std::size_t k = 0; k <= options.pairwise.bins; ++k) {
    text += k < options.pairwise.bins
                ? fmt::format("  {:<8g}  {:<8g}", edge(options, k), edge(options, k + 1))
                : fmt::format("  {:<8g}          ", edge(options, k));
    text.resize(text.rfind('\n') + 1 + 16, ' ');
    for (const auto& part : family.parts) {
      text += fmt::format("{:12}", part.distances.counts[k]);
    }
    text += '\n';
  }
  text += "  sum           ";
  for (const auto& part : family.parts) {
    text += fmt::format("{:12}", part.distances.pairs);
  }
  text += "\n  mean distance ";
  for (const auto& part : family.parts) text += fmt::format("{:>12.4f}", part.distances.mean);
  return text + '\n';
}

std::string closest_table(const GlyphStatistics& statistics, const FamilyStatistics& family) {
  const std::size_t rows = family.parts.front().distances.closest.size();
  if (rows == 0) return "";
  std::string text = "Closest pairs\n      ";
  for (const auto& part : family.parts) text += fmt::format("  {:<14}", name_of(part.part));
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
  for (std::size_t k = 0; k < rows; ++k) {
    text += fmt::format("  {:4}", k + 1);
    for (const auto& part : family.parts) {
      const PairDistance& pair = part.distances.closest[k];
      text += fmt::format("  {}  {:.4f}  ", characters_of(statistics, pair), pair.distance);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string pair_table(const FamilyStatistics& family, const GlyphStatisticsOptions& options) {
  if (options.pairs.empty()) return "";
  std::string text = "Distances of listed pairs\n        ";
  for (const auto& part : family.parts) text += fmt::format("{:>12}", name_of(part.part));
  text += '\n';
  for (std::size_t k = 0; k < options.pairs.size(); ++k) {
    text +=
        "  " + encode_utf8(options.pairs[k].first) + encode_utf8(options.pairs[k].second) + "  ";
    for (const auto& part : family.parts) text += fmt::format("{:>12.4f}", part.pair_distances[k]);
    text += '\n';
  }
  return text;
}

std::string rotation_table(const FamilyStatistics& family) {
  if (family.rotations.empty()) return "";
  std::string text =
      "Turning every bitmap changes, at most\n"
      "  degrees   magnitude   magnitude distance   moment e^{-jm angle}\n";
  for (const RotationCheck& check : family.rotations) {
    text += fmt::format("  {:7}   {:>9.1e}   {:>18.1e}   {:>20.1e}\n", check.degrees,
                        check.largest_magnitude_change, check.largest_distance_change,
                        check.largest_phase_error);
  }
  return text;
}

nlohmann::json part_json(const GlyphStatistics& statistics, const FamilyStatistics& family,
                         const PartStatistics& part, const GlyphStatisticsOptions& options) {
  nlohmann::json json;
  for (std::size_t c = 0; c < family.indices.size(); ++c) {
    json["variances"].push_back(
        {{"n", family.indices[c].n}, {"m", family.indices[c].m}, {"variance", part.variances[c]}});
  }
  for (const std::size_t c : part.chosen) json["chosen"].push_back(moment_name(family.indices[c]));
  json["pairs"] = part.distances.pairs;
  json["bin_width"] = options.pairwise.bin_width;
  json["counts"] = part.distances.counts;
  json["mean"] = part.distances.mean;
  json["largest"] = part.distances.largest;
  json["closest"] = nlohmann::json::array();
  for (const PairDistance& pair : part.distances.closest) {
    json["closest"].push_back({{"first", encode_utf8(statistics.characters[pair.first])},
                               {"second", encode_utf8(statistics.characters[pair.second])},
                               {"distance", pair.distance}});
  }
  json["listed"] = nlohmann::json::array();
  for (std::size_t k = 0; k < options.pairs.size(); ++k) {
    json["listed"].push_back({{"first", encode_utf8(options.pairs[k].first)},
                              {"second", encode_utf8(options.pairs[k].second)},
                              {"distance", part.pair_distances[k]}});
  }
  return json;
}

void add_part(const GlyphStatistics& statistics, const FamilyStatistics& family,
              const PartStatistics& part, const GlyphStatisticsOptions& options, Table& table) {
  const auto add = [&](std::string_view quantity, const std::string& first,
                       const std::string& second, auto value) {
    table.add(family_name(family.family), name_of(part.part), quantity, first, second, value);
  };
  for (std::size_t c = 0; c < family.indices.size(); ++c) {
    add("variance", std::to_string(family.indices[c].n), std::to_string(family.indices[c].m),
        part.variances[c]);
  }
  for (const std::size_t c : part.chosen) {
    add("chosen", std::to_string(family.indices[c].n), std::to_string(family.indices[c].m), 1);
  }
  for (std::size_t k = 0; k <= options.pairwise.bins; ++k) {
    add("count", fmt::format("{:g}", edge(options, k)),
        k < options.pairwise.bins ? fmt::format("{:g}", edge(options, k + 1)) : "",
        part.distances.counts[k]);
  }
  add("pairs", "", "", part.distances.pairs);
  add("mean", "", "", part.distances.mean);
  add("largest", "", "", part.distances.largest);
  for (const PairDistance& pair : part.distances.closest) {
    add("closest", encode_utf8(statistics.characters[pair.first]),
        encode_utf8(statistics.characters[pair.second]), pair.distance);
  }
  for (std::size_t k = 0; k < options.pairs.size(); ++k) {
    add("distance", encode_utf8(options.pairs[k].first), encode_utf8(options.pairs[k].second),
        part.pair_distances[k]);
  }
}

}  // namespace

std::string statistics_text(const GlyphStatistics& statistics,
                            const GlyphStatisticsOptions& options) {
  std::string text = fmt::format("{} characters\n", statistics.characters.size());
  for (const FamilyStatistics& family : statistics.families) {
    text += fmt::format("\n== {} moments of order <= {}, k = {}\n", family_name(family.family),
                        options.order, options.subregions);
    for (const PartStatistics& part : family.parts) {
      text += variance_table(family, part, options.order);
      text += "  compared: " + chosen_names(family, part) + "\n\n";
    }
    for (const std::string& table :
         {histogram_table(family, options), closest_table(statistics, family),
          pair_table(family, options), rotation_table(family)}) {
      if (!table.empty()) text += table + "\n";
    }
    text.pop_back();
  }
  return text;
}

std::string statistics_json(const GlyphStatistics& statistics,
                            const GlyphStatisticsOptions& options) {
  nlohmann::json json;
  json["convention"] = convention_name(Family::kZernike);  // of all families on the disk
  json["characters"] = statistics.characters.size();
  json["order"] = options.order;
  json["subregions"] = options.subregions;
  json["missing"] = statistics.missing;
  for (const FamilyStatistics& family : statistics.families) {
    nlohmann::json& entry = json["families"][std::string(family_name(family.family))];
    for (const PartStatistics& part : family.parts) {
      entry[std::string(name_of(part.part))] = part_json(statistics, family, part, options);
    }
    for (const RotationCheck& check : family.rotations) {
      entry["rotations"].push_back({{"degrees", check.degrees},
                                    {"magnitude_change", check.largest_magnitude_change},
                                    {"distance_change", check.largest_distance_change},
                                    {"phase_error", check.largest_phase_error}});
    }
  }
  return json.dump(2) + "\n";
}

Table statistics_table(const GlyphStatistics& statistics, const GlyphStatisticsOptions& options) {
  Table table("family:text part:text quantity:text first:text second:text value:.17g");
  for (const FamilyStatistics& family : statistics.families) {
    for (const PartStatistics& part : family.parts) {
      add_part(statistics, family, part, options, table);
    }
    for (const RotationCheck& check : family.rotations) {
      const auto add = [&](std::string_view what, double value) {
        table.add(family_name(family.family), "", "rotation", check.degrees, what, value);
      };
      add("magnitude_change", check.largest_magnitude_change);
      add("distance_change", check.largest_distance_change);
      add("phase_error", check.largest_phase_error);
    }
  }
  return table;
}

}  // namespace leafglyph
