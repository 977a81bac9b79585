// `leafglyph moments compute`: moments of any image.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <complex>
#include <iostream>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classify/rows/moment_rows.h"
#include "classify/support/progress.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/image_io/image_file.h"
#include "features/moments/moment_file.h"
#include "gpu/plans.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct ComputeOptions {
  std::vector<std::string> images;
  std::string family = "zernike";
  int order = 30;
  bool exact = false;
  bool adaptive = false;
  int subregions = 0;
  int gauss = 0;
  std::string mask;
  std::string convention = "textbook";
  std::string centre;
  std::string radius;
  bool grey = false;
  std::string grey_as;
  bool single = false;
  std::optional<double> peak;
  std::string out;
};

MomentSpec spec_of(const ComputeOptions& options, const CLI::App& command) {
  MomentSpec spec;
  const WeightedFamily family = weighted_family_from_text(options.family);
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = options.order;
  spec.convention = convention_from_text(options.convention, options.centre, options.radius);
  if (options.exact) {
    spec.method = Method::kExact;
  } else if (options.adaptive) {
    spec.method = Method::kAdaptive;
  } else if (command.count("--subregions") > 0) {
    spec.points = options.subregions;
  } else if (command.count("--gauss") > 0) {
    spec.method = Method::kGauss;
    spec.points = options.gauss;
  } else {
    spec.method = default_method(spec.family, spec.convention);
    log_note("method: " + std::string(name_of(spec.method)) + ", the default of " +
             (is_inscribed_textbook(spec.convention) ? options.family : describe(spec.convention)));
  }
  if (!options.mask.empty()) spec.mask = from_name<Mask>(options.mask);
  validate(spec);
  return spec;
}

// In the middle of the disk the phase of the fastest radial polynomial advances by T radians over a
// radius of 1, so above T = pi N / 2 it advances by more than half a period from pixel to pixel.
void warn_beyond_image(const MomentSpec& spec, int size) {
  const int carried = static_cast<int>(std::numbers::pi * size / 2);
  if (is_circular(spec.family) && spec.order > carried) {
    log_warning(
        fmt::format("order {} is more than an image of {} x {} pixels can carry (about {}); the "
                    "moments above that add no information",
                    spec.order, size, size, carried));
  }
}

// Reserves memory for the moments of all images, and for the text or array that is written.
void reserve_moments(const ComputeOptions& options, std::size_t channels, MomentFile& file) {
  const std::size_t rows = options.images.size() * channels;
  const double written = fs::path(options.out).extension() == ".csv" ? 100.0 : 16.0;
  check_memory(static_cast<double>(rows) * static_cast<double>(file.moment_count()) *
                   (sizeof(std::complex<double>) + written),
               fmt::format("{} rows of {} moments", rows, file.moment_count()),
               "use a lower order or fewer images");
  file.values.reserve(rows * file.moment_count());
}

// The rule by which colours become one channel; none if they stay three.
std::optional<Grey> grey_rule(const ComputeOptions& options) {
  if (!options.grey_as.empty()) return grey_from(options.grey_as);
  return options.grey ? std::optional<Grey>(GreyRule::kRec601) : std::nullopt;
}

constexpr const char* kNoImage = "none of the images could be used";

/// A channel of an image.
struct ChannelPart : PixelPart<double> {
  ChannelPart(const ArraySize& image_size, std::vector<double> values, std::string row,
              double white)
      : PixelPart(image_size, std::move(values)), name(std::move(row)), peak(white) {}
  std::string name;  // of its row
  double peak;
};

/// The images of one moment file. The first readable one sets the size and depth that all share.
class Images {
 public:
  Images(const ComputeOptions& options, MomentFile& file)
      : options_(options), file_(file), grey_(grey_rule(options)) {}

  /// Reads up to the first usable image. Throws InputError if there is none.
  void begin() {
    while (true) {
      throw_if_interrupted();
      const std::string& path = options_.images[skipped_];
      try {
        first_ = read_square_image(path, grey_, options_.peak);
        break;
      } catch (const InputError& error) {
        if (options_.images.size() == 1) throw;
        log_warning(error.what());
        if (++skipped_ == options_.images.size()) throw InputError(kNoImage);
      }
    }
    file_.range = first_->range;
    log_note("samples: " + describe(first_->range));
    file_.size = first_->size;
    file_.width = first_->width;
    file_.height = first_->height;
    channels_ = first_->channels.size();
    taken_ = is_inscribed_textbook(file_.spec.convention) ? file_.size
                                                          : ArraySize(file_.width, file_.height);
    warn_beyond_image(file_.spec, first_->size);
    reserve_moments(options_, channels_, file_);
  }

