// Races the algorithms of the registry, on one thread of the CPU or, with `gpu`, on the first GPU:
// families, orders 5 to 500, sizes 24 to 1024 (cubes for zernike-3d), one image, 64 and 4,096,
// double and float, moments and images. Prints in which cells plans take one that needs longer than
// the fastest. Cells whose arrays take more than 2 GiB, or an image of which takes more than 20 s,
// are left out and counted.
//
// bench_algorithms [cpu|gpu] [--orders A,B...] [--sizes A,B...] [--family F] [--table FILE] races,
// and writes the times to a table. bench_algorithms --judge FILE... judges the choice by such
// tables. bench_algorithms --fit FILE... prints features/plan/fitted_times.cpp.
//
// The CPU's times are processor time, so that a busy machine matters less.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "gpu/cuda_algorithms.h"
#include "gpu/plans.h"
#include "tools/bench/fit_times.h"
#include "tools/bench/measured_times.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

constexpr unsigned kSeed = 20261121;
constexpr double kMostBytes = 2.0 * 1024 * 1024 * 1024;
constexpr double kBatchBytes = 128.0 * 1024 * 1024;
constexpr double kLongPlan = 1e8;         // nanoseconds, from which one is enough
constexpr double kMostSeconds = 20.0;     // of an image
constexpr double kBatchSeconds = 5.0;     // of the images of a call
constexpr double kMeasureSeconds = 0.02;  // of the repetitions
constexpr double kAllowed = 1.3;          // times the fastest

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Nanoseconds of a call: by the processor's clock, or by the wall's for a GPU.
template <class Call>
double nanoseconds_of(bool on_cpu, const Call& call) {
  if (!on_cpu) return 1e9 * seconds_of(call);
  const double start = processor_seconds();
  call();
  return 1e9 * (processor_seconds() - start);
}

// The smallest of several runs. The first one also loads kernels and makes room, so it counts only
// if it is a long one of the CPU. A stall of the machine takes some milliseconds of one or two.
template <class Call>
double least_nanoseconds(bool on_cpu, const Call& call) {
  constexpr double kLong = 2e8;
  constexpr int kFewest = 5;
  double least = nanoseconds_of(on_cpu, call);
  if (on_cpu && least > kLong) return least;
  const int fewest = least > kLong ? 2 : kFewest;
  least = 1e30;
  double total = 0.0;
  for (int run = 0; run < fewest || (run < 200 && total < 1e9 * kMeasureSeconds); ++run) {
    const double time = nanoseconds_of(on_cpu, call);
    least = std::min(least, time);
    total += time;
  }
  return least;
}

// Grey values of noise, repeated after a while.
template <class T>
void fill_pixels(std::vector<T>& pixels, std::size_t count) {
  constexpr std::size_t kRepeated = std::size_t{1} << 16;
  if (pixels.size() >= count) return;
  std::mt19937 generator(kSeed);
  pixels.resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    pixels[p] = p < kRepeated ? static_cast<T>(generator() & 255U) : pixels[p - kRepeated];
  }
}

// Arrays for the calls of any cell.
class Arrays {
 public:
  // Magnitudes in float, as rows of features need them; moments in double.
  void run(ForwardTransform& transform, const PlanRequest& request, std::size_t count) {
    const std::size_t pixels = count * request.size.elements();
    const std::size_t results = count * moment_count(request.spec, request.size);
    if (request.precision == Precision::kFloat) {
      transform.compute_magnitudes(
          {std::span<const float>(floats_).first(pixels), count, request.size},
          std::span(magnitudes_).first(results));
    } else {
      transform.compute_moments(
          {std::span<const double>(doubles_).first(pixels), count, request.size},
          std::span(moments_).first(results));
    }
  }
  void run(BackwardTransform& transform, const PlanRequest& request, std::size_t count) {
    transform.compute_images(
        std::span(moments_).first(count * moment_count(request.spec, request.size)), count,
        top_order(request.spec), std::span(images_).first(count * request.size.elements()));
  }
  void reserve(const PlanRequest& request, std::size_t count) {
    const std::size_t pixels = count * request.size.elements();
    const std::size_t results = count * moment_count(request.spec, request.size);
    if (request.precision == Precision::kFloat) fill_pixels(floats_, pixels);
    fill_pixels(doubles_, pixels);
    images_.resize(std::max(images_.size(), pixels));
    magnitudes_.resize(std::max(magnitudes_.size(), results));
    moments_.resize(std::max(moments_.size(), results), {1.0, 0.5});
  }
  static double bytes(const PlanRequest& request, std::size_t count) {
    return static_cast<double>(count) *
           (20.0 * static_cast<double>(request.size.elements()) +
            20.0 * static_cast<double>(moment_count(request.spec, request.size)));
  }

 private:
  std::vector<float> floats_;
  std::vector<double> doubles_;
  std::vector<double> images_;
  std::vector<float> magnitudes_;
  std::vector<std::complex<double>> moments_;
};

