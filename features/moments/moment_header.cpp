#include "features/moments/moment_header.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/lines.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::string_view kFormat = "leafglyph-moments-4";
constexpr std::string_view kFormatWithoutSeal = "leafglyph-moments-3";
constexpr std::array<std::string_view, 21> kKeys = {
    "format",        "convention", "centre",       "radius",        "family",      "order",
    "angular order", "method",     "points",       "mask",          "repetitions", "width",
    "height",        "slices",     "padded width", "padded height", "depth",       "peak",
    "row",           kArrayDigest, kHeaderDigest};
constexpr std::string_view kConjugates =
    "m >= 0; images are real, so that the moment (n, -m) is the complex conjugate of (n, m)";
constexpr std::string_view kConjugatesOfPairs =
    "m >= 0; images are real, so that the moment (-n, -m) is the complex conjugate of (n, m)";
constexpr std::string_view kConjugatesOnBall =
    "m >= 0; volumes are real, so that the moment (n, l, -m) is the complex conjugate of (n, l, m)";
constexpr std::string_view kNoRepetitions = "none; n, m, o are the degrees in x, y, z";

// The value that replaces the mask where the spec has no Mask.
std::string_view mask_of_its_own(const MomentSpec& spec) {
  if (has_mask(spec)) return "";
  if (is_spherical(spec.family)) return "centre";
  return is_circular(spec.family) ? "own" : "all";
}

// Which moments are not stored.
std::string_view repetitions_of(Family family) {
  if (is_spherical(family)) return kConjugatesOnBall;
  if (!is_circular(family)) return kNoRepetitions;
  return family.row().phase == nullptr ? kConjugates : kConjugatesOfPairs;
}

// The lines of a header, by key.
class Lines {
 public:
  Lines(std::string_view text, std::string where) : where_(std::move(where)) {
    std::istringstream stream{std::string(text)};
    for (std::string line; next_line(stream, line, where_);) {
      const std::size_t colon = line.find(": ");
      if (colon == std::string::npos) {
        throw FormatError(where_ + ": '" + line +
                          "' is not a line 'key: value' of a moments header");
      }
      const std::string key = line.substr(0, colon);
      if (std::ranges::find(kKeys, key) == kKeys.end()) {
        throw FormatError(where_ + ": a moments header has no '" + key + "'");
      }
      values_[key].push_back(line.substr(colon + 2));
    }
  }

  bool has(std::string_view key) const { return values_.contains(key); }

  const std::vector<std::string>& all(std::string_view key) const {
    const auto entry = values_.find(key);
    if (entry == values_.end()) {
      throw FormatError(where_ + ": the header has no '" + std::string(key) + "'");
    }
    return entry->second;
  }
  const std::string& text(std::string_view key) const { return all(key).front(); }

  template <class T>
  T number(std::string_view key) const {
    const std::string& value = text(key);
    if (const auto number = number_in<T>(value)) return *number;
    throw FormatError(where_ + ": " + std::string(key) + " '" + value + "' is not a number");
  }

  void expect(std::string_view key, std::string_view wanted) const {
    if (text(key) == wanted) return;
    throw FormatError(where_ + ": " + std::string(key) + " is '" + text(key) + "', not '" +
                      std::string(wanted) + "'; compute the moments again");
  }

