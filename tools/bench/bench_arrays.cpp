// The engine's side of bench_python.py: times one call at a time, so that both sides can alternate.
//   bench_arrays IMAGES.npy ORDER
// IMAGES.npy holds uint8 (images, rows, columns). For each line "TYPE PRECISION" of standard input
// it prints the seconds of processor time that the magnitudes of all images took on one thread,
// from pixel centres.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/npy.h"
#include "features/base/threads.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

template <class Pixel>
ImageBatch batch_of(const std::vector<Pixel>& pixels, const std::vector<std::size_t>& shape) {
  return {std::span<const Pixel>(pixels), shape[0],
          ArraySize(static_cast<int>(shape[2]), static_cast<int>(shape[1]))};
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

int answer(const std::string& file, int order) {
  set_thread_count(1);
  const auto images = read_npy<std::uint8_t>(file);
  const std::vector<std::uint16_t> words(images.values.begin(), images.values.end());
  const std::vector<float> floats(images.values.begin(), images.values.end());
  const std::vector<double> doubles(images.values.begin(), images.values.end());
  const std::map<std::string, ImageBatch> batches = {
      {"uint8", batch_of(images.values, images.shape)},
      {"uint16", batch_of(words, images.shape)},
      {"float32", batch_of(floats, images.shape)},
      {"float64", batch_of(doubles, images.shape)}};
  const MomentSpec spec{Family::kZernike, order};
  std::map<std::string, std::unique_ptr<MomentPlan>> plans;
  for (const auto& [name, precision] :
       {std::pair{"float", Precision::kFloat}, std::pair{"double", Precision::kDouble}}) {
    PlanOptions options;
    options.precision = precision;
    plans[name] = make_moment_plan(spec, batches.at("uint8").size, options);
  }
  std::vector<float> magnitudes(images.shape[0] * plans["float"]->moment_count());
  std::string type;
  std::string precision;
  while (std::cin >> type >> precision) {
    const double start = processor_seconds();
    plans.at(precision)->magnitudes(batches.at(type), magnitudes);
    std::cout << processor_seconds() - start << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) try {
  if (argc != 3) throw leafglyph::UsageError("usage: bench_arrays IMAGES.npy ORDER");
  return leafglyph::answer(argv[1], std::atoi(argv[2]));
} catch (const leafglyph::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.code());
}
