#include "classify/glyph/lookalike_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "datasets/glyph/character_set.h"
#include "features/base/aligned_vector.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;

// Must increase whenever the features, the distance, the score or the layout of the files changes.
constexpr std::string_view kFormat = "leafglyph look-alike tables 7";
constexpr const char* kTables = "tables.json";
constexpr const char* kRows = "rows.npy";

fs::path folder_of(const fs::path& cache, const std::string& key) {
  return cache / ("lookalikes-" + key.substr(0, 16));
}

// The file itself also says which tables it holds, protected by a digest, because file names
// contain only part of the key.
std::string digest_of(Json tables) {
  tables.erase("sha256");
  return sha256(tables.dump());
}

// What is known about the font files, so that each is read only once.
Json fonts_json(std::span<const GlyphSource> fonts) {
  Json json = Json::array();
  for (const GlyphSource& font : fonts) {
    json.push_back({{"stamp", font.stamp()}, {"sha256", font.digest()}});
  }
  return json;
}

// Whether the fonts are those that the tables were made with, judged by their stamps or else by
// their contents.
bool are_same(const Json& known, std::span<const GlyphSource> fonts) {
  if (known.size() != fonts.size()) return false;
  for (std::size_t f = 0; f < fonts.size(); ++f) {
    const std::string& stamp = fonts[f].stamp();
    const bool is_untouched = !stamp.empty() && known.at(f).at("stamp") == stamp;
    if (!is_untouched && known.at(f).at("sha256") != fonts[f].digest()) return false;
  }
  return true;
}

bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000;
  std::uint32_t found = 0;
  for (const float value : values) {
    found |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1U : 0U;
  }
  return found == 0;
}

Json tables_json(const std::string& key, const LookalikeTables& tables, std::string_view rows,
                 Json fonts) {
  Json json = {{"format", kFormat},
               {"key", key},
               {"characters", encode_utf8(tables.selected.characters)},
               {"missing", tables.selected.missing},
               {"pairs", encode_utf8(tables.calibration.characters)},
               {"distances", tables.calibration.distances},
               {"fonts", std::move(fonts)},
               {"rows", sha256_of_blocks(rows)}};
  json["sha256"] = digest_of(json);
  return json;
}

/// The bytes of a file, in memory that is not filled before they are read to it.
struct RowsInMemory {
  explicit RowsInMemory(const fs::path& path) {
    const FileHandle file = open_input(path);
    const std::size_t size = bytes_left(file.get());
    LargePages<char> pages;
    const std::shared_ptr<char> bytes(pages.allocate(size), [pages, size](char* memory) mutable {
      pages.deallocate(memory, size);
    });
    if (!read_piece(file.get(), 0, std::span<char>(bytes.get(), size))) {
      throw FormatError(path.string() + ": was cut short, or cannot be read");
    }
    keeper = bytes;
    all = {bytes.get(), size};
  }

  std::shared_ptr<const void> keeper;
  std::string_view all;
};

LookalikeTables parse(const Json& json, const RowsInMemory& in_memory, const fs::path& path) {
  LookalikeTables tables;
  tables.selected.characters = decode_utf8(json.at("characters").get<std::string>());
  tables.selected.missing = json.at("missing").get<std::vector<std::string>>();
  tables.calibration = {decode_utf8(json.at("pairs").get<std::string>()),
                        json.at("distances").get<std::vector<double>>()};
  const NpyView<float> rows = view_npy<float>(in_memory.all, path);
  const std::size_t count = tables.selected.characters.size();
  tables.rows = {count, search_stride(count), rows.values, in_memory.keeper};
  if (count < 2 || rows.shape.size() != 2 || rows.shape[1] != tables.rows.stride ||
      tables.calibration.characters.size() != 2 * tables.calibration.distances.size()) {
    throw FormatError("the look-alike tables do not match each other");
  }
  return tables;
}