  std::size_t skipped() const { return skipped_; }
  std::size_t count() const { return options_.images.size() - skipped_; }
  std::size_t channels() const { return channels_; }
  const ArraySize& size() const { return taken_; }
  bool are_small() const { return PixelPart<double>::is_small(taken_); }
  /// Images that are best computed together: as many as fit into a small part of the memory.
  std::size_t batch() const {
    constexpr std::size_t kBytes = std::size_t{32} << 20, kMost = 256;
    return std::clamp<std::size_t>(kBytes / image_bytes(), 1, kMost);
  }

  Source source() {
    return {count(), [this](std::size_t i) { return options_.images[skipped_ + i]; },
            [this](std::size_t i, Input& input, StageLoad& load) { prepare(i, input, load); },
            image_bytes()};
  }

 private:
  void prepare(std::size_t i, Input& input, StageLoad& load) {
    const std::string& path = options_.images[skipped_ + i];
    SquareImage image = i == 0 ? std::move(*first_) : load.time(Stage::kDecode, [&] {
      return read_square_image(path, grey_, options_.peak);
    });
    check(image, path);
    input.notes = image.notes;
    for (SquareChannel& channel : image.channels) {
      std::vector<double> pixels =
          taken_ == file_.size
              ? std::move(channel.pixels)
              : without_padding(channel.pixels, image.width, image.height, image.size);
      input.parts.push_back(std::make_unique<ChannelPart>(
          taken_, std::move(pixels), fs::path(path).filename().string() + ":" + channel.name,
          image.range.peak));
    }
  }

  void check(const SquareImage& image, const std::string& path) const {
    if (image.width != file_.width || image.height != file_.height) {
      throw InputError(
          fmt::format("{} has {} x {} pixels, the first image has {} x {}; the images of one file "
                      "must have the same size",
                      path, image.width, image.height, file_.width, file_.height));
    }
    if (image.range.depth != file_.range.depth) {
      throw InputError(path + " has " + std::string(name_of(image.range.depth)) +
                       " samples, the first image " + std::string(name_of(file_.range.depth)) +
                       " ones; the images of one file must have the same depth");
    }
  }

  std::size_t image_bytes() const { return channels_ * PixelPart<double>::bytes(taken_); }

  const ComputeOptions& options_;
  MomentFile& file_;
  std::optional<Grey> grey_;
  std::optional<SquareImage> first_;
  std::size_t channels_ = 0;
  ArraySize taken_;  // size of the images to compute; padded only for the inscribed textbook disk
  std::size_t skipped_ = 0;  // unusable images before the first usable one
};

// The mask if it is the default one, which describe(spec) leaves out.
std::string mask_text(const MomentSpec& spec) {
  const bool usual = is_inscribed_textbook(spec.convention) && is_circular(spec.family) &&
                     mask_of(spec) == default_mask(spec.method);
  return usual ? ", mask " + std::string(name_of(mask_of(spec))) : "";
}

ExitCode run_compute(const ComputeOptions& options, const CLI::App& command,
                     const CommonOptions& common) {
  MomentFile file;
  file.spec = spec_of(options, command);
  const fs::path out(options.out);
  static_cast<void>(moment_file_parts(out));  // refuses any other extension
  Images images(options, file);
  images.begin();
  validate(file.spec, images.size());
  const PlanOptions plan_options =
      common.plan_options(file.spec, file.size, images.count() * images.channels(),
                          options.single ? Precision::kFloat : Precision::kDouble);
  using Moments = MomentRows<std::complex<double>>;
  MakerPool<std::complex<double>> makers(std::make_shared<Moments>(file.spec, images.batch()),
                                         plan_options, Makers::kOne);
  std::size_t failed = images.skipped();
  {
    Progress progress("images", options.images.size(), common.progress_style());
    progress.advance(failed);
    const Source source = images.source();
    const auto take = [&](const MadeRows<std::complex<double>>& made) {
      if (!made.error.empty()) {
        if (options.images.size() == 1) throw InputError(made.error);
        log_warning(made.error);
        ++failed;
        return;
      }
      log_image_notes(source.name(made.index), made.input.notes);
      file.values.insert(file.values.end(), made.values.begin(), made.values.end());
      for (const auto& part : made.input.parts) {
        const auto& channel = static_cast<const ChannelPart&>(*part);
        file.rows.push_back(channel.name);
        file.range.peak = std::max(file.range.peak, channel.peak);
      }
    };
    const auto advance = [&](std::size_t count) { progress.advance(count); };
    if (images.are_small()) {
      RowPipelineOptions stream;
      stream.advance = advance;
      run_row_pipeline<std::complex<double>>(source, makers, stream, take);
    } else {  // one at a time, since reading the next one could take the memory of this one
      for (std::size_t i = 0; i < source.count; ++i) {
        throw_if_interrupted();
        take(rows_of(source, i, makers));
        advance(1);
      }
    }
  }
  if (failed == options.images.size()) throw InputError(kNoImage);
  throw_if_interrupted();
  write_moment_file(out, file);
  std::cout << out.string() << ": " << describe(file.spec) << mask_text(file.spec) << ", "
            << describe(file.size) << ", " << file.rows.size()
            << (file.rows.size() == 1 ? " row of " : " rows of ") << file.moment_count()
            << " moments\n";
  return failed > 0 ? ExitCode::kSomeFailed : ExitCode::kDone;
}

