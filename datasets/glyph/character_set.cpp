#include "datasets/glyph/character_set.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "datasets/glyph/character_code.h"
#include "datasets/glyph/gb2312.h"
#include "datasets/glyph/unicode_blocks.h"
#include "datasets/glyph/unihan.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/foreign_text.h"
#include "features/base/input_file.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr char32_t kLastCharacter = 0x10FFFF;
// The last place in the Chinese list of characters for general use (2013).
constexpr int kGeneral = 8105;

constexpr char32_t kHskTable[] =
#include "datasets/glyph/hsk_hanzi.inc"
    ;
constexpr std::size_t kHskLevel = 300;  // characters that each of the levels 1 to 6 adds
constexpr std::size_t kHsk = 3000;      // levels 7 to 9 share one list
static_assert(std::size(kHskTable) == kHsk + 1);

struct LeadBytes {
  int first;
  int last;
};

// A character set of two bytes per character as iconv knows it.
struct Encoding {
  std::string_view name;
  const char* iconv_name;
  std::array<LeadBytes, 2> leads;  // of Chinese characters
  int first_trail;
  int last;  // last two-byte code; Big 5 has vendor extensions beyond
};

// Big 5 has two levels; in EUC, JIS X 0208 and KS X 1001 use rows 16 to 84 and 42 to 93.
constexpr std::array<Encoding, 3> kEncodings = {{
    {"big5", "BIG5", {{{0xA4, 0xC6}, {0xC9, 0xF9}}}, 0x40, 0xF9D5},
    {"jis", "EUC-JP", {{{0xB0, 0xCF}, {0xD0, 0xF4}}}, 0xA1, 0xF4FE},
    {"ksx", "EUC-KR", {{{0xCA, 0xDF}, {0xE0, 0xFD}}}, 0xA1, 0xFDFE},
}};

class Converter {
 public:
  explicit Converter(const char* from) : handle_(iconv_open("UTF-32LE", from)) {
    if (handle_ == reinterpret_cast<iconv_t>(-1)) {
      throw InputError(std::string("this system's iconv does not know ") + from +
                       "; list the characters in a file");
    }
  }
  ~Converter() { iconv_close(handle_); }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  std::optional<char32_t> operator()(int lead, int trail) {
    std::array<char, 2> code = {static_cast<char>(lead), static_cast<char>(trail)};
    std::array<unsigned char, 8> out{};
    char* from = code.data();
    auto* to = reinterpret_cast<char*>(out.data());
    std::size_t left = code.size();
    std::size_t room = out.size();
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    if (iconv(handle_, &from, &left, &to, &room) != 0 || left != 0 || room != 4) {
      return std::nullopt;
    }
    return out[0] | out[1] << 8 | out[2] << 16 | static_cast<char32_t>(out[3]) << 24;
  }

 private:
  iconv_t handle_;
};

std::u32string encoded(const Encoding& encoding) {
  Converter convert(encoding.iconv_name);
  std::u32string characters;
  for (const LeadBytes& leads : encoding.leads) {
    for (int lead = leads.first; lead <= leads.last; ++lead) {
      for (int trail = encoding.first_trail; trail <= 0xFE; ++trail) {
        if (lead * 256 + trail > encoding.last) break;
        const auto character = convert(lead, trail);
        if (character && is_hanzi(*character)) characters.push_back(*character);
      }
    }
  }
  return characters;
}

std::u32string range(char32_t first, char32_t last) {
  std::u32string characters;
  for (char32_t c = first; c <= last; ++c) {
    if (c < 0xD800 || c > 0xDFFF) characters.push_back(c);  // surrogates are not characters
  }
  return characters;
}

// The characters of a text but blanks and lines that begin with #.
std::u32string of_text(const std::string& file) {
  std::u32string characters;
  bool remark = false;
  bool begins = true;
  for (const char32_t c : decode_utf8(foreign_text(read_text_file(file), file).text)) {
    remark = begins ? c == U'#' : remark;
    begins = c == U'\n';
    const bool blank = c <= U' ' || c == 0xA0 || c == 0x3000;
    if (!blank && !remark) characters.push_back(c);
    if (begins) remark = false;
  }
  return characters;
}

bool is_one_hanzi(const std::string& text) {
  return utf8_length(text) == text.size() && is_hanzi(decode_utf8(text).front());
}

// Where a table that says nothing else has its characters.
std::size_t column_of_characters(const CsvReader& reader, const std::string& file) {
  constexpr std::array<std::string_view, 7> kUsual = {
      "character", "char", "hanzi", "kanji", "\u5B57", "\u6C49\u5B57", "\u6F22\u5B57"};
  for (const std::string_view name : kUsual) {
    if (const auto column = reader.column(name)) return *column;
  }
  if (reader.names().size() == 1) return 0;
  std::string names;
  for (const std::string& name : reader.names()) names += (names.empty() ? "" : ", ") + name;
  throw InputError(file + ": say which column has the characters, " + file + "#COLUMN: " + names);
}