template <class Row, class Member, class... Device>
auto make(const Row& row, Member way, const PlanRequest& request, const Device&... device) {
  using Transform = typename decltype((row.*way).make(request, device...))::element_type;
  return (row.*way).make != nullptr ? (row.*way).make(request, device...)
                                    : std::shared_ptr<Transform>(row.make_both(request, device...));
}

// Measures every row that supports a cell.
class Measurer {
 public:
  explicit Measurer(std::ostream* table) : table_(table) {
    if (table_ != nullptr) *table_ << measured_header() << "\n";
  }

  template <class Row, class Member, class... Device>
  void measure(std::span<const Row* const> rows, Member way, TimedCell cell,
               const Device&... device) {
    PlanRequest& request = cell.request;
    for (const Row* row : rows) {
      const auto& direction = row->*way;
      if (direction.supports == nullptr || !direction.supports(request)) continue;
      if (direction.bytes(request) + Arrays::bytes(request, 1) > kMostBytes) {
        ++left_out_;
        continue;
      }
      constexpr bool kOnCpu = sizeof...(Device) == 0;
      std::decay_t<decltype(make(*row, way, request, device...))> transform;
      double plan = 1e30;
      for (int run = 0; run < 4 && (run == 0 || plan < kLongPlan); ++run) {
        transform.reset();
        plan = std::min(
            plan, nanoseconds_of(kOnCpu, [&] { transform = make(*row, way, request, device...); }));
      }
      double image = 0.0;
      for (const std::size_t count : counts(kOnCpu)) {
        request.images = count;
        const std::size_t together = together_of(request, count, image);
        arrays_.reserve(request, together);
        image = least_nanoseconds(kOnCpu, [&] { arrays_.run(*transform, request, together); }) /
                static_cast<double>(together);
        if (1e-9 * image > kMostSeconds) {
          ++left_out_;
          break;
        }
        add({kOnCpu ? "cpu" : "cuda", std::string(row->name), cell, plan, image});
      }
    }
  }

  const std::vector<MeasuredTime>& times() const { return times_; }
  std::size_t left_out() const { return left_out_; }

 private:
  static std::vector<std::size_t> counts(bool on_cpu) {
    if (on_cpu) return {1, 64};  // 4,096 images come by 64
    return {1, 64, 4096};
  }
  // Fewer images where they take too long or too much memory; then they come in several calls.
  static std::size_t together_of(const PlanRequest& request, std::size_t count, double one) {
    double most = static_cast<double>(count);
    most = std::min(most, kBatchBytes / Arrays::bytes(request, 1));
    if (one > 0) most = std::min(most, 1e9 * kBatchSeconds / one);
    return static_cast<std::size_t>(std::max(1.0, most));
  }
  void add(MeasuredTime time) {
    if (table_ != nullptr) *table_ << measured_line(time) << std::endl;
    add_measured(std::move(time), times_);
  }

  std::ostream* table_;
  Arrays arrays_;
  std::vector<MeasuredTime> times_;
  std::size_t left_out_ = 0;
};

// Those of other libraries are sums over pixels, which take long.
constexpr int kMostOfConventions = 60;

std::vector<MomentSpec> specs_of(int order) {
  std::vector<MomentSpec> specs;
  for (const Family family : {Family::kZernike, Family::kPseudoZernike, Family::kBesselFourier,
                              Family::kJacobiFourier, Family::kExponentFourier}) {
    const FamilyRow& row = family.row();
    if (order < row.lowest_order || order > row.highest_order) continue;
    for (const int points : {1, 5}) {
      MomentSpec spec{family, order, Method::kSubregion, points};
      if (row.weighted) spec.weight = {4.0, 3.0};
      specs.push_back(spec);
    }
    if (row.has_exact) specs.push_back({family, order, Method::kExact});
    if (row.has_adaptive) specs.push_back({family, order, Method::kAdaptive});
  }
  if (order <= kMostOfConventions) {
    specs.push_back({Family::kZernike, order, Method::kSubregion, 1});
    specs.back().convention.convention = Convention::kMahotas;
  }
  if (order <= Family::kLegendre.row().highest_order) {
    specs.push_back({Family::kLegendre, order, Method::kExact});
  }
  if (order <= Family::kZernike3d.row().highest_order) specs.push_back({Family::kZernike3d, order});
  return specs;
}

struct Grid {
  std::vector<int> orders = {5, 12, 30, 60, 120, 250, 500};
  std::vector<int> sizes = {24, 64, 128, 256, 512, 1024};
  std::string family;  // that alone
};