void add_compute(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<ComputeOptions>();
  const auto self = std::make_shared<CLI::App*>(nullptr);
  CLI::App* compute =
      add_command(moments, line, "compute", "Compute moments of images, each channel by itself",
                  "leafglyph moments compute photo.png --order 500 --out photo.npy",
                  [options, self, &line] { return run_compute(*options, **self, line.common); });
  *self = compute;
  compute
      ->add_option(
          "image", options->images,
          "Image files, or .npy arrays (rows, columns) or (rows, columns, channels), all of one "
          "size and depth")
      ->required();
  compute->add_option("--family", options->family, family_choices())->capture_default_str();
  compute
      ->add_option("--order", options->order,
                   fmt::format("Highest order; at most {}, bessel-fourier {}, jacobi-fourier, pct "
                               "and pst {}, exponent-fourier and pcet {}",
                               kMaxOrder, kMaxBesselFourierOrder, kMaxJacobiFourierOrder,
                               kMaxExponentFourierOrder))
      ->capture_default_str();
  auto* exact = compute->add_flag("--exact", options->exact, "Exact integral over each pixel");
  auto* subregions =
      compute->add_option("--subregions", options->subregions, "k x k sub-pixel centres");
  auto* gauss = compute->add_option("--gauss", options->gauss, "k x k Gauss-Legendre points");
  auto* adaptive = compute->add_flag("--adaptive", options->adaptive,
                                     "Gauss-Legendre points, as many as each pixel needs");
  const std::vector<CLI::Option*> methods{exact, subregions, gauss, adaptive};
  for (CLI::Option* one : methods) {
    for (CLI::Option* other : methods) {
      if (one != other) one->excludes(other);
    }
  }
  compute->add_option("--mask", options->mask, kMaskHelp);
  compute
      ->add_option(
          "--convention", options->convention,
          "Convention of the moments: textbook, mahotas, centrosome (CellProfiler) or nyxus")
      ->capture_default_str();
  compute->add_option(
      "--centre", options->centre,
      "Centre of the unit circle: image, centroid, enclosing, or X,Y in pixels; default: "
      "the convention's");
  compute->add_option("--radius", options->radius,
                      "Radius of the unit circle: inscribed, shorter, enclosing, or pixels; "
                      "default: the convention's");
  compute->add_flag("--grey", options->grey,
                    "Convert colour images to one grey channel, by rec601");
  compute->add_option("--grey-as", options->grey_as,
                      std::string("Convert them by another rule. ") + kGreyHelp);
  compute->add_flag("--float", options->single, kFloatHelp);
  compute->add_option("--peak", options->peak, kPeakHelp);
  add_output(*compute, line, "--out", options->out, OutputKind::kMoments,
             "F.npy (with F.columns.npy and F.npy.txt beside it) or F.csv")
      ->required();
}

}  // namespace

CLI::App* add_moments_commands(CLI::App& app, CommandLine& line) {
  CLI::App* moments =
      app.add_subcommand("moments", "Compute moments of images and reconstruct images from them");
  moments->require_subcommand(1);
  add_compute(*moments, line);
  add_reconstruct_command(*moments, line);
  add_tables_command(*moments, line);
  add_draw_command(*moments, line);
  return moments;
}

}  // namespace leafglyph
