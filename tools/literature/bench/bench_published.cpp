// The literature's methods and kernels beside ours, at the published sizes:
//   bench_published [PART ...] [--csv FILE]
// The parts are errors and cpu (the default), sizes, times, gpu, and parts of these: cpu-tables,
// cpu-jacobi and cpu-kintner; factorial, deng, jacobi, bessel and kintner. cpu-kintner and bessel
// take ten minutes each: with FILE they go on after what it has.
#include "tools/literature/bench/bench_published.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <random>
#include <utility>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/numbers.h"

namespace leafglyph {

namespace {

constexpr const char* kNames = "place,row,column,value";

}  // namespace

PublishedFigures::PublishedFigures(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.empty() || !is_there(file_)) return;
  ForeignTable table(read_file(file_), file_, kNames);
  std::vector<std::string> fields;
  while (table.reader().next(fields)) {
    const auto value = fields.size() == 4 ? number_in<double>(fields[3]) : std::nullopt;
    if (!value)
      table.reader().refuse(std::string("holds no figure of a table: expected ") + kNames);
    figures_.push_back({fields[0], fields[1], fields[2], *value});
  }
}

std::size_t PublishedFigures::place_of(const std::string& place, const std::string& row,
                                       const std::string& column) const {
  const auto found = std::ranges::find_if(figures_, [&](const PublishedFigure& figure) {
    return figure.place == place && figure.row == row && figure.column == column;
  });
  return static_cast<std::size_t>(found - figures_.begin());
}

std::optional<double> PublishedFigures::find(const std::string& place, const std::string& row,
                                             const std::string& column) const {
  const std::size_t found = place_of(place, row, column);
  return found < figures_.size() ? std::optional(figures_[found].value) : std::nullopt;
}

void PublishedFigures::add(PublishedFigure figure) {
  std::printf("  %-14s %-28s %-12s %12.6g\n", figure.place.c_str(), figure.row.c_str(),
              figure.column.c_str(), figure.value);
  std::fflush(stdout);
  const std::size_t at = place_of(figure.place, figure.row, figure.column);
  if (at == figures_.size()) figures_.emplace_back();
  figures_[at] = std::move(figure);
  if (!file_.empty()) write();
}

void PublishedFigures::write() const {
  std::string text = std::string(kNames) + "\n";
  for (const PublishedFigure& figure : figures_) {
    char value[32];
    std::snprintf(value, sizeof value, "%.10g", figure.value);
    text += csv_field(figure.place) + "," + csv_field(figure.row) + "," + csv_field(figure.column) +
            "," + value + "\n";
  }
  write_file(file_, text);
}

std::vector<double> noise(int size) {
  std::mt19937 generator(kNoiseSeed);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<double> image(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (double& pixel : image) pixel = grey(generator);
  return image;
}

namespace {

using Part = void (*)(PublishedFigures&);
constexpr std::pair<const char*, Part> kParts[] = {{"errors", bench_published_errors},
                                                   {"sizes", bench_published_sizes},
                                                   {"cpu", bench_published_cpu},
                                                   {"cpu-tables", bench_published_cpu_tables},
                                                   {"cpu-jacobi", bench_published_cpu_jacobi},
                                                   {"cpu-kintner", bench_published_cpu_kintner},
                                                   {"times", bench_published_times},
                                                   {"gpu", bench_published_gpu},
                                                   {"factorial", bench_published_factorial},
                                                   {"deng", bench_published_deng},
                                                   {"jacobi", bench_published_jacobi},
                                                   {"bessel", bench_published_bessel},
                                                   {"kintner", bench_published_kintner}};

Part part_of(const std::string& name) {
  for (const auto& [part, run] : kParts) {
    if (name == part) return run;
  }
  std::string known;
  for (const auto& [part, run] : kParts) known += (known.empty() ? "" : ", ") + std::string(part);
  throw UsageError("unknown part '" + name + "'; use " + known + ", and --csv FILE");
}

void run(const std::vector<std::string>& arguments) {
  std::vector<Part> parts;
  std::string file;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--csv" && i + 1 < arguments.size()) {
      file = arguments[++i];
    } else {
      parts.push_back(part_of(arguments[i]));
    }
  }
  if (parts.empty()) parts = {bench_published_errors, bench_published_cpu};
  PublishedFigures figures(file);
  for (const Part part : parts) part(figures);
}

}  // namespace
}  // namespace leafglyph

int main(int count, char** arguments) {
  try {
    leafglyph::run({arguments + 1, arguments + count});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_published: %s\n", error.what());
    return 1;
  }
}