// If files have new stamps but the same contents, stores the new stamps, so that the files are not
// read each time. If another process has replaced the tables in the meantime, they no longer match
// this file and are computed again.
void keep_stamps(const fs::path& folder, Json json, std::span<const GlyphSource> fonts,
                 const std::string& rows_stamp) {
  bool is_new = false;
  const auto keep = [&](Json& object, const char* name, const std::string& stamp) {
    if (stamp.empty() || object.value(name, "") == stamp) return;
    object[name] = stamp;
    is_new = true;
  };
  for (std::size_t f = 0; f < fonts.size(); ++f) keep(json["fonts"][f], "stamp", fonts[f].stamp());
  keep(json, "rows_stamp", rows_stamp);
  if (!is_new) return;
  json["sha256"] = digest_of(json);
  try {
    write_file(folder / kTables, json.dump());
  } catch (const Error&) {
    return;  // a cache that cannot be written is still usable
  }
}

// Whether nobody else can have written to the folder.
bool is_private(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & 022U) == 0;
}

// Creates the folder or, if it belongs to the user, removes everybody else's access. Returns the
// obstacle, or an empty string.
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

std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile) {
  std::string text(kFormat);
  text += fmt::format("\n{}\nleave out {}\nskip missing {}\n", describe(profile),
                      encode_utf8(selection.leave_out), static_cast<int>(selection.skip_missing));
  for (const std::string& name : selection.characters) {
    text += "characters " + name + (names_a_file(name) ? " " + sha256(read_file(name)) : "") + "\n";
  }
  for (const FontOptions& font : selection.fonts) {
    text += fmt::format("face {} size {} box {} {}\n", font.face_index, font.pixel_size,
                        static_cast<int>(font.box), font.file);
  }
  return sha256(text);
}

fs::path default_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  // The XDG specification says that relative paths must be ignored.
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "leafglyph";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache" / "leafglyph";
  return {};
}

std::optional<LookalikeTables> load_tables(const fs::path& cache, const std::string& key,
                                           std::span<const GlyphSource> fonts) {
  const fs::path folder = folder_of(cache, key);
  if (cache.empty() || !is_private(cache) || !is_regular(folder / kTables) ||
      !is_regular(folder / kRows)) {
    return std::nullopt;
  }
  try {
    Json json = Json::parse(read_file(folder / kTables));
    // Read before the stamp, which then shows whether they are those that were checked.
    const RowsInMemory rows(folder / kRows);
    const std::string rows_stamp = lasting_stamp(stamp_of(open_input(folder / kRows).get()));
    // The rows were checked when this stamp was stored.
    const bool checked = !rows_stamp.empty() && json.value("rows_stamp", "") == rows_stamp;
    if (json.at("format") != kFormat || json.at("key") != key ||
        json.at("sha256") != digest_of(json) || !are_same(json.at("fonts"), fonts) ||
        (!checked && json.at("rows") != sha256_of_blocks(rows.all))) {
      return std::nullopt;
    }
    LookalikeTables tables = parse(json, rows, folder / kRows);
    if (!checked && !all_finite(tables.rows.values)) return std::nullopt;
    keep_stamps(folder, std::move(json), fonts, rows_stamp);
    return tables;
  } catch (const Error&) {
    return std::nullopt;  // unreadable or damaged: the tables are computed again
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string store_tables(const fs::path& cache, const std::string& key,
                         const LookalikeTables& tables, std::span<const GlyphSource> fonts) {
  if (cache.empty()) return "neither XDG_CACHE_HOME nor HOME is set";
  if (std::string hindrance = make_private(cache); !hindrance.empty()) return hindrance;
  const std::size_t shape[] = {tables.rows.values.size() / tables.rows.stride, tables.rows.stride};
  const std::string rows = npy_bytes<float>(tables.rows.values, shape);
  try {
    const Json json = tables_json(key, tables, rows, fonts_json(fonts));
    StagedFolder folder(folder_of(cache, key), [](const fs::path&) {
      return std::vector<std::string>{kRows, kTables};
    });
    folder.write(kTables, json.dump());
    folder.write(kRows, rows);
    folder.commit();
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace leafglyph
