// Writes the prior of drawn leaves that LeafGlyph comes with, or compares it (../leaf_prior).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classify/leaf/leaf_prior.h"
#include "features/base/files.h"
#include "features/base/npy.h"

namespace leafglyph {
namespace {

std::string bytes_of(const RowPrior& prior) {
  const std::vector<float> matrix = matrix_of(prior);
  const std::size_t columns = prior.layout.columns();
  const std::size_t shape[] = {matrix.size() / columns, columns};
  return npy_bytes<float>(matrix, shape);
}

// The largest difference between the units that two priors give to columns, in units.
double largest_difference(const RowPrior& a, const RowPrior& b) {
  const ColumnScales of_a = scales_of(a, {}), of_b = scales_of(b, {});
  double largest = 0;
  for (std::size_t c = 0; c < of_a.offset.size(); ++c) {
    largest = std::max({largest, std::abs(of_a.offset[c] - of_b.offset[c]) * of_b.scale[c],
                        std::abs(of_a.scale[c] / of_b.scale[c] - 1)});
  }
  return largest;
}

int run(const std::filesystem::path& folder, bool compares) {
  LeafConfig config = load_leaf_config(folder / "configs/leaf.yaml");
  config.features.colour = FeatureColour::kLab;
  const RowPrior prior = drawn_prior(config, kPriorLeaves, {});
  if (compares) {
    const PriorFile own = read_prior_file(leaf_prior_facts(), leaf_prior_matrix(), "prior");
    const double difference = largest_difference(prior, own.prior);
    std::printf("the prior differs from that of leaves drawn now by %.2g units\n", difference);
    constexpr double kRounding = 1e-3;  // of float moments by other instructions
    return difference < kRounding ? 0 : 1;
  }
  const std::string matrix = bytes_of(prior);
  write_file(folder / "classify/leaf/prior.npy", matrix);
  write_file(folder / "classify/leaf/prior.json", prior_facts(prior, config, matrix));
  return 0;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  try {
    return leafglyph::run(argv[1], argc > 2 && std::string_view(argv[2]) == "--check");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
