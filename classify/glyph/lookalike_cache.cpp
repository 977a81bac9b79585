#include "classify/glyph/lookalike_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/sha256.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// Grows whenever the features, the distance, the score or the layout of the file changes.
constexpr std::string_view kVersion = "leafglyph look-alike tables 1\n";
constexpr std::size_t kDigestLength = 64;

fs::path file_of(const fs::path& folder, const std::string& key) {
  return folder / ("lookalikes-" + key.substr(0, 16) + ".bin");
}

void put_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class T>
void put_array(std::string& bytes, const T* values, std::size_t count) {
  put_number(bytes, count);
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Takes numbers and arrays off the front of some bytes. The digest has been checked, so that only
// a file that was written wrongly can end early.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <class Container>
  Container array() {
    const std::uint64_t count = number();
    if (count > bytes_.size() / sizeof(typename Container::value_type)) {
      throw FormatError("look-alike tables end early");
    }
    Container values(static_cast<std::size_t>(count), typename Container::value_type{});
    const std::size_t size = values.size() * sizeof(typename Container::value_type);
    if (size > 0) std::memcpy(values.data(), take(size), size);
    return values;
  }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size()) throw FormatError("look-alike tables end early");
    const char* front = bytes_.data();
    bytes_.remove_prefix(count);
    return front;
  }
  std::string_view bytes_;
};

LookalikeTables parse(std::string_view bytes) {
  Reader reader(bytes);
  LookalikeTables tables;
  tables.selected.characters = reader.array<std::u32string>();
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    tables.selected.missing.push_back(reader.array<std::string>());
  }
  tables.dimension = reader.number();
  tables.rows = reader.array<std::vector<float>>();
  const auto numbers = reader.array<std::vector<double>>();
  std::vector<LookalikeScore::Knot> knots;
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) {
    knots.push_back({numbers[k], numbers[k + 1]});
  }
  tables.score = LookalikeScore(std::move(knots));
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (tables.selected.characters.size() < 2 || tables.dimension == 0 ||
      tables.rows.size() / tables.dimension != tables.selected.characters.size() ||
      tables.rows.size() % tables.dimension != 0 ||
      !std::all_of(tables.rows.begin(), tables.rows.end(), is_finite)) {
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

std::string lookalike_key(const GlyphSelection& selection, const GlyphProfile& profile) {
  std::string text(kVersion);
  text += fmt::format("{}\nleave out {}\nskip missing {}\n", describe(profile),
                      encode_utf8(selection.leave_out), static_cast<int>(selection.skip_missing));
  for (const FontOptions& font : selection.fonts) {
    text += fmt::format("{} face {} size {} box {} {}\n", sha256(read_file(font.file)),
                        font.face_index, font.pixel_size, static_cast<int>(font.box), font.file);
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

std::optional<LookalikeTables> load_tables(const fs::path& folder, const std::string& key) {
  std::error_code error;
  const fs::path file = file_of(folder, key);
  if (folder.empty() || !is_private(folder) || !fs::is_regular_file(file, error)) {
    return std::nullopt;
  }
  try {
    const std::string content = read_file(file);
    const std::size_t header = kVersion.size() + 2 * kDigestLength;
    const std::string_view view = content;
    if (view.size() < header || !view.starts_with(kVersion) ||
        view.substr(kVersion.size(), kDigestLength) != key ||
        view.substr(kVersion.size() + kDigestLength, kDigestLength) !=
            sha256(view.substr(header))) {
      return std::nullopt;
    }
    return parse(view.substr(header));
  } catch (const Error&) {
    return std::nullopt;  // unreadable or damaged: the tables are made anew
  }
}

std::string store_tables(const fs::path& folder, const std::string& key,
                         const LookalikeTables& tables) {
  if (folder.empty()) return "neither XDG_CACHE_HOME nor HOME is set";
  std::string body;
  put_array(body, tables.selected.characters.data(), tables.selected.characters.size());
  put_number(body, tables.selected.missing.size());
  for (const std::string& line : tables.selected.missing) {
    put_array(body, line.data(), line.size());
  }
  put_number(body, tables.dimension);
  put_array(body, tables.rows.data(), tables.rows.size());
  std::vector<double> numbers;
  for (const auto& knot : tables.score.knots()) {
    numbers.push_back(knot.distance);
    numbers.push_back(knot.score);
  }
  put_array(body, numbers.data(), numbers.size());
  if (std::string hindrance = make_private(folder); !hindrance.empty()) return hindrance;
  std::error_code error;
  const fs::path file = file_of(folder, key);
  if (fs::exists(file, error) && !fs::is_regular_file(file, error)) {
    return file.string() + " is not a regular file";
  }
  try {
    write_file(file, std::string(kVersion) + key + sha256(body) + body);
  } catch (const Error& failure) {
    return failure.what();
  }
  return "";
}

}  // namespace leafglyph
