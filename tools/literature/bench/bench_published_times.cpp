#include <cstdio>
#include <string>
#include <vector>

#include "gpu/plans.h"
#include "tools/bench/timing.h"
#include "tools/literature/bench/bench_published.h"

namespace leafglyph {
namespace {

// A table of times by order and k. Tables for Zernike and pseudo-Zernike moments are for 512 x 512
// pixels and moments only, the others for 1024 x 1024 pixels, moments and reconstruction.
struct TimeTable {
  const char* place;
  Family family;
  Mask mask;
  Precision precision;
  std::vector<int> orders;
  std::vector<int> ks;

  bool both_directions() const { return size() == 1024; }
  int size() const {
    return family == Family::kZernike || family == Family::kPseudoZernike ? 512 : 1024;
  }
  // The unit of the printed times, in seconds.
  double unit() const { return family == Family::kJacobi ? 1e-3 : 1.0; }
};

std::vector<TimeTable> time_tables() {
  using enum Mask;
  using enum Precision;
  const std::vector<int> jia = {100, 150, 200, 250, 300, 350, 400, 450, 500};
  const std::vector<int> thesis = {100, 200, 300, 400, 500, 600, 700};
  const std::vector<int> thesis_ks = {1, 3, 5, 7, 9, 11};
  const std::vector<int> xia = {80, 120, 160, 200, 400, 600, 800, 1000};
  const std::vector<int> xia_ks = {1, 3, 5, 7, 9, 11, 13, 15};
  const std::vector<int> wang = {100, 200, 400, 600, 800, 1000};
  return {{"jia-3", Family::kZernike, kCentre, kDouble, jia, {1, 3, 5, 7, 9}},
          {"jia-11", Family::kZernike, kCentre, kDouble, {300, 500}, {1, 5, 9}},
          {"thesis-5.1", Family::kZernike, kWhole, kFloat, thesis, thesis_ks},
          {"thesis-5.6", Family::kZernike, kWhole, kDouble, thesis, thesis_ks},
          {"thesis-5.7", Family::kPseudoZernike, kWhole, kDouble, thesis, thesis_ks},
          {"wang-2", Family::kJacobi, kWhole, kFloat, wang, {1, 3, 7, 11, 15, 19, 23}},
          {"xia-5.3", Family::kBesselFourier, kCentre, kFloat, xia, xia_ks},
          {"xia-5.2", Family::kBesselFourier, kCentre, kDouble, xia, xia_ks}};
}

double time_plan(const TimeTable& table, int order, int k, const std::vector<double>& image) {
  MomentSpec spec{table.family, order, Method::kSubregion, k};
  if (is_circular(table.family)) spec.mask = table.mask;
  if (table.family == Family::kJacobi) spec.weight = {0.3, 0.3};
  PlanOptions options = for_many_images();
  options.precision = table.precision;
  const auto plan = make_moment_plan(spec, table.size(), options);
  std::vector<std::complex<double>> moments(plan->moment_count());
  std::vector<double> back(image.size());
  const ImageBatch batch(image, 1, table.size());
  return median_seconds({0.0, 3}, [&] {
    plan->moments(batch, moments);
    if (table.both_directions()) plan->reconstruct(moments, {0, order}, back);
  });
}

}  // namespace

void bench_published_times(PublishedFigures& figures) {
  std::printf("ours, in the units of the tables, tables of a plan built before, host to host\n");
  for (const TimeTable& table : time_tables()) {
    const std::vector<double> image = noise(table.size());
    for (const int k : table.ks) {
      for (const int order : table.orders) {
        figures.add({table.place, std::to_string(k), std::to_string(order),
                     time_plan(table, order, k, image) / table.unit()});
      }
    }
  }
}

}  // namespace leafglyph
