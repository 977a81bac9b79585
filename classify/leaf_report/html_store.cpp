// The page of a feature store.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "classify/extraction/archive_reader.h"
#include "classify/leaf_report/leaf_picture.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/leaf_report/store_report.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"
#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace {

constexpr int kRowPictureSide = 160;

// "DSC_0123.jpg" or, for a part of an image, "DSC_0123.jpg, part 2".
std::string row_name(const StoreRow& row) {
  const std::string file = std::filesystem::path(row.path).filename().string();
  return row.part == 0 ? file : fmt::format("{}, part {}", file, row.part);
}

/// Small pictures of the rows that are shown, by path and part. None where the file is gone or is
/// not an image, or came from standard input.
class RowPictures {
 public:
  explicit RowPictures(const StoreReport& report) {
    for (const ReasonGroup& group : shown_reasons(report)) {
      for (const StoreRow& row : group.examples) rows_[row.path].push_back(&row);
    }
    for (const UnusualRow& unusual : report.unusual) {
      rows_[unusual.row.path].push_back(&unusual.row);
    }
    std::set<std::string> archives;
    for (const auto& [path, rows] : rows_) {
      throw_if_interrupted();
      if (const std::string archive = archive_of(path); !archive.empty()) {
        archives.insert(archive);
      } else {
        make(path, [&path = path] { return read_photograph(path); });
      }
    }
    for (const std::string& archive : archives) read_archive(archive);
  }

  std::string html(const StoreRow& row) const {
    const auto at = pictures_.find({row.path, row.part});
    return html_picture(at == pictures_.end() ? std::nullopt : at->second, row_name(row));
  }

  static std::span<const ReasonGroup> shown_reasons(const StoreReport& report) {
    constexpr std::size_t kReasonsShown = 30;
    return std::span(report.reasons).first(std::min(report.reasons.size(), kReasonsShown));
  }

 private:
  template <class Read>
  void make(const std::string& path, const Read& read) {
    try {
      const Photograph photograph = read();
      const PictureBox all{
          0, 0, static_cast<int>(std::lround(photograph.grey.width() * photograph.across())),
          static_cast<int>(std::lround(photograph.grey.height() * photograph.down()))};
      for (const StoreRow* row : rows_[path]) {
        const PictureBox& box = row->part == 0 || row->box.width == 0 ? all : row->box;
        pictures_[{path, row->part}] =
            page_picture(small_picture(photograph, box, kRowPictureSide));
      }
    } catch (const InputError&) {
      return;
    }
  }

  // The archive in which the image at the path is; empty if it is a file.
  static std::string archive_of(const std::string& path) {
    for (std::size_t end = path.find('/'); end != std::string::npos;
         end = path.find('/', end + 1)) {
      std::string folder = path.substr(0, end);
      if (is_archive_name(folder) && is_regular(folder)) return folder;
    }
    return "";
  }

  void read_archive(const std::string& archive) {
    try {
      ArchiveReader reader(archive);
      while (reader.next()) {
        const std::string path = reader.image_path();
        if (!rows_.contains(path)) continue;
        make(path, [&] { return read_photograph(reader.read(), path, {}); });
      }
    } catch (const InputError&) {
      return;
    }
  }

  std::map<std::string, std::vector<const StoreRow*>> rows_;
  std::map<std::pair<std::string, int>, std::optional<Picture>> pictures_;
};

// A line of a table with a bar; `most` is the largest count of the table.
PageValues bar(std::string_view name, std::size_t count, std::size_t most) {
  const double share =
      most == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(most);
  return {{"name", name}, {"count", count}, {"share", fmt::format("{:.1f}", share)}};
}

std::string_view rows_are(PartRule parts) {
  switch (parts) {
    case PartRule::kEveryLeaf:
      return "every leaf of each input";
    case PartRule::kMasks:
      return "every region of the mask of each input";
    case PartRule::kWhole:
      break;
  }
  return "whole inputs";
}

std::string rows_html(const StoreReport& report) {
  PageValues states = PageValues::array();
  for (const auto& [state, count] : report.states) {
    states.push_back(bar(name_of(state), count, report.rows));
  }
  const StoreHeader& header = report.header;
  PageValues facts = PageValues::array();
  const auto fact = [&](std::string_view name, std::string value) {
    facts.push_back({{"name", name}, {"value", std::move(value)}});
  };
  fact("inputs", fmt::format("{} of {}", report.inputs, header.inputs));
  fact("rows", fmt::format("{}, of {}", report.rows, rows_are(header.parts)));
  if (report.blocks < header.blocks()) {
    fact("missing", fmt::format("{} of {} blocks; the command that made the store adds them",
                                header.blocks() - report.blocks, header.blocks()));
  }
  fact("columns", fmt::format("{}, computed on {}", header.columns.size(), header.device));
  fact("convention", header.convention);
  return filled_template(report_store_rows(),
                         {{"states", std::move(states)}, {"facts", std::move(facts)}});
}

// "failed: there is no leaf in it"; of rows that are ok, their warning alone.
std::string heading_of(const ReasonGroup& group) {
  if (group.state == RowState::kOk) return group.reason;
  const std::string state(name_of(group.state));
  return group.reason.empty() ? state : state + ": " + group.reason;
}

std::string reasons_html(const StoreReport& report, const RowPictures& pictures) {
  PageValues groups = PageValues::array();
  for (const ReasonGroup& group : RowPictures::shown_reasons(report)) {
    PageValues examples = PageValues::array();
    for (const StoreRow& row : group.examples) {
      examples.push_back({{"picture", pictures.html(row)}, {"text", row_name(row)}});
    }
    groups.push_back({{"heading", heading_of(group)},
                      {"rows", group.rows},
                      {"words", group.rows == 1 ? "row" : "rows"},
                      {"more", group.rows > group.examples.size()},
                      {"shown", group.examples.size()},
                      {"examples", std::move(examples)}});
  }
  return filled_template(report_store_reasons(), {{"groups", std::move(groups)}});
}

