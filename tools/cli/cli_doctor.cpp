// `leafglyph doctor`: describes this machine.
#include <faiss/Index.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core/version.hpp>
#include <string>

#include "classify/glyph/glyph_images.h"
#include "classify/support/named_configuration.h"
#include "classify/support/versions.h"
#include "features/base/files.h"
#include "features/base/matrix_product.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"
#include "gpu/devices.h"
#include "tools/cli/cli.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The findings, for people and for programs.
class Findings {
 public:
  explicit Findings(std::ostream& out) : out_(out) {}

  void print(const std::string& what, const std::string& value) {
    out_ << what << std::string(what.size() < 16 ? 16 - what.size() : 1, ' ') << value << '\n';
  }
  void add(const std::string& what, const std::string& key, const std::string& value) {
    print(what, value);
    json[key] = value;
  }

  Json json;

 private:
  std::ostream& out_;
};

void add_flavia(Findings& findings) {
  const char* variable = std::getenv("LEAFGLYPH_FLAVIA");
  const fs::path folder = variable != nullptr ? variable : "data/flavia";
  std::error_code error;
  std::size_t files = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    files += it->path().extension() == ".jpg";
  }
  const std::string origin = variable != nullptr ? "LEAFGLYPH_FLAVIA=" + folder.string()
                                                 : "data/flavia (LEAFGLYPH_FLAVIA unset)";
  findings.print("Flavia leaves",
                 files > 0 ? fmt::format("{} images in {}", files, origin)
                           : "not found in " + origin +
                                 "; use generated leaves, or run tools/setup/fetch_flavia");
  findings.json["flavia"] = {{"folder", folder.string()}, {"images", files}};
}

void add_fonts(Findings& findings) {
  findings.json["fonts"] = Json::array();
  for (const char* characters : {"gb2312", "all"}) {
    for (const FontOptions& font : default_lookalike_fonts({characters})) {
      const bool found = is_there(font.file);
      findings.print(std::string("font, ") + characters,
                     font.file + (found ? ""
                                        : " not found; install the fonts that "
                                          "tools/setup/packages.txt lists"));
      findings.json["fonts"].push_back(
          {{"characters", characters}, {"file", font.file}, {"found", found}});
    }
  }
}

void add_gpus(Findings& findings) {
  constexpr std::size_t kGibibyte = std::size_t{1} << 30;
  const gpu::GpuInventory gpus = usable_gpus();
  findings.json["gpus"] = Json::array();
  if (gpus.devices.empty()) {
    findings.print("GPU", "none: " + gpus.reason);
    findings.json["no_gpu_because"] = gpus.reason;
  }
  for (const gpu::GpuDevice& gpu : gpus.devices) {
    const std::string capability = fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor);
    findings.print(fmt::format("GPU cuda:{}", gpu.index),
                   fmt::format("{}, compute capability {}, {} GiB", gpu.name, capability,
                               gpu.memory_bytes / kGibibyte));
    findings.json["gpus"].push_back({{"device", fmt::format("cuda:{}", gpu.index)},
                                     {"name", gpu.name},
                                     {"compute_capability", capability},
                                     {"memory_bytes", gpu.memory_bytes}});
  }
}

std::string threads_from() {
  if (thread_count() != processor_count()) return ", by --threads or OMP_NUM_THREADS";
  const std::string limit(processor_limit());
  return limit.empty() ? "" : ", by the process's " + limit;
}

ExitCode doctor(const CommandLine& line, const std::string& json) {
  Findings findings(line.text());
  findings.add("LeafGlyph", "leafglyph", version());
  findings.add("processor", "processor", processor_name());
  findings.add("instructions", "instructions", std::string(instruction_set_name()));
  findings.print("free memory", bytes_text(available_memory_bytes()));
  findings.json["free_memory"] = available_memory_bytes();
  findings.print("threads", std::to_string(thread_count()) + threads_from());
  findings.json["threads"] = thread_count();
  findings.json["threads_limited_by"] = processor_limit();
  const char* chosen = std::getenv("OPENBLAS_CORETYPE");
  findings.add(
      "BLAS", "blas",
      product_library() + (chosen != nullptr ? fmt::format(", OPENBLAS_CORETYPE={}", chosen) : ""));
  findings.add(
      "FAISS", "faiss",
      fmt::format("{}.{}.{}", FAISS_VERSION_MAJOR, FAISS_VERSION_MINOR, FAISS_VERSION_PATCH));
  findings.add("OpenCV", "opencv", CV_VERSION);
  add_gpus(findings);
  const fs::path configurations = configuration_folder();
  findings.add("configurations", "configurations",
               configurations.empty() ? "not found" : configurations.string());
  add_fonts(findings);
  add_flavia(findings);
  if (!json.empty()) {
    write_output(json, findings.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  return ExitCode::kDone;
}

}  // namespace

void add_doctor_command(CLI::App& app, CommandLine& line) {
  const auto json = std::make_shared<std::string>();
  CLI::App* command = add_command(
      app, line, "doctor", "Report the processor, libraries, GPU and data of this machine",
      "leafglyph doctor", [&line, json] { return doctor(line, *json); });
  add_output(*command, line, "--json", *json, OutputKind::kJson,
             "Write it as JSON; -: to stdout, instead of text");
}

}  // namespace leafglyph
