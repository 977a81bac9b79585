#include "features/moments/moment_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <sstream>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/npy.h"
#include "features/base/number_text.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

constexpr std::string_view kCsvFormat = "leafglyph-moments-1";
constexpr std::string_view kSideFormat = "leafglyph-moments-2";  // with the digest of the array
constexpr std::string_view kDigestKey = "sha256";
constexpr std::string_view kColumns = "row,n,m,re,im,magnitude";

struct MethodName {
  Method method;
  std::string_view name;
};
constexpr std::array kMethods = {
    MethodName{Method::kSubregion, "sub-regions"},
    MethodName{Method::kExact, "exact"},
    MethodName{Method::kGauss, "gauss"},
    MethodName{Method::kAdaptive, "adaptive"},
};

using Header = std::map<std::string, std::vector<std::string>, std::less<>>;

std::string mask_name(const MomentSpec& spec) {
  return spec.method == Method::kSubregion ? "every sub-pixel centre in the disk"
                                           : "every corner in the disk";
}

void add_line(Header& header, const std::string& line, const std::string& where) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) {
    throw FormatError(where + ": '" + line + "' is not a line 'key: value' of a moments header");
  }
  header[line.substr(0, colon)].push_back(line.substr(colon + 2));
}

const std::string& value_of(const Header& header, std::string_view key, const std::string& where) {
  const auto entry = header.find(key);
  if (entry == header.end()) {
    throw FormatError(where + ": the header has no '" + std::string(key) + "'");
  }
  return entry->second.front();
}

template <class T>
T number_from(std::string_view text, const std::string& where, std::string_view what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw FormatError(where + ": " + std::string(what) + " '" + std::string(text) +
                      "' is not a number");
  }
  return value;
}

Method method_from(const std::string& name, const std::string& where) {
  for (const MethodName& m : kMethods) {
    if (m.name == name) return m.method;
  }
  throw FormatError(where + ": method '" + name + "' is unknown");
}

MomentFile file_from(const Header& header, std::string_view format, const std::string& where) {
  const auto expect = [&](std::string_view key, std::string_view wanted) {
    const std::string& got = value_of(header, key, where);
    if (got != wanted) {
      throw FormatError(where + ": " + std::string(key) + " is '" + got + "', not '" +
                        std::string(wanted) + "'; compute the moments again");
    }
  };
  expect("format", format);
  expect("convention", kConvention);
  MomentFile file;
  const auto integer = [&](std::string_view key) {
    return number_from<int>(value_of(header, key, where), where, key);
  };
  try {
    const WeightedFamily family = weighted_family_from_text(value_of(header, "family", where));
    file.spec.family = family.family;
    file.spec.weight = family.weight;
    file.spec.order = integer("order");
    file.spec.method = method_from(value_of(header, "method", where), where);
    file.spec.subregions = integer("points");
    validate(file.spec);
  } catch (const UsageError& error) {
    throw FormatError(where + ": " + error.what());
  }
  file.image_size = integer("size");
  file.width = integer("width");
  file.height = integer("height");
  const bool sizes_fit = file.image_size >= 2 && file.width >= 1 && file.height >= 1 &&
                         std::max(file.width, file.height) == file.image_size;
  if (!sizes_fit) {
    throw FormatError(where + ": size " + std::to_string(file.image_size) + " is not that of a " +
                      std::to_string(file.width) + " x " + std::to_string(file.height) +
                      " image padded to a square");
  }
  if (file.image_size > kMaxSquareSide) {
    throw InputError(where + ": moments of an image of " + std::to_string(file.width) + " x " +
                     std::to_string(file.height) + " pixels; images of " +
                     std::to_string(kMaxSquareSide) + " x " + std::to_string(kMaxSquareSide) +
                     " or less are served");
  }
  expect("mask", mask_name(file.spec));
  if (header.contains("depth")) {
    try {
      file.range.depth = depth_from_name(value_of(header, "depth", where));
      file.range.peak = number_from<double>(value_of(header, "peak", where), where, "peak");
      validate(file.range);
    } catch (const UsageError& error) {
      throw FormatError(where + ": " + error.what());
    }
  }
  static_cast<void>(value_of(header, "row", where));
  file.rows = header.find("row")->second;
  return file;
}

MomentFile read_with_npy(const std::filesystem::path& path) {
  const std::string where = header_path(path).string();
  std::istringstream stream(read_text_file(where));
  Header header;
  for (std::string line; std::getline(stream, line);) add_line(header, line, where);
  MomentFile file = file_from(header, kSideFormat, where);
  const std::string content = read_file(path);
  check_belongs_to_header(path, content, value_of(header, kDigestKey, where));
  const auto array = parse_npy<std::complex<double>>(content, path);
  const std::vector<std::size_t> shape{file.rows.size(), file.moment_count()};
  if (array.shape != shape) {
    throw FormatError(path.string() + " does not hold " + std::to_string(shape[0]) + " x " +
                      std::to_string(shape[1]) + " moments, as " + header_path(path).string() +
                      " says");
  }
  file.values = array.values;
  return file;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t comma = line.find(','); comma != line.npos; comma = line.find(',')) {
    fields.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(line);
  return fields;
}