std::string unusual_html(const StoreReport& report, const RowPictures& pictures) {
  PageValues rows = PageValues::array();
  for (const UnusualRow& unusual : report.unusual) {
    const std::string label = unusual.row.label.empty() ? "" : " (" + unusual.row.label + ")";
    rows.push_back({{"picture", pictures.html(unusual.row)},
                    {"text", row_name(unusual.row) + label},
                    {"distance", fmt::format("{:.2f}", unusual.distance)}});
  }
  return filled_template(report_store_unusual(), {{"rows", std::move(rows)}});
}

std::string labels_html(const StoreReport& report) {
  PageValues labels = PageValues::array();
  for (const LabelCount& label : report.labels) {
    labels.push_back(
        {{"name", label.label}, {"with", label.with_numbers}, {"without", label.without}});
  }
  return filled_template(report_store_labels(), {{"labels", std::move(labels)}});
}

// A table of the counts from the first that is not 0 on; name_of_count(i) names count i.
template <class Name>
PageValues counts_table(std::string_view title, std::string_view what, std::string_view counted,
                        const std::vector<std::size_t>& counts, const Name& name_of_count) {
  const auto first = std::ranges::find_if(counts, [](std::size_t count) { return count > 0; });
  PageValues bars = PageValues::array();
  if (first != counts.end()) {
    const std::size_t most = *std::ranges::max_element(counts);
    for (auto at = first; at != counts.end(); ++at) {
      bars.push_back(bar(name_of_count(static_cast<std::size_t>(at - counts.begin())), *at, most));
    }
  }
  return {{"title", title}, {"what", what}, {"counted", counted}, {"bars", std::move(bars)}};
}

std::string sizes_html(const StoreReport& report) {
  PageValues tables = PageValues::array();
  tables.push_back(
      counts_table("Areas", "pixels of the file", "rows", report.areas, [](std::size_t power) {
        return fmt::format("{} to {}", std::size_t{1} << power, (std::size_t{2} << power) - 1);
      }));
  if (report.header.parts != PartRule::kWhole) {
    std::vector<std::size_t> leaves = report.leaves;
    const std::size_t most = leaves.size() - 1;
    while (!leaves.empty() && leaves.back() == 0) leaves.pop_back();
    tables.push_back(counts_table(
        "Parts of an input", "parts with numbers", "inputs", leaves, [most](std::size_t number) {
          return number == most ? fmt::format("{} or more", most) : std::to_string(number);
        }));
  }
  return filled_template(report_store_sizes(), {{"tables", std::move(tables)}});
}

// "a.jpg (oak), b.jpg (elm) and 3 more".
std::string same_text(const SameFiles& same) {
  std::string text;
  for (std::size_t i = 0; i < same.paths.size(); ++i) {
    text += (i == 0 ? "" : ", ") + same.paths[i];
    if (same.labels_differ) text += " (" + same.labels[i] + ")";
  }
  if (same.inputs > same.paths.size()) {
    text += fmt::format(" and {} more", same.inputs - same.paths.size());
  }
  return text;
}

std::string same_html(const StoreReport& report) {
  PageValues same = PageValues::array();
  for (const SameFiles& files : report.same) {
    same.push_back({{"differ", files.labels_differ}, {"text", same_text(files)}});
  }
  PageValues values = {{"any", report.same_files > 0},
                       {"groups", report.same_files},
                       {"words", report.same_files == 1 ? "file occurs" : "files occur"},
                       {"cut", report.same.size() < report.same_files},
                       {"shown", report.same.size()},
                       {"same", std::move(same)}};
  if (report.under_other_labels > 0) values["other"] = report.under_other_labels;
  return filled_template(report_store_same(), values);
}

std::string columns_html(const StoreReport& report) {
  PageValues columns = PageValues::array();
  for (const ColumnFigures& group : report.columns) {
    PageValues cells = PageValues::array();
    for (const double value : {group.mean, group.smallest, group.largest}) {
      cells.push_back(sorted_cell(value, fmt::format("{:.4g}", value)));
    }
    columns.push_back({{"name", group.group},
                       {"number", group.columns},
                       {"constant", group.constant},
                       {"cells", std::move(cells)}});
  }
  return filled_template(report_store_columns(), {{"columns", std::move(columns)}});
}

}  // namespace

std::string html_store_report(const StoreReport& report) {
  const std::string name = std::filesystem::path(report.folder).filename().string();
  Page page{name.empty() ? report.folder : name,
            "LeafGlyph features report",
            fmt::format("{} rows of {} inputs: {} features.", report.rows, report.inputs,
                        report.header.kind),
            {}};
  const RowPictures pictures(report);
  page.sections.push_back({"rows", "Rows", "Rows by state", rows_html(report)});
  page.sections.push_back(
      {"reasons", "Reasons", "What was noticed", reasons_html(report, pictures)});
  if (!report.unusual.empty()) {
    page.sections.push_back(
        {"unusual", "Unusual", "Rows least like the others", unusual_html(report, pictures)});
  }
  page.sections.push_back({"same", "Same files", "The same file twice", same_html(report)});
  if (!report.labels.empty()) {
    page.sections.push_back({"labels", "Labels", "Rows by label", labels_html(report)});
  }
  if (!report.areas.empty()) {
    page.sections.push_back({"sizes", "Sizes", "Sizes", sizes_html(report)});
  }
  page.sections.push_back({"columns", "Columns", "Columns", columns_html(report)});
  return html_page(page);
}

}  // namespace leafglyph
