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
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/base/text.h"
#include "features/record/record.h"
#include "features/record/sealed_json.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// The version must increase whenever the features, the distance, the score or the layout changes.
constexpr RecordKind kTables = {"tables.json", "leafglyph look-alike tables", 8,
                                "cache of look-alike tables", "they are made again"};
constexpr const char* kRows = "rows.npy";

fs::path folder_of(const fs::path& cache, const std::string& key) {
  return cache / ("lookalikes-" + key.substr(0, 16));
}

// What is known about the font files, so that each is read only once.
Facts fonts_json(std::span<const GlyphSource> fonts) {
  Facts json = Facts::array();
  for (const GlyphSource& font : fonts) {
    json.push_back({{"stamp", font.stamp()}, {"sha256", font.digest()}});
  }
  return json;
}

// Whether the fonts are those that the tables were made with, judged by their stamps or else by
// their contents.
bool are_same(const Facts& known, std::span<const GlyphSource> fonts) {
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

// File names contain only part of the key, so the facts have all of it.
Facts facts_of(const std::string& key, const LookalikeTables& tables, Facts fonts) {
  std::vector<double> windows;
  std::vector<double> edges;
  for (const PairDistances& pair : tables.calibration.distances) {
    windows.push_back(pair.windows);
    edges.push_back(pair.edges);
  }
  return {{"key", key},
          {"characters", encode_utf8(tables.selected.characters)},
          {"missing", tables.selected.missing},
          {"pairs", encode_utf8(tables.calibration.characters)},
          {"distances", windows},
          {"edges", edges},
          {"fonts", std::move(fonts)}};
}

/// The bytes of a file, in memory that is not filled before they are read to it.
struct RowsInMemory {
  explicit RowsInMemory(const CheckedFile& file) {
    const std::size_t size = file.size();
    LargePages<char> pages;
    const std::shared_ptr<char> bytes(pages.allocate(size), [pages, size](char* memory) mutable {
      pages.deallocate(memory, size);
    });
    file.read(0, std::span<char>(bytes.get(), size));
    keeper = bytes;
    all = {bytes.get(), size};
  }

  std::shared_ptr<const void> keeper;
  std::string_view all;
};

LookalikeTables parse(const Record& record) {
  const Facts& json = record.facts;
  const RowsInMemory in_memory(*record.large_file(kRows));
  LookalikeTables tables;
  tables.selected.characters = decode_utf8(json.at("characters").get<std::string>());
  tables.selected.missing = json.at("missing").get<std::vector<std::string>>();
  tables.calibration.characters = decode_utf8(json.at("pairs").get<std::string>());
  const auto windows = json.at("distances").get<std::vector<double>>();
  const auto edges = json.at("edges").get<std::vector<double>>();
  for (std::size_t k = 0; k < std::min(windows.size(), edges.size()); ++k) {
    tables.calibration.distances.push_back({windows[k], edges[k]});
  }
  const NpyView<float> rows = view_npy<float>(in_memory.all, record.folder / kRows);
  const std::size_t count = tables.selected.characters.size();
  tables.rows = {count, search_stride(count), rows.values, in_memory.keeper};
  if (count < 2 || rows.shape.size() != 2 || rows.shape[1] != tables.rows.stride ||
      windows.size() != edges.size() ||
      tables.calibration.characters.size() != 2 * tables.calibration.distances.size() ||
      !all_finite(tables.rows.values)) {
    throw record.damaged("the tables do not match each other");
  }
  return tables;
}

// If fonts have new stamps but the same contents, stores the new stamps, so that the fonts are not
// read each time. If another process has replaced the tables in the meantime, they no longer match
// this file and are computed again.
void keep_stamps(const Record& record, std::span<const GlyphSource> fonts) {
  Facts facts = record.facts;
  for (std::size_t f = 0; f < fonts.size(); ++f) {
    if (!fonts[f].stamp().empty()) facts["fonts"][f]["stamp"] = fonts[f].stamp();
  }
  if (facts == record.facts) return;
  try {
    write_file(record.folder / kTables.facts, sealed_text(std::move(facts)));
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
  std::string text = fmt::format("{} {}", kTables.format, kTables.version);
  text += fmt::format("\n{}\nleave out {}\nskip missing {}\n", describe(profile),
                      encode_utf8(selection.leave_out), static_cast<int>(selection.skip_missing));
  for (const std::string& name : selection.characters) {
    const std::string file = file_of_set(name);
    text += "characters " + name + (file.empty() ? "" : " " + sha256(read_file(file))) + "\n";
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
  if (cache.empty() || !is_private(cache) || !is_folder(folder)) return std::nullopt;
  try {
    const Record record = read_record(folder, kTables);
    return record.checked(kTables.facts, [&]() -> std::optional<LookalikeTables> {
      if (record.facts.at("key") != key || !are_same(record.facts.at("fonts"), fonts)) {
        return std::nullopt;
      }
      LookalikeTables tables = parse(record);
      keep_stamps(record, fonts);
      return tables;
    });
  } catch (const Error&) {
    return std::nullopt;  // unreadable or damaged: the tables are computed again
  }
}

std::string store_tables(const fs::path& cache, const std::string& key,
                         const LookalikeTables& tables, std::span<const GlyphSource> fonts) {
  if (cache.empty()) return "neither XDG_CACHE_HOME nor HOME is set";
  if (std::string hindrance = make_private(cache); !hindrance.empty()) return hindrance;
  const std::size_t shape[] = {tables.rows.values.size() / tables.rows.stride, tables.rows.stride};
  const std::span<const float> values = tables.rows.values;
  try {
    StagedFolder folder(folder_of(cache, key), [](const fs::path&) {
      return std::vector<std::string>{kRows, kTables.facts, kRows + std::string(kDigests)};
    });
    RecordParts parts;
    parts.large[kRows] = {npy_header("<f4", shape),
                          {{reinterpret_cast<const char*>(values.data()), values.size_bytes()}}};
    write_record(folder, kTables, facts_of(key, tables, fonts_json(fonts)), std::move(parts));
    folder.commit();
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace leafglyph
