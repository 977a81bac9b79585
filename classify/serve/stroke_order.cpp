#include "classify/serve/stroke_order.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "classify/http/page_limits.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/text.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

// Outlines go into the page as they are.
bool is_path(const std::string& outline) {
  return outline.size() <= kMaxStrokeBytes &&
         outline.find_first_not_of("MLQCZ0123456789.- ") == std::string::npos;
}

}  // namespace

StrokeOrder::StrokeOrder(fs::path folder) : folder_(std::move(folder)) {
  if (folder_.empty() || is_regular(folder_ / "一.json")) return;
  throw InputError(folder_.string() +
                   ": has no file 一.json; unpack the npm package hanzi-writer-data there");
}

std::vector<std::string> StrokeOrder::strokes(char32_t character) const {
  constexpr char32_t kFirstOutsideAscii = 0x80;  // no name of a path
  if (!is_there() || character < kFirstOutsideAscii) return {};
  const fs::path file = folder_ / (encode_utf8(character) + ".json");
  if (!is_regular(file)) return {};
  const auto refuse = [&] { return FormatError(file.string() + ": has no outlines of strokes"); };
  const Json json = Json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("strokes") || !json["strokes"].is_array() ||
      json["strokes"].size() > kMaxStrokes) {
    throw refuse();
  }
  std::vector<std::string> strokes;
  for (const Json& stroke : json["strokes"]) {
    if (!stroke.is_string() || !is_path(stroke.get<std::string>())) throw refuse();
    strokes.push_back(stroke.get<std::string>());
  }
  return strokes;
}

}  // namespace leafglyph