 private:
  std::string where_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

ConventionSpec convention_from(const Lines& lines, Family family) {
  if (!is_circular(family)) return {};
  const auto text = [&](std::string_view key) {
    return lines.has(key) ? std::string_view(lines.text(key)) : std::string_view();
  };
  return convention_from_text(lines.text("convention"), text("centre"), text("radius"));
}

MomentSpec spec_from(const Lines& lines) {
  MomentSpec spec;
  const WeightedFamily family = volume_family_from_text(lines.text("family"));
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = lines.number<int>("order");
  if (lines.has("angular order")) spec.angular_order = lines.number<int>("angular order");
  spec.method = from_name<Method>(lines.text("method"));
  spec.points = lines.number<int>("points");
  spec.convention = convention_from(lines, spec.family);
  if (const auto own = mask_of_its_own(spec); !own.empty()) {
    lines.expect("mask", own);
  } else if (const Mask mask = from_name<Mask>(lines.text("mask"));
             mask != default_mask(spec.method)) {
    spec.mask = mask;
  }
  return spec;
}

void check_sizes(const MomentFile& file, const std::string& where) {
  const bool padded =
      file.width >= 1 && file.height >= 1 && std::max(file.width, file.height) == file.size.width;
  const bool as_it_is = file.width == file.size.width && file.height == file.size.height;
  if (!as_it_is && !(padded && !file.size.is_volume() && file.size.width == file.size.height)) {
    throw FormatError(where + ": size " + describe(file.size) + " is not that of a " +
                      std::to_string(file.width) + " x " + std::to_string(file.height) +
                      " image padded to a square");
  }
  if (is_circular(file.spec.family) && file.size.width > kMaxSquareSide) {
    throw InputError(where + ": moments of an image of " + std::to_string(file.width) + " x " +
                     std::to_string(file.height) + " pixels; images of " +
                     std::to_string(kMaxSquareSide) + " x " + std::to_string(kMaxSquareSide) +
                     " or less are supported");
  }
}

}  // namespace

std::string moment_header_text(const MomentFile& file) {
  const MomentSpec& spec = file.spec;
  std::string text;
  const auto line = [&text](std::string_view key, std::string_view value) {
    text += std::string(key) + ": " + std::string(value) + "\n";
  };
  line("format", kFormat);
  if (is_circular(spec.family)) {
    line("convention", name_of(spec.convention.convention));
    line("centre", centre_text(spec.convention));
    line("radius", radius_text(spec.convention));
  } else {
    line("convention", convention_name(spec.family));
  }
  line("family", family_text({spec.family, spec.weight}));
  line("order", std::to_string(spec.order));
  if (spec.angular_order) line("angular order", std::to_string(*spec.angular_order));
  line("method", name_of(spec.method));
  line("points", std::to_string(spec.points));
  const std::string_view own = mask_of_its_own(spec);
  line("mask", own.empty() ? name_of(mask_of(spec)) : own);
  line("repetitions", repetitions_of(spec.family));
  line("width", std::to_string(file.width));
  line("height", std::to_string(file.height));
  line("slices", std::to_string(file.size.depth));
  line("padded width", std::to_string(file.size.width));
  line("padded height", std::to_string(file.size.height));
  line("depth", name_of(file.range.depth));
  line("peak", number_text(file.range.peak));
  for (std::string row : file.rows) {
    // A line break in a name would end the line.
    std::replace_if(
        row.begin(), row.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    line("row", row);
  }
  return text;
}

std::string digest_line(std::string_view key, std::string_view sha256) {
  return std::string(key) + ": " + std::string(sha256) + "\n";
}

MomentHeader parse_moment_header(std::string_view text, const std::string& where) {
  const Lines lines(text, where);
  MomentHeader header;
  header.sealed = lines.text("format") != kFormatWithoutSeal;
  if (header.sealed) lines.expect("format", kFormat);
  MomentFile& file = header.file;
  try {
    file.spec = spec_from(lines);
    file.size = {lines.number<int>("padded width"), lines.number<int>("padded height"),
                 lines.number<int>("slices")};
    validate(file.spec, file.size);
    file.range.depth = from_name<SampleDepth>(lines.text("depth"));
    file.range.peak = lines.number<double>("peak");
    validate(file.range);
  } catch (const UsageError& error) {
    throw FormatError(where + ": " + error.what());
  }
  if (!is_circular(file.spec.family)) {
    lines.expect("convention", convention_name(file.spec.family));
  }
  file.width = lines.number<int>("width");
  file.height = lines.number<int>("height");
  check_sizes(file, where);
  file.rows = lines.all("row");
  if (lines.has(kArrayDigest)) header.array_digest = lines.text(kArrayDigest);
  if (lines.has(kHeaderDigest)) header.header_digest = lines.text(kHeaderDigest);
  return header;
}

}  // namespace leafglyph
