// libFuzzer's entry point: LEAFGLYPH_FUZZ_TARGET names the target. With "--list" the program prints
// the names of the targets, with "--seeds FOLDER" it writes their seeds, and ends.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace {

const leafglyph::fuzz::FuzzTarget* chosen = nullptr;

void write_seeds(const std::filesystem::path& folder) {
  for (const auto& target : leafglyph::fuzz::fuzz_targets()) {
    const auto own = folder / target.name;
    std::filesystem::create_directories(own);
    std::size_t number = 0;
    for (const std::string& seed : target.seeds()) {
      std::ofstream(own / ("seed-" + std::to_string(number++)), std::ios::binary) << seed;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const std::string first = *argc > 1 ? (*argv)[1] : "";
  if (first == "--list") {
    for (const auto& target : leafglyph::fuzz::fuzz_targets()) std::cout << target.name << "\n";
    std::exit(0);
  }
  if (first == "--seeds" && *argc > 2) {
    write_seeds((*argv)[2]);
    std::exit(0);
  }
  const char* const name = std::getenv("LEAFGLYPH_FUZZ_TARGET");
  if (name == nullptr) {
    std::cerr << "LEAFGLYPH_FUZZ_TARGET names the target; --list prints them\n";
    std::exit(2);
  }
  chosen = &leafglyph::fuzz::fuzz_target(name);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  leafglyph::fuzz::try_target(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
