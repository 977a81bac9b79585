#include "classify/glyph/lookalike_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;

// Grows whenever the features, the distance, the score or the layout of the files changes.
constexpr std::string_view kFormat = "leafglyph look-alike tables 4";
constexpr const char* kTables = "tables.json";
constexpr const char* kRows = "rows.npy";

fs::path folder_of(const fs::path& cache, const std::string& key) {
  return cache / ("lookalikes-" + key.substr(0, 16));
}

// Which tables these are stands in the file itself, too, under a digest: names are shortened.
std::string digest_of(Json tables) {
  tables.erase("sha256");
  return sha256(tables.dump());
}

std::string tables_json(const std::string& key, const LookalikeTables& tables,
                        std::string_view rows) {
  Json json = {{"format", kFormat},
               {"key", key},
               {"characters", encode_utf8(tables.selected.characters)},
               {"missing", tables.selected.missing},
               {"knots", Json::array()},
               {"rows", sha256(rows)}};
  for (const auto& knot : tables.score.knots()) {
    json["knots"].push_back({knot.distance, knot.score});
  }
  json["sha256"] = digest_of(json);
  return json.dump();
}

LookalikeTables parse(const Json& json, std::string_view bytes, const fs::path& file) {
  LookalikeTables tables;
  tables.selected.characters = decode_utf8(json.at("characters").get<std::string>());
  tables.selected.missing = json.at("missing").get<std::vector<std::string>>();
  std::vector<LookalikeScore::Knot> knots;
  for (const Json& knot : json.at("knots")) knots.push_back({knot.at(0), knot.at(1)});
  tables.score = LookalikeScore(std::move(knots));
  NpyArray<float> rows = parse_npy<float>(bytes, file);
  tables.rows.count = tables.selected.characters.size();
  tables.rows.stride = search_stride(tables.rows.count);
  tables.rows.values = std::move(rows.values);
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (tables.rows.count < 2 || rows.shape.size() != 2 || rows.shape[1] != tables.rows.stride ||
      !std::all_of(tables.rows.values.begin(), tables.rows.values.end(), is_finite)) {
    throw FormatError("look-alike tables do not fit together");
  }
  return tables;
}

// Whether nobody else can have written into the folder.
bool is_private(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & 022U) == 0;
}

// Makes the folder, or takes one of our own from everybody else. Returns what hinders it, or an
// empty text.
std::string make_private(const fs::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) == 0) return "";
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return folder.string() + " cannot be made";
  }
  if (status.st_uid != ::geteuid()) return folder.string() + " belongs to another user";
  if (!is_private(folder) && ::chmod(folder.c_str(), 0700) != 0) {
    return folder.string() + " is open to other users";
  }
  return "";
}

}  // namespace

std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile,
                          std::span<const GlyphSource> sources) {
  std::string text(kFormat);
  text += fmt::format("\n{}\nleave out {}\nskip missing {}\n", describe(profile),
                      encode_utf8(selection.leave_out), static_cast<int>(selection.skip_missing));
  for (const std::string& name : selection.characters) {
    text += "characters " + name + (names_a_file(name) ? " " + sha256(read_file(name)) : "") + "\n";
  }
  for (const GlyphSource& source : sources) {
    const FontOptions& font = source.options();
    text += fmt::format("{} face {} size {} box {} {}\n", source.digest(), font.face_index,
                        font.pixel_size, static_cast<int>(font.box), font.file);
  }
  return sha256(text);
}

fs::path default_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  // The XDG specification: a relative path is to be ignored.
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "leafglyph";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache" / "leafglyph";
  return {};
}

std::optional<LookalikeTables> load_tables(const fs::path& cache, const std::string& key) {
  std::error_code error;
  const fs::path folder = folder_of(cache, key);
  if (cache.empty() || !is_private(cache) || !fs::is_regular_file(folder / kTables, error) ||
      !fs::is_regular_file(folder / kRows, error)) {
    return std::nullopt;
  }
  try {
    const Json json = Json::parse(read_file(folder / kTables));
    const std::string rows = read_file(folder / kRows);
    if (json.at("format") != kFormat || json.at("key") != key ||
        json.at("sha256") != digest_of(json) || json.at("rows") != sha256(rows)) {
      return std::nullopt;
    }
    return parse(json, rows, folder / kRows);
  } catch (const Error&) {
    return std::nullopt;  // unreadable or damaged: the tables are made anew
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string store_tables(const fs::path& cache, const std::string& key,
                         const LookalikeTables& tables) {
  if (cache.empty()) return "neither XDG_CACHE_HOME nor HOME is set";
  if (std::string hindrance = make_private(cache); !hindrance.empty()) return hindrance;
  const std::size_t shape[] = {tables.rows.values.size() / tables.rows.stride, tables.rows.stride};
  const std::string rows = npy_bytes<float>(tables.rows.values, shape);
  try {
    StagedFolder folder(folder_of(cache, key), [](const fs::path&) {
      return std::vector<std::string>{kTables, kRows};
    });
    folder.write(kTables, tables_json(key, tables, rows));
    folder.write(kRows, rows);
    folder.commit();
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace leafglyph
