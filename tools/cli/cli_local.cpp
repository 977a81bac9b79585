// `leafglyph moments local`: Zernike moments about every pixel of an image.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/npy.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "gpu/plans.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"
#include "tools/cli/outputs.h"

namespace leafglyph {
namespace {

struct LocalOptions {
  std::string input;
  LocalSpec spec;
  std::vector<double> radii = {16.0};
  std::string border = std::string(name_of(LocalBorder::kZero));
  bool parts = false;
  std::string out;
  std::string pictures;
};

// A square root spreads the small values, which most are.
void write_map(const std::filesystem::path& file, int width, int height,
               std::span<const float> map) {
  const float largest = std::max(*std::max_element(map.begin(), map.end()), 1e-30F);
  std::vector<double> values;
  for (const float value : map) values.push_back(255.0 * std::sqrt(value / largest));
  write_image(file, width, height, {}, {values});
}

void write_pictures(const std::string& folder, double radius, const LocalMoments& local,
                    std::span<const float> maps) {
  const std::filesystem::path into = folder;
  make_folder(into);
  const std::size_t map = maps.size() / local.moment_count();
  std::size_t place = 0;
  for (const LocalNumber& number : local.numbers()) {
    if (number.imaginary) continue;
    write_map(into / fmt::format("radius_{}_Z_{}_{}.png", number_text(radius), number.n, number.m),
              local.columns(), local.rows(), maps.subspan(map * place++, map));
  }
}

// Appends the maps of one radius to an array, which is the whole file.
template <class T>
void append_maps(const LocalMoments& local, std::span<const double> image, std::size_t maps,
                 std::vector<T>& all) {
  const std::size_t before = all.size();
  all.resize(before + maps * static_cast<std::size_t>(local.rows()) *
                          static_cast<std::size_t>(local.columns()));
  const auto room = std::span(all).subspan(before);
  if constexpr (std::is_same_v<T, double>) {
    local.moments(image, 0, local.rows(), room);
  } else {
    local.magnitudes(image, 0, local.rows(), room);
  }
}

template <class T>
ExitCode run_as(const LocalOptions& options, const Volume& image, const CommandLine& line) {
  std::vector<T> all;
  std::vector<std::size_t> shape;
  for (const double radius : options.radii) {
    LocalSpec spec = options.spec;
    spec.radius = radius;
    const auto local =
        make_local_moments(spec, image.width, image.height, line.common.device_choice());
    const std::size_t maps = options.parts ? local->numbers().size() : local->moment_count();
    shape = {options.radii.size(), maps, static_cast<std::size_t>(local->rows()),
             static_cast<std::size_t>(local->columns())};
    if (all.empty()) {
      line.text() << local->describe() << "\n";
      const double numbers =
          static_cast<double>(shape[0] * shape[1]) * static_cast<double>(shape[2] * shape[3]);
      // Once as numbers and once as the file's bytes.
      check_memory(2.0 * numbers * sizeof(T), "these maps", "use --step, or fewer radii");
    }
    const std::size_t before = all.size();
    append_maps(*local, image.values, maps, all);
    if constexpr (std::is_same_v<T, float>) {
      if (!options.pictures.empty()) {
        write_pictures(options.pictures, radius, *local, std::span(all).subspan(before));
      }
    }
  }
  if (!options.out.empty()) {
    write_output(options.out, npy_bytes(std::span<const T>(all), shape));
    line.text() << fmt::format("{}: {} of {} x {}, of {}\n", options.out,
                               counted(shape[1], "map", "maps"), shape[3], shape[2],
                               counted(shape[0], "radius", "radii"));
  }
  return ExitCode::kDone;
}

ExitCode run_local(LocalOptions options, const CommandLine& line) {
  options.spec.border = from_name<LocalBorder>(options.border);
  if (options.out.empty() && options.pictures.empty()) {
    throw UsageError("give --out FILE.npy, --pictures FOLDER or both");
  }
  if (options.parts && !options.pictures.empty()) {
    throw UsageError("--pictures shows magnitudes; leave out --parts");
  }
  for (const double radius : options.radii) {
    LocalSpec spec = options.spec;
    spec.radius = radius;
    validate(spec);
  }
  const VolumeInput input = read_volume(options.input);
  log_image_notes(options.input, input.notes);
  if (input.volume.depth != 1) {
    throw UsageError(options.input + " is a volume; local moments are those of an image");
  }
  return options.parts ? run_as<double>(options, input.volume, line)
                       : run_as<float>(options, input.volume, line);
}

}  // namespace

void add_moment_local_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<LocalOptions>();
  CLI::App* local = add_command(
      moments, line, "local",
      "Zernike moments about every pixel: maps of what the image looks like there, whose "
      "magnitudes "
      "do not change when it is turned",
      "leafglyph moments local bark.png --order 6 --radius 8,16 --step 2 --out maps.npy",
      [options, &line] { return run_local(*options, line); });
  local->add_option("input", options->input, "An image, or a .npy or FITS array")->required();
  local->add_option("--order", options->spec.order, "Highest order of the moments")
      ->check(whole_number(0, kMaxLocalOrder))
      ->capture_default_str();
  takes_list(
      local->add_option("--radius", options->radii, "Radius of the circle in pixels, or several"))
      ->check(finite_number(1.0, kMaxLocalRadius));
  local->add_option("--step", options->spec.step, "Only about every so many rows and columns")
      ->check(whole_number(1, kMaxAxisLength))
      ->capture_default_str();
  local
      ->add_option("--border", options->border,
                   "What is beyond the image: zero, or the image mirrored")
      ->check(one_of({"zero", "mirror"}))
      ->capture_default_str();
  local->add_flag(
      "--parts", options->parts,
      "Real and imaginary parts in double, by n, then m, instead of magnitudes in float");
  add_output(*local, line, "--out", options->out, OutputKind::kNpy,
             "Array of (radii, maps, rows, columns)");
  add_output(*local, line, "--pictures", options->pictures, OutputKind::kFolder,
             "A PNG of each magnitude, its largest value white");
}

}  // namespace leafglyph
