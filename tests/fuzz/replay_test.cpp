// Inputs of earlier findings, and the seeds, without a fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace leafglyph::fuzz {

// Addresses, which googletest would print, differ between runs.
static void PrintTo(const FuzzTarget& target, std::ostream* stream) { *stream << target.name; }

namespace {

namespace fs = std::filesystem;

class Replay : public ::testing::TestWithParam<FuzzTarget> {};

// regression: each stored input is read or refused, and nothing else happens.
TEST_P(Replay, FindingsStayMended) {
  const fs::path folder = fs::path(LEAFGLYPH_REGRESSIONS) / GetParam().name;
  if (!fs::exists(folder)) GTEST_SKIP() << "nothing was found";
  for (const auto& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    try_target(GetParam(), read_file(entry.path()));
  }
}

// invariant: seeds are not refused; otherwise the code behind the checks would never be fuzzed.
TEST_P(Replay, SeedsAreRead) {
  std::size_t refused = 0;
  const auto seeds = GetParam().seeds();
  for (const std::string& seed : seeds) {
    try {
      GetParam().read(seed);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_FALSE(seeds.empty());
  EXPECT_LT(refused, seeds.size());
}

// mechanics: half of a seed and a damaged seed are read or refused.
TEST_P(Replay, DamagedSeeds) {
  for (std::string seed : GetParam().seeds()) {
    try_target(GetParam(), std::string_view(seed).substr(0, seed.size() / 2));
    for (std::size_t i = seed.size() / 3; i < seed.size(); i += seed.size() / 5 + 1) {
      seed[i] = static_cast<char>(~seed[i]);
    }
    try_target(GetParam(), seed);
  }
  try_target(GetParam(), "");
}

INSTANTIATE_TEST_SUITE_P(Readers, Replay,
                         ::testing::ValuesIn(fuzz_targets().begin(), fuzz_targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace leafglyph::fuzz
