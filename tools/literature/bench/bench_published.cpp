// The literature's methods and kernels beside ours, at the published sizes:
//   bench_published [PART ...] [--csv FILE]
// The parts are errors and cpu (the default), sizes, times, gpu, and parts of gpu: factorial, deng,
// jacobi, bessel and kintner.
#include "tools/literature/bench/bench_published.h"

#include <cstdio>
#include <exception>
#include <random>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {

void PublishedFigures::add(PublishedFigure figure) {
  std::printf("  %-14s %-28s %-12s %12.6g%s\n", figure.place.c_str(), figure.row.c_str(),
              figure.column.c_str(), figure.value, figure.extrapolated ? "  extrapolated" : "");
  std::fflush(stdout);
  figures_.push_back(std::move(figure));
}

std::string PublishedFigures::csv() const {
  std::string text = "place,row,column,value,extrapolated\n";
  for (const PublishedFigure& figure : figures_) {
    char value[32];
    std::snprintf(value, sizeof value, "%.10g", figure.value);
    text += figure.place + "," + figure.row + "," + figure.column + "," + value + "," +
            (figure.extrapolated ? "1" : "0") + "\n";
  }
  return text;
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
  PublishedFigures figures;
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
  for (const Part part : parts) {
    part(figures);
    if (!file.empty()) write_file(file, figures.csv());
  }
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