std::u32string of_table(const std::string& file, const std::string& column) {
  ForeignTable table(read_text_file(file), file, "name columns");
  CsvReader& reader = table.reader();
  if (column.empty() && std::ranges::all_of(reader.names(), is_one_hanzi)) return of_text(file);
  const auto asked = reader.column(column);
  if (!column.empty() && !asked) reader.refuse("there is no column '" + column + "'");
  const std::size_t read = asked ? *asked : column_of_characters(reader, file);
  std::u32string characters;
  for (std::vector<std::string> fields; reader.next(fields);) {
    if (!fields[read].empty()) characters += characters_from(fields[read]);
  }
  return characters;
}

// A file, and the column of it that is asked for.
std::pair<std::string, std::string> file_and_column(std::string_view name) {
  const std::size_t mark = name.rfind('#');
  if (mark == name.npos || is_there(std::string(name))) return {std::string(name), ""};
  return {std::string(name.substr(0, mark)), std::string(name.substr(mark + 1))};
}

std::u32string of_file(std::string_view name) {
  const auto [file, column] = file_and_column(name);
  const bool is_table = !column.empty() || file.ends_with(".csv") || file.ends_with(".tsv");
  const std::u32string characters = is_table ? of_table(file, column) : of_text(file);
  if (characters.empty()) throw InputError("'" + file + "' holds no character");
  return characters;
}

bool is_named_set(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"gb2312", "common", "general", "all"};
  return std::ranges::find(kNames, name) != kNames.end() || name.starts_with("hsk") ||
         std::ranges::find(kEncodings, name, &Encoding::name) != kEncodings.end();
}

// Levels 1 to `level` of HSK.
std::u32string hsk(std::size_t level) { return {kHskTable, level <= 6 ? level * kHskLevel : kHsk}; }

std::u32string each_once(std::u32string_view characters) {
  std::unordered_set<char32_t> seen;
  std::u32string once;
  for (const char32_t c : characters) {
    if (seen.insert(c).second) once.push_back(c);
  }
  return once;
}

}  // namespace

std::string file_of_set(std::string_view name) {
  std::string file = file_and_column(name).first;
  constexpr std::array<std::string_view, 3> kEndings = {".txt", ".csv", ".tsv"};
  const bool is_path =
      name.find('/') != name.npos ||
      std::ranges::any_of(kEndings, [&](std::string_view end) { return file.ends_with(end); });
  if (is_path) return file;
  const bool is_other = is_named_set(name) || unicode_block(name) || name.find("..") != name.npos ||
                        character_from_code(name);
  return !is_other && is_regular(file) ? file : "";
}

int hsk_level(char32_t character) {
  const std::size_t place = std::u32string_view(kHskTable, kHsk).find(character);
  return place == std::u32string_view::npos
             ? 0
             : static_cast<int>(std::min(place, 6 * kHskLevel) / kHskLevel) + 1;
}

CharacterSet character_set(std::string_view name) {
  if (name == "gb2312") return {std::u32string(Gb2312().hanzi()), false};
  if (name == "common") return {Unihan().general(kLastCommon), false};
  if (name == "general") return {Unihan().general(kGeneral), false};
  if (name == "all") return {range(U' ' + 1, kLastCharacter), true};
  if (name == "hsk") return {hsk(9), false};
  if (name.size() == 4 && name.starts_with("hsk") && name[3] >= '1' && name[3] <= '9') {
    return {hsk(static_cast<std::size_t>(name[3] - '0')), false};
  }
  for (const Encoding& encoding : kEncodings) {
    if (name == encoding.name) return {each_once(encoded(encoding)), false};
  }
  if (!file_of_set(name).empty()) return {each_once(of_file(name)), false};
  if (const auto block = unicode_block(name)) return {range(block->first, block->last), true};
  const std::size_t dots = name.find("..");
  const auto first = character_from_code(name.substr(0, dots));
  const auto last =
      dots == std::string_view::npos ? first : character_from_code(name.substr(dots + 2));
  if (!first || !last || *last < *first) {
    throw UsageError("'" + std::string(name) + "' names no characters; use " + kCharacterSetNames);
  }
  return {range(*first, *last), dots != std::string_view::npos};
}

std::string set_with(char32_t character) {
  for (const char* name : {"gb2312", "big5", "jis", "ksx"}) {
    if (character_set(name).characters.find(character) != std::u32string::npos) return name;
  }
  const auto block = unicode_block_of(character);
  return block ? block->name : "";
}

CharacterSet character_sets(const std::vector<std::string>& names, std::u32string_view leave_out) {
  CharacterSet result{U"", true};
  for (const std::string& name : names) {
    const CharacterSet set = character_set(name);
    result.characters += set.characters;
    result.open = result.open && set.open;
  }
  std::unordered_set<char32_t> given(result.characters.begin(), result.characters.end());
  for (const char32_t character : leave_out) {
    if (!given.contains(character)) {
      throw UsageError(describe_character(character) +
                       " is to be left out, but it is not among the characters");
    }
  }
  std::erase_if(result.characters,
                [&](char32_t c) { return leave_out.find(c) != std::u32string_view::npos; });
  result.characters = each_once(result.characters);
  return result;
}

}  // namespace leafglyph