MomentFile read_csv(const std::filesystem::path& path) {
  std::istringstream stream(read_file(path));
  Header header;
  std::string line;
  while (std::getline(stream, line) && line.starts_with("# ")) {
    add_line(header, line.substr(2), path.string());
  }
  MomentFile file = file_from(header, kCsvFormat, path.string());
  if (line != kColumns) {
    throw FormatError(path.string() + ": the columns are '" + line + "', not '" +
                      std::string(kColumns) + "'");
  }
  const auto indices = moment_indices(file.spec.family, file.spec.order);
  file.values.reserve(file.rows.size() * indices.size());
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    for (const auto& [n, m] : indices) {
      const std::string where = path.string() + ", row " + std::to_string(row) +
                                ", n = " + std::to_string(n) + ", m = " + std::to_string(m);
      if (!std::getline(stream, line)) throw FormatError(where + ": the file ends before");
      const auto fields = split(line);
      if (fields.size() != 6 || number_from<std::size_t>(fields[0], where, "row") != row ||
          number_from<int>(fields[1], where, "n") != n ||
          number_from<int>(fields[2], where, "m") != m) {
        throw FormatError(where + ": the line is '" + line + "'");
      }
      file.values.emplace_back(number_from<double>(fields[3], where, "re"),
                               number_from<double>(fields[4], where, "im"));
    }
  }
  if (std::getline(stream, line)) {
    throw FormatError(path.string() + " holds more moments than its header says");
  }
  return file;
}

std::string header_text(const MomentFile& file, std::string_view format) {
  std::string text = "format: " + std::string(format) +
                     "\nconvention: " + std::string(kConvention) +
                     "\nfamily: " + family_text({file.spec.family, file.spec.weight}) +
                     "\norder: " + std::to_string(file.spec.order) + "\nmethod: ";
  for (const MethodName& m : kMethods) {
    if (m.method == file.spec.method) text += m.name;
  }
  text += "\npoints: " + std::to_string(file.spec.subregions) + "\nmask: " + mask_name(file.spec) +
          "\nsize: " + std::to_string(file.image_size) + "\nwidth: " + std::to_string(file.width) +
          "\nheight: " + std::to_string(file.height) +
          "\ndepth: " + std::string(depth_name(file.range.depth)) +
          "\npeak: " + number_text(file.range.peak) + "\n";
  for (std::string row : file.rows) {
    // A name with a newline in it would end the line.
    std::replace_if(
        row.begin(), row.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += "row: " + row + "\n";
  }
  return text;
}

}  // namespace

std::string moment_csv(const MomentFile& file) {
  std::istringstream header(header_text(file, kCsvFormat));
  std::string text;
  for (std::string line; std::getline(header, line);) text += "# " + line + "\n";
  text += std::string(kColumns) + "\n";
  const auto indices = moment_indices(file.spec.family, file.spec.order);
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    for (std::size_t c = 0; c < indices.size(); ++c) {
      const std::complex<double> z = file.values[row * indices.size() + c];
      text += std::to_string(row) + "," + std::to_string(indices[c].n) + "," +
              std::to_string(indices[c].m) + "," + number_text(z.real()) + "," +
              number_text(z.imag()) + "," + number_text(std::abs(z)) + "\n";
    }
  }
  return text;
}

std::string moment_npy(const MomentFile& file) {
  const std::vector<std::size_t> shape{file.rows.size(), file.moment_count()};
  return npy_bytes<std::complex<double>>(file.values, shape);
}

std::string moment_side_file(const MomentFile& file, std::string_view npy) {
  return header_text(file, kSideFormat) + std::string(kDigestKey) + ": " + sha256(npy) + "\n";
}

void check_belongs_to_header(const std::filesystem::path& npy, std::string_view content,
                             std::string_view stated_sha256) {
  if (sha256(content) == stated_sha256) return;
  throw FormatError(npy.string() + ": is not the array that " + header_path(npy).string() +
                    " was written for, or is damaged; compute the moments again");
}

std::filesystem::path header_path(const std::filesystem::path& npy) {
  return npy.string() + ".txt";
}

MomentFile read_moment_file(const std::filesystem::path& path) {
  if (path.extension() == ".npy") return read_with_npy(path);
  if (path.extension() == ".csv") return read_csv(path);
  throw UsageError("moments are read from .npy and .csv files, not from " + path.string());
}

}  // namespace leafglyph
