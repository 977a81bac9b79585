// `leafglyph doctor`: what this machine has.
#include <faiss/Index.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <opencv2/core/version.hpp>
#include <string>

#include "classify/glyph/glyph_images.h"
#include "classify/support/versions.h"
#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/kernels/fold_kernels.h"
#include "features/kernels/instruction_set.h"
#include "gpu/devices.h"
#include "tools/cli/cli.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

void print(const std::string& what, const std::string& value) {
  std::cout << what << std::string(what.size() < 16 ? 16 - what.size() : 1, ' ') << value << '\n';
}

std::string folder_state(const char* variable, const std::string& fallback) {
  const char* value = std::getenv(variable);
  const fs::path folder = value != nullptr ? value : fallback;
  std::error_code error;
  std::size_t files = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    files += it->path().extension() == ".jpg";
  }
  const std::string origin = value != nullptr ? std::string(variable) + "=" + value
                                              : fallback + " (" + variable + " unset)";
  if (files == 0)
    return "not found in " + origin + "; generated leaves serve, or run tools/fetch_flavia";
  return fmt::format("{} images in {}", files, origin);
}

std::string font_state(const FontOptions& font) {
  std::error_code error;
  return font.file + (fs::exists(font.file, error)
                          ? ""
                          : " not found; install the packages of tools/packages.txt");
}

void print_gpus() {
  const gpu::GpuInventory gpus = gpu::find_gpus();
  if (gpus.devices.empty()) print("GPU", "none: " + gpus.reason);
  for (const gpu::GpuDevice& gpu : gpus.devices) {
    constexpr std::size_t kGibibyte = std::size_t{1} << 30;
    print(fmt::format("GPU cuda:{}", gpu.index),
          fmt::format("{}, compute capability {}.{}, {} GiB", gpu.name, gpu.compute_major,
                      gpu.compute_minor, gpu.memory_bytes / kGibibyte));
  }
}

ExitCode doctor() {
  print("LeafGlyph", LEAFGLYPH_VERSION);
  print("processor", processor_name());
  print("instructions", std::string(instruction_set_name()));
  print("threads", std::to_string(thread_count()));
  const char* chosen = std::getenv("OPENBLAS_CORETYPE");
  print("BLAS", product_library() +
                    (chosen != nullptr ? fmt::format(", OPENBLAS_CORETYPE={}", chosen) : ""));
  print("FAISS",
        fmt::format("{}.{}.{}", FAISS_VERSION_MAJOR, FAISS_VERSION_MINOR, FAISS_VERSION_PATCH));
  print("OpenCV", CV_VERSION);
  print_gpus();
  for (const char* characters : {"gb2312", "all"}) {
    for (const FontOptions& font : default_lookalike_fonts({characters})) {
      print(std::string("font, ") + characters, font_state(font));
    }
  }
  print("Flavia leaves", folder_state("LEAFGLYPH_FLAVIA", "data/flavia"));
  return ExitCode::kDone;
}

}  // namespace

void add_doctor_command(CLI::App& app, CommandLine& line) {
  add_command(app, line, "doctor", "Tell what this machine has: processor, libraries, GPU, data",
              "leafglyph doctor", doctor);
}

}  // namespace leafglyph
