#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <typeinfo>

#include "features/base/errors.h"

namespace leafglyph::fuzz {
namespace {

[[noreturn]] void report(const FuzzTarget& target, const std::string& what) {
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(target.name.size()), target.name.data(),
               what.c_str());
  std::abort();
}

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
  static const std::vector<FuzzTarget> kAll = [] {
    std::vector<FuzzTarget> all;
    for (const auto some : {image_targets, array_targets, store_targets, model_targets,
                            glyph_targets, serve_targets, text_targets}) {
      for (const FuzzTarget& target : some()) all.push_back(target);
    }
    return all;
  }();
  return kAll;
}

const FuzzTarget& fuzz_target(std::string_view name) {
  for (const FuzzTarget& target : fuzz_targets()) {
    if (target.name == name) return target;
  }
  throw std::invalid_argument("there is no fuzz target '" + std::string(name) + "'");
}

void try_target(const FuzzTarget& target, std::string_view bytes) {
  try {
    target.read(bytes);
  } catch (const Error& error) {
    if (std::string_view(error.what()).empty()) report(target, "an error without a message");
  } catch (const std::exception& error) {
    report(target, std::string("foreign exception ") + typeid(error).name() + ": " + error.what());
  }
}

}  // namespace leafglyph::fuzz
