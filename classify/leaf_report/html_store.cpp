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

#include "classify/extraction/listed_archive.h"
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
constexpr std::ptrdiff_t kReasonsShown = 30;

using Rows = std::vector<PageValues*>;

// Sets "picture" of rows of one image, which `read` reads. None if it is not an image any more.
template <class Read>
void set_pictures(const Rows& rows, const Read& read) {
  try {
    const Photograph photograph = read();
    const PictureBox all{
        0, 0, static_cast<int>(std::lround(photograph.grey.width() * photograph.across())),
        static_cast<int>(std::lround(photograph.grey.height() * photograph.down()))};
    for (PageValues* row : rows) {
      const PageValues& box = (*row)["box"];
      const bool is_all = (*row)["part"] == 0 || box[2] == 0;
      const PictureBox of_row = is_all ? all : PictureBox{box[0], box[1], box[2], box[3]};
      (*row)["picture"] =
          html_picture(page_picture(small_picture(photograph, of_row, kRowPictureSide)),
                       (*row)["name"].get<std::string>());
    }
  } catch (const InputError&) {
    return;
  }
}

// The archive in which the image at the path is; empty if it is a file.
std::string archive_of(const std::string& path) {
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    std::string folder = path.substr(0, end);
    if (is_archive_name(folder) && is_regular(folder)) return folder;
  }
  return "";
}

void set_pictures_of_archive(const std::string& archive,
                             const std::map<std::string, Rows>& rows_of_paths) {
  try {
    ArchiveReader reader(archive);
    while (reader.next()) {
      const auto rows = rows_of_paths.find(reader.image_path());
      if (rows == rows_of_paths.end()) continue;
      set_pictures(rows->second, [&] { return read_photograph(reader.read(), rows->first, {}); });
    }
  } catch (const InputError&) {
    return;
  }
}

// Sets "picture" of the rows to small pictures. None where the file is gone or is not an image, or
// came from standard input.
void set_pictures(const Rows& all) {
  std::map<std::string, Rows> rows_of_paths;
  std::set<std::string> archives;
  for (PageValues* row : all) {
    (*row)["picture"] = html_picture(std::nullopt, (*row)["name"].get<std::string>());
    rows_of_paths[(*row)["path"]].push_back(row);
  }
  for (const auto& [path, rows] : rows_of_paths) {
    throw_if_interrupted();
    if (const std::string archive = archive_of(path); !archive.empty()) {
      archives.insert(archive);
    } else {
      set_pictures(rows, [&path = path] { return read_photograph(path); });
    }
  }
  for (const std::string& archive : archives) set_pictures_of_archive(archive, rows_of_paths);
}

// A line of a table with a bar; `most` is the largest count of the table.
PageValues bar(const PageValues& name, std::size_t count, std::size_t most) {
  const double share =
      most == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(most);
  return {{"name", name}, {"count", count}, {"share", share}};
}

std::string rows_html(const PageValues& document) {
  PageValues states = PageValues::array();
  for (const auto& [state, count] : document["states"].items()) {
    states.push_back(bar(state, count, document["rows"]));
  }
  return filled_template(report_store_rows(), {{"states", std::move(states)}}, document);
}

// "failed: there is no leaf in it"; of rows that are ok, their warning alone.
std::string heading_of(const std::string& state, const std::string& reason) {
  if (state == name_of(RowState::kOk)) return reason;
  return reason.empty() ? state : state + ": " + reason;
}

// A table of the counts from the first that is not 0 on; name_of_count(i) names count i.
template <class Name>
PageValues counts_table(std::string_view title, std::string_view what, std::string_view counted,
                        const std::vector<std::size_t>& counts, const Name& name_of_count) {
  const auto first = std::ranges::find_if(counts, [](std::size_t count) { return count > 0; });
  PageValues bars = PageValues::array();
  for (auto at = first; at != counts.end(); ++at) {
    bars.push_back(bar(name_of_count(static_cast<std::size_t>(at - counts.begin())), *at,
                       *std::ranges::max_element(counts)));
  }
  return {{"title", title}, {"what", what}, {"counted", counted}, {"bars", std::move(bars)}};
}

std::string sizes_html(const PageValues& document) {
  PageValues tables = PageValues::array();
  tables.push_back(
      counts_table("Areas", "pixels of the file", "rows", document["areas"], [](std::size_t power) {
        return fmt::format("{} to {}", std::size_t{1} << power, (std::size_t{2} << power) - 1);
      }));
  if (document["has_parts"].get<bool>()) {
    std::vector<std::size_t> parts = document["parts"];
    const std::size_t most = parts.size() - 1;
    while (!parts.empty() && parts.back() == 0) parts.pop_back();
    tables.push_back(counts_table(
        "Parts of an input", "parts with numbers", "inputs", parts, [most](std::size_t number) {
          return number == most ? fmt::format("{} or more", most) : std::to_string(number);
        }));
  }
  return filled_template(report_store_sizes(), {{"tables", std::move(tables)}});
}

// "a.jpg (oak), b.jpg (elm) and 3 more".
std::string same_text(const PageValues& same) {
  const PageValues& paths = same["paths"];
  std::string text;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    text += (i == 0 ? "" : ", ") + paths[i].get<std::string>();
    if (same["labels_differ"]) text += " (" + same["labels"][i].get<std::string>() + ")";
  }
  const std::size_t more = same["inputs"].get<std::size_t>() - paths.size();
  return more > 0 ? text + fmt::format(" and {} more", more) : text;
}

std::string same_html(const PageValues& document) {
  PageValues same = PageValues::array();
  for (const PageValues& files : document["same"]) {
    same.push_back({{"differ", files["labels_differ"]}, {"text", same_text(files)}});
  }
  return filled_template(report_store_same(),
                         {{"cut", same.size() < document["same_files"]},
                          {"one", document["same_files"] == 1},
                          {"same", std::move(same)}},
                         document);
}

}  // namespace

std::string html_store_report(PageValues document) {
  PageValues &reasons = document["reasons"], &unusual = document["unusual"];
  if (std::ssize(reasons) > kReasonsShown) {
    reasons.erase(reasons.begin() + kReasonsShown, reasons.end());
  }
  Rows shown;
  for (PageValues& reason : reasons) {
    reason["heading"] = heading_of(reason["state"], reason["reason"]);
    reason["one"] = reason["rows"] == 1;
    reason["more"] = reason["rows"] > reason["examples"].size();
    for (PageValues& row : reason["examples"]) shown.push_back(&row);
  }
  for (PageValues& row : unusual) shown.push_back(&row);
  set_pictures(shown);
  Page page{document["name"],
            "LeafGlyph features report",
            filled_text("{{rows}} rows of {{inputs}} inputs: {{kind}} features.", {}, document),
            {}};
  const auto add = [&](const char* id, const char* menu, const char* title, std::string body) {
    page.sections.push_back({id, menu, title, std::move(body)});
  };
  add("rows", "Rows", "Rows by state", rows_html(document));
  add("reasons", "Reasons", "What was noticed", filled_template(report_store_reasons(), document));
  if (!unusual.empty()) {
    add("unusual", "Unusual", "Rows least like the others",
        filled_template(report_store_unusual(), document));
  }
  add("same", "Same files", "The same file twice", same_html(document));
  if (!document["labels"].empty()) {
    add("labels", "Labels", "Rows by label", filled_template(report_store_labels(), document));
  }
  if (!document["areas"].empty()) add("sizes", "Sizes", "Sizes", sizes_html(document));
  add("columns", "Columns", "Columns", filled_template(report_store_columns(), document));
  return html_page(page);
}

}  // namespace leafglyph
