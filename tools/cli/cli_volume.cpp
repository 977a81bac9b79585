// `leafglyph moments volume`: moments of volumes and images on the cube and the square.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "features/base/files.h"
#include "features/base/text.h"
#include "features/image/volume.h"
#include "features/image_io/volume_file.h"
#include "features/jacobi/volume_slices.h"
#include "features/moments/ball_grid.h"
#include "features/moments/ball_moments.h"
#include "features/moments/moment_file.h"
#include "gpu/plans.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"
#include "tools/cli/volume_pictures.h"

namespace leafglyph {
namespace {

struct VolumeOptions {
  std::string input;
  std::vector<int> generate;
  std::uint32_t seed = 1;
  std::string from;
  std::string family = "legendre";
  int order = 50;
  std::optional<double> around_mass;
  int subregions = 0;
  int gauss = 0;
  bool single = false;
  bool unrounded = false;
  std::string out;
  std::string norms;
  std::vector<int> orders;
  std::string reconstruct;
  PlaceOptions places;
  std::string pictures;
  std::optional<double> peak;
  FigureFiles figures;
};

WeightedFamily family_of(const std::string& text) {
  const WeightedFamily family = volume_family_from_text(text);
  if (is_circular(family.family)) {
    throw UsageError("--family " + text +
                     " is defined on the disk; use legendre, gegenbauer:PARAMETER, "
                     "jacobi:ALPHA:BETA, tchebichef, krawtchouk:P:P or zernike-3d");
  }
  return family;
}

void check_options(const VolumeOptions& options) {
  const int sources = static_cast<int>(!options.input.empty()) +
                      static_cast<int>(!options.generate.empty()) +
                      static_cast<int>(!options.from.empty());
  if (sources != 1) {
    throw UsageError("give one of INPUT, --generate W,H,D and --from MOMENTS.npy");
  }
  if (!options.generate.empty() && options.generate.size() != 3) {
    throw UsageError("--generate takes three lengths W,H,D");
  }
  if (options.peak) validate(SampleRange{SampleDepth::kFloat, *options.peak});
  if (options.around_mass && options.input.empty()) {
    throw UsageError("--around-mass cuts a volume out of a file; name it as INPUT");
  }
  if (!parse_places(options.places).empty() && options.pictures.empty()) {
    throw UsageError(
        "--slice, --plane and --surface write pictures; name their folder with --pictures");
  }
}

// The input of the command: a volume, or only moments.
struct Work {
  VolumePlaces places;
  Volume reference;
  bool has_reference = false;
  MomentFile moments;
  std::unique_ptr<MomentPlan> plan;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

MomentSpec spec_of(const VolumeOptions& options, const CLI::App& command) {
  MomentSpec spec;
  const WeightedFamily family = family_of(options.family);
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = options.order;
  spec.method = default_method(spec.family);
  if (command.count("--subregions") > 0) {
    spec.method = Method::kSubregion;
    spec.points = options.subregions;
  } else if (command.count("--gauss") > 0) {
    spec.method = Method::kGauss;
    spec.points = options.gauss;
  }
  return spec;
}

// Makes the plan, after checking that nothing requested lies outside the volume.
void make_plan(const VolumeOptions& options, const CommonOptions& common, Work& work) {
  const MomentSpec& spec = work.moments.spec;
  const ArraySize& size = work.moments.size;
  work.moments.width = size.width;
  work.moments.height = size.height;
  validate(spec, size);
  if (!options.norms.empty() && !is_spherical(spec.family)) {
    throw UsageError("--norms: " + std::string(family_name(spec.family)) +
                     " moments have no norms that turning keeps; use --family zernike-3d");
  }
  check_places(work.places, {size.width, size.height, size.slices()});
  for (const int order : options.orders) {
    if (order < 0 || order > spec.order) {
      throw UsageError(fmt::format("--orders {} is not among the orders 0 to {} of the moments",
                                   order, spec.order));
    }
  }
  // The moments, or a volume of all orders where they are read, and a volume for each order.
  const std::size_t transforms = 1 + options.orders.size();
  const Precision precision = options.single ? Precision::kFloat : Precision::kDouble;
  work.plan = make_moment_plan(spec, size, common.plan_options(spec, size, transforms, precision));
}

Work make_work(const VolumeOptions& options, const CLI::App& command, const CommonOptions& common) {
  Work work;
  work.places = parse_places(options.places);
  if (!options.from.empty()) {
    work.moments = read_moment_file(options.from);
    if (is_circular(work.moments.spec.family) || work.moments.rows.size() != 1) {
      throw UsageError("--from " + options.from + " holds " +
                       std::to_string(work.moments.rows.size()) + " rows of " +
                       std::string(family_name(work.moments.spec.family)) +
                       " moments; moments reconstruct takes those of images, this command the "
                       "Legendre, Jacobi and 3-D Zernike moments of one volume or image");
    }
    if (options.peak) work.moments.range.peak = *options.peak;
    make_plan(options, common, work);
    return work;
  }
  work.has_reference = true;
  work.moments.spec = spec_of(options, command);
  if (!options.generate.empty()) {
    const ArraySize size{options.generate[0], options.generate[1], options.generate[2]};
    if (!size.is_volume()) throw UsageError("--generate: a volume needs a depth of 1 or more");
    work.moments.size = size;
    work.moments.rows = {"generated bone " + std::to_string(options.seed) + ":grey"};
    make_plan(options, common, work);
    work.plan->prepare(MomentPlan::Direction::kMoments);  // a volume that does not fit is refused
    work.reference = generate_bone(size.width, size.height, size.depth, options.seed);
  } else {
    VolumeInput input = read_volume(options.input);
    log_image_notes(options.input, input.notes);
    work.reference = options.around_mass ? around_mass(input.volume, *options.around_mass)
                                         : std::move(input.volume);
    work.moments.range = input.range;
    log_note("samples: " + describe(input.range));
    work.moments.size = {work.reference.width, work.reference.height,
                         input.is_image ? 0 : work.reference.depth};
    work.moments.rows = {std::filesystem::path(options.input).filename().string() + ":grey"};
    make_plan(options, common, work);
  }
  if (options.peak) work.moments.range.peak = *options.peak;
  work.moments.values.resize(work.plan->moment_count());
  const auto start = std::chrono::steady_clock::now();
  work.plan->moments(
      ImageBatch(std::span<const double>(work.reference.values), 1, work.moments.size),
      work.moments.values);
  log_note(fmt::format("moments: {} s", seconds_text(seconds_since(start))));
  return work;
}

// The voxels in the ball, as a row.
Volume in_ball(const Volume& volume) {
  const BallGrid grid({volume.width, volume.height, volume.depth});
  Volume row;
  for (std::size_t v = 0; v < volume.values.size(); ++v) {
    if (grid.contains(v)) row.values.push_back(volume.values[v]);
  }
  row.width = static_cast<int>(row.values.size());
  row.height = row.depth = 1;
  return row;
}

// Over the voxels that count.
double psnr_of(const Work& work, const Volume& back, Rounding rounding) {
  const SampleRange& range = work.moments.range;
  if (!is_spherical(work.moments.spec.family)) {
    return volume_psnr(work.reference, back, range, rounding);
  }
  return volume_psnr(in_ball(work.reference), in_ball(back), range, rounding);
}

// Reconstructs to every requested order and prints each error. `back` is the last reconstruction.
Table reconstruct_all(const VolumeOptions& options, std::ostream& out, Work& work, Volume& back) {
  std::vector<int> orders = options.orders;
  std::sort(orders.begin(), orders.end());
  const int top = work.moments.spec.order;
  if (orders.empty() || orders.back() != top) orders.push_back(top);
  Table table("order moments psnr:.6g");
  if (work.has_reference) out << "order    moments  PSNR/dB\n";
  for (const int order : orders) {
    throw_if_interrupted();
    if (!work.has_reference && order != top) continue;
    const auto start = std::chrono::steady_clock::now();
    work.plan->reconstruct(work.moments.values, {0, order}, back.values);
    log_note(fmt::format("volume to order {}: {} s", order, seconds_text(seconds_since(start))));
    if (!work.has_reference) continue;
    const bool whole = options.generate.empty() && !options.unrounded;
    const double psnr = psnr_of(work, back, whole ? Rounding::kSamples : Rounding::kNone);
    const std::size_t count = moment_count_to(work.moments.spec, work.moments.size, order);
    out << fmt::format("{:5} {:10} {:>8.2f}\n", order, count, psnr);
    table.add(order, count, psnr);
  }
  return table;
}

// Slices of the volume from its moments, and of the original if there is one.
void write_slices_alone(const VolumeOptions& options, const Work& work) {
  const VolumeSlices slices(work.moments.spec, work.moments.size);
  const double peak = work.moments.range.peak;
  write_slices(work.places,
               [&](const SlicePlace& place) {
                 throw_if_interrupted();
                 const auto start = std::chrono::steady_clock::now();
                 Image<double> image =
                     slices.slice(work.moments.values, place.axis, place.position);
                 log_note(fmt::format("slice {}:{} without the volume, on the CPU: {} s",
                                      axis_name(place.axis), place.position,
                                      seconds_text(seconds_since(start))));
                 return image;
               },
               {options.pictures, "", peak});
  if (!work.has_reference) return;
  write_slices(work.places,
               [&](const SlicePlace& place) {
                 return volume_slice(work.reference, place.axis, place.position);
               },
               {options.pictures, "original_", peak});
}

// ||Omega_nl|| of a volume.
Table norms_table(const MomentFile& moments) {
  const int order = moments.spec.order;
  std::vector<double> norms(ball_norm_count(order));
  ball_norms(order, moments.values, norms);
  Table table("n l norm");
  std::size_t c = 0;
  for (const auto [n, l] : ball_norm_indices(order)) table.add(n, l, norms[c++]);
  return table;
}

// Slices can be computed without the volume, except of an image and on the ball. Comparing and
// drawing in space need all voxels.
bool needs_volume(const VolumeOptions& options, const Work& work) {
  return !options.orders.empty() || !options.reconstruct.empty() || !options.figures.csv.empty() ||
         !options.figures.json.empty() || work.places.need_volume() ||
         (!work.places.slices.empty() &&
          (!work.moments.size.is_volume() || is_spherical(work.moments.spec.family)));
}

ExitCode run_volume(const VolumeOptions& options, const CLI::App& command,
                    const CommandLine& line) {
  check_options(options);
  Work work = make_work(options, command, line.common);
  const ArraySize& size = work.moments.size;
  line.text() << work.plan->describe(options.from.empty() ? MomentPlan::Direction::kMoments
                                                          : MomentPlan::Direction::kImages)
              << '\n';
  const bool rebuilds = needs_volume(options, work);
  Volume back;
  std::optional<Table> table;
  if (rebuilds) {
    back = Volume(size.width, size.height, size.slices());
    table = reconstruct_all(options, line.text(), work, back);
  }
  throw_if_interrupted();
  if (!options.pictures.empty()) make_folder(options.pictures);
  if (!options.out.empty()) write_moment_file(options.out, work.moments);
  if (!options.norms.empty()) write_output(options.norms, norms_table(work.moments).csv());
  if (!rebuilds) {
    if (!work.places.slices.empty()) write_slices_alone(options, work);
    return ExitCode::kDone;
  }
  write_figures(options.figures, *table);
  if (!options.reconstruct.empty()) write_volume(options.reconstruct, back);
  write_places(work.places, back, {options.pictures, "", work.moments.range.peak});
  if (work.has_reference) {
    write_places(work.places, work.reference,
                 {options.pictures, "original_", work.moments.range.peak});
  }
  return ExitCode::kDone;
}

void add_place_options(CLI::App& volume, PlaceOptions& places) {
  takes_list(volume.add_option(
      "--slice", places.slices,
      "x:I, y:J or z:K: draw a slice; the volume is reconstructed only if needed"));
  takes_list(volume.add_option("--plane", places.planes,
                               "NX:NY:NZ:OFFSET: draw an oblique plane, in the cube [-1, 1]^3"));
  volume.add_option("--surface", places.surface,
                    "LEVEL: draw the surface of the voxels at or above this value");
  takes_list(volume.add_option(
      "--clip", places.clips,
      "A:B:C:D: clip the surface to A x + B y + C z <= D, in voxels (column, row, slice)"));
  volume
      .add_option("--view", places.view,
                  "AZIMUTH:ELEVATION of the eye, in degrees; later slices are above")
      ->capture_default_str();
}

void add_result_options(CLI::App& volume, CommandLine& line, VolumeOptions& options) {
  add_output(volume, line, "--out", options.out, OutputKind::kMoments,
             "Moments as F.npy, with F.columns.npy and F.npy.txt beside it, or F.csv");
  add_output(volume, line, "--norms", options.norms, OutputKind::kCsv,
             "zernike-3d: the norms ||Omega_nl||, which turning the volume keeps");
  add_whole_numbers(volume, "--orders", options.orders, 0, kMaxJacobiOrder,
                    "Lower orders to reconstruct and compare as well: 10,20 or 10:50:10");
  add_output(volume, line, "--reconstruct", options.reconstruct, OutputKind::kNpy,
             "The reconstruction as F.npy (float)");
  add_place_options(volume, options.places);
  add_output(volume, line, "--pictures", options.pictures, OutputKind::kFolder,
             "Folder for the pictures");
  volume.add_option("--peak", options.peak,
                    "Value of white for PSNR and pictures; default: 255 for 8-bit, 65535 for "
                    "16-bit samples, the largest one for float");
  volume.add_flag("--unrounded", options.unrounded, kUnroundedHelp);
  add_figure_files(volume, line, options.figures, "PSNR against order");
}

}  // namespace

void add_moment_volume_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<VolumeOptions>();
  const auto self = std::make_shared<CLI::App*>(nullptr);
  CLI::App* volume = add_command(
      moments, line, "volume",
      "Compute moments of volumes and images on the cube and the square, and Zernike moments of "
      "volumes, and reconstruct them",
      "leafglyph moments volume scan.npy --family jacobi:0.3:0.7 --order 100 "
      "--slice z:40 --plane 1:1:1:0 --pictures slices",
      [options, self, &line] { return run_volume(*options, **self, line); });
  *self = volume;
  volume->add_option(
      "input", options->input,
      "A .npy array (slice, row, column), NIfTI, MRC or FITS; a folder of slices, a TIFF "
      "file of slices, or an image");
  takes_list(volume->add_option("--generate", options->generate, "W,H,D: a generated bone instead"))
      ->check(whole_number());
  volume->add_option("--seed", options->seed, "Seed of the generated bone")
      ->check(whole_number(0, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  volume->add_option("--from", options->from, "Read moments that --out wrote, instead of a volume");
  volume
      ->add_option(
          "--family", options->family,
          "legendre, gegenbauer:PARAMETER, jacobi:ALPHA:BETA, tchebichef, krawtchouk:P:P or "
          "zernike-3d (in the ball)")
      ->capture_default_str();
  volume->add_option("--order", options->order, "n + m (+ o) <= order; zernike-3d: n <= order")
      ->capture_default_str();
  auto* subregions = volume->add_option("--subregions", options->subregions,
                                        "k midpoints per axis in each voxel, instead of exact");
  volume->add_option("--gauss", options->gauss, "k Gauss points per axis in each voxel")
      ->excludes(subregions);
  volume->add_option(
      "--around-mass", options->around_mass,
      "FACTOR: only the box around the centre of mass, on each side FACTOR times the "
      "root mean square distance of the mass from there, such as 1.8");
  volume->add_flag("--float", options->single, "Products in single precision");
  add_result_options(*volume, line, *options);
}

}  // namespace leafglyph
