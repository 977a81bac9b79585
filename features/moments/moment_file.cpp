#include "features/moments/moment_file.h"

#include <array>
#include <cstdint>
#include <span>
#include <sstream>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/lines.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"
#include "features/base/text.h"
#include "features/moments/moment_header.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "compute the moments again";

fs::path header_path(const fs::path& npy) { return npy.string() + ".txt"; }

fs::path columns_path(const fs::path& npy) {
  fs::path path = npy;
  return path.replace_extension(".columns.npy");
}

void check_extension(const fs::path& path) {
  if (path.extension() == ".npy" || path.extension() == ".csv") return;
  throw UsageError("moments are stored in .npy and .csv files, not in " + path.string());
}

// Calls use(column, numbers) for every stored moment, with its two or three numbers.
template <class Use>
void for_each_column(const MomentFile& file, const Use& use) {
  std::size_t column = 0;
  if (file.size.is_volume()) {
    for (const VolumeMomentIndex& index : volume_moment_indices(file.spec)) {
      use(column++, std::span<const int>(index));
    }
    return;
  }
  for (const auto& [n, m] : moment_indices(file.spec)) {
    use(column++, std::span<const int>(std::array{n, m}));
  }
}

std::string columns_npy(const MomentFile& file) {
  const std::size_t indices = file.size.is_volume() ? 3 : 2;
  std::vector<std::int32_t> columns;
  columns.reserve(indices * file.moment_count());
  for_each_column(file, [&](std::size_t, std::span<const int> numbers) {
    columns.insert(columns.end(), numbers.begin(), numbers.end());
  });
  const std::vector<std::size_t> shape{file.moment_count(), indices};
  return npy_bytes<std::int32_t>(columns, shape);
}

std::string array_npy(const MomentFile& file) {
  const std::vector<std::size_t> shape{file.rows.size(), file.moment_count()};
  if (has_complex_moments(file.spec.family))
    return npy_bytes<std::complex<double>>(file.values, shape);
  std::vector<double> real;
  real.reserve(file.values.size());
  for (const std::complex<double>& value : file.values) real.push_back(value.real());
  return npy_bytes<double>(real, shape);
}

std::string column_names(const MomentFile& file) {
  std::string names = "row,n,m";
  if (file.size.is_volume()) {
    names = "row";
    for (const std::string_view name : volume_index_names(file.spec.family)) {
      names += "," + std::string(name);
    }
  }
  return names + (has_complex_moments(file.spec.family) ? ",re,im,magnitude" : ",value");
}

std::string csv_text(const MomentFile& file) {
  std::istringstream header(moment_header_text(file));
  std::string text;
  for (std::string line; next_line(header, line, "a header");) text += "# " + line + "\n";
  text += column_names(file) + "\n";
  const std::size_t count = file.moment_count();
  for (std::size_t row = 0; row < file.rows.size(); ++row) {
    for_each_column(file, [&](std::size_t column, std::span<const int> numbers) {
      const std::complex<double> z = file.values[row * count + column];
      text += std::to_string(row) + ",";
      for (const int number : numbers) text += std::to_string(number) + ",";
      text += number_text(z.real());
      if (has_complex_moments(file.spec.family)) {
        text += "," + number_text(z.imag()) + "," + number_text(std::abs(z));
      }
      text += "\n";
    });
  }
  return text;
}

// The text of F.npy.txt, which ends with the digest of its other lines.
std::string sealed_header(const MomentFile& file, const std::string& array) {
  const std::string text = moment_header_text(file) + digest_line(kArrayDigest, sha256(array));
  return text + digest_line(kHeaderDigest, sha256(text));
}

// Throws unless the header is as sealed_header wrote it.
void check_header_digest(const std::string& text, const MomentHeader& header,
                         const std::string& where) {
  if (!header.sealed && header.header_digest.empty()) return;  // older versions have no such line
  const std::string lines = text.substr(0, text.rfind(kHeaderDigest));
  check_digest(lines + digest_line(kHeaderDigest, sha256(lines)), text, where,
               "does not match its own checksum", kRemedy);
}

template <class T>
std::vector<std::complex<double>> values_of(std::string_view content, const MomentFile& file,
                                            const fs::path& path) {
  const NpyArray<T> array = parse_npy<T>(content, path);
  const std::vector<std::size_t> shape{file.rows.size(), file.moment_count()};
  if (array.shape != shape) {
    throw FormatError(path.string() + " does not hold " + std::to_string(shape[0]) + " x " +
                      std::to_string(shape[1]) + " moments, as " + header_path(path).string() +
                      " says");
  }
  return {array.values.begin(), array.values.end()};
}

MomentFile read_with_npy(const fs::path& path) {
  const std::string where = header_path(path).string();
  const std::string text = read_text_file(where);
  MomentHeader header = parse_moment_header(text, where);
  check_header_digest(text, header, where);
  const std::string content = read_file(path);
  check_digest(sha256(content), header.array_digest, path,
               "is not the array that " + where + " was written for", kRemedy);
  MomentFile& file = header.file;
  file.values = has_complex_moments(file.spec.family)
                    ? values_of<std::complex<double>>(content, file, path)
                    : values_of<double>(content, file, path);
  return std::move(file);
}

}  // namespace

std::vector<fs::path> moment_file_parts(const fs::path& path) {
  check_extension(path);
  if (path.extension() == ".csv") return {path};
  return {path, columns_path(path), header_path(path)};
}

void write_moment_file(const fs::path& path, const MomentFile& file) {
  check_extension(path);
  if (path.extension() == ".csv") {
    write_file(path, csv_text(file));
    return;
  }
  const std::string array = array_npy(file);
  write_file(columns_path(path), columns_npy(file));
  write_file(path, array);
  write_file(header_path(path), sealed_header(file, array));
}

MomentFile read_moment_file(const fs::path& path) {
  if (path.extension() == ".npy") return read_with_npy(path);
  throw UsageError(path.string() +
                   ": moments are read from .npy files; write them with --out F.npy");
}

}  // namespace leafglyph