template <class Row, class... Device>
void measure_grid(Measurer& measurer, std::span<const Row* const> rows, const Grid& grid,
                  const Device&... device) {
  for (const int order : grid.orders) {
    for (const MomentSpec& spec : specs_of(order)) {
      if (!grid.family.empty() && grid.family != family_name(spec.family)) continue;
      for (const int size : grid.sizes) {
        for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
          TimedCell cell{Way::kMoments, {spec, measured_size(spec, size), precision}};
          measurer.measure<Row>(rows, &Row::moments, cell, device...);
          // Method and points do not change the sums of an image, nor does the precision.
          const bool own_images = spec.points == 1 && spec.method == Method::kSubregion &&
                                  is_inscribed_textbook(spec.convention);
          if (!own_images && is_circular(spec.family)) continue;
          if (precision == Precision::kFloat && spec.family == Family::kZernike) continue;
          cell.way = Way::kImages;
          measurer.measure<Row>(rows, &Row::images, cell, device...);
        }
      }
      std::fprintf(stderr, "%s\n", describe(spec).c_str());
    }
  }
}

// Prints the choice in each cell where it matters, and how many there are.
int judge(std::span<const MeasuredTime> times) {
  std::size_t wrong = 0;
  double worst = 1.0;
  const std::vector<Race> races = races_of(times);
  for (const Race& race : races) {
    const double ratio = race.ratio();
    worst = std::max(worst, ratio);
    if (ratio > 0.0 && ratio <= kAllowed) continue;
    ++wrong;
    std::printf("%s, %s: %s is taken,", race.times.front().back_end.c_str(),
                describe(race.times.front().cell).c_str(), std::string(race.chosen).c_str());
    for (const MeasuredTime& time : race.times) {
      std::printf(" %s %.4g ms", time.algorithm.c_str(), 1e-6 * time.total());
    }
    std::printf(" (%.2f)\n", ratio);
  }
  std::printf("%zu cells with a choice, %zu of them more than %.1f times the fastest; worst %.2f\n",
              races.size(), wrong, kAllowed, worst);
  return wrong == 0 ? 0 : 1;
}

int race(bool on_gpu, const Grid& grid, const std::string& file) {
  std::ofstream table;
  if (!file.empty()) table.open(file);
  Measurer measurer(file.empty() ? nullptr : &table);
  if (on_gpu) {
    const gpu::GpuInventory found = gpu::find_gpus();
    if (found.devices.empty()) {
      std::fprintf(stderr, "no GPU: %s\n", found.reason.c_str());
      return 1;
    }
    std::printf("on %s\n", found.devices.front().name.c_str());
    const auto measure = [&](Measurer& by, const Grid& on) {
      measure_grid<gpu::CudaAlgorithm>(by, gpu::cuda_algorithms(), on, found.devices.front());
    };
    Measurer first(/*table=*/nullptr);  // CUDA starts, and loads kernels
    measure(first, {{5}, {24}, grid.family});
    measure(measurer, grid);
  } else {
    if (const std::string kernels = better_product_kernels(); !kernels.empty()) {
      std::fprintf(stderr, "set OPENBLAS_CORETYPE=%s, as the command does by itself\n",
                   kernels.c_str());
      return 1;
    }
    set_thread_count(1);
    measure_grid<CpuAlgorithm>(measurer, cpu_algorithms(), grid);
  }
  std::printf("%zu measurements; %zu left out\n", measurer.times().size(), measurer.left_out());
  return judge(measurer.times());
}

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream stream(list);
  for (std::string number; std::getline(stream, number, ',');) numbers.push_back(std::stoi(number));
  return numbers;
}

int run(const std::vector<std::string>& arguments) {
  bool on_gpu = false;
  Grid grid;
  std::string table;
  std::string mode;
  std::vector<std::vector<MeasuredTime>> tables;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "gpu" || argument == "cpu") {
      on_gpu = argument == "gpu";
    } else if ((argument == "--orders" || argument == "--sizes") && i + 1 < arguments.size()) {
      (argument == "--orders" ? grid.orders : grid.sizes) = numbers_of(arguments[++i]);
    } else if (argument == "--family" && i + 1 < arguments.size()) {
      grid.family = arguments[++i];
    } else if (argument == "--table" && i + 1 < arguments.size()) {
      table = arguments[++i];
    } else if (mode.empty() && (argument == "--judge" || argument == "--fit")) {
      mode = argument;
    } else if (!mode.empty()) {
      tables.push_back(read_measured(argument));
    } else {
      std::fprintf(stderr,
                   "usage: bench_algorithms [cpu|gpu] [--orders A,B...] [--sizes A,B...] "
                   "[--family F] [--table FILE], or "
                   "--judge FILE..., or --fit FILE...\n");
      return 2;
    }
  }
  if (mode == "--judge") {
    int worst = 0;
    for (const std::vector<MeasuredTime>& times : tables) worst = std::max(worst, judge(times));
    return worst;
  }
  if (mode == "--fit") {
    std::fputs(fitted_source(tables).c_str(), stdout);
    return 0;
  }
  return race(on_gpu, grid, table);
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  try {
    return leafglyph::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
