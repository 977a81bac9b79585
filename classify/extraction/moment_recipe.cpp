#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/extraction/recipe.h"
#include "classify/support/config.h"
#include "features/base/errors.h"
#include "features/base/file_stamp.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/image/resample.h"
#include "features/image_io/image_file.h"

namespace leafglyph {
namespace {

constexpr std::size_t kImagesABatch = 32;
// Moments of so many sizes are kept by a thread; images of one list mostly share theirs.
constexpr std::size_t kSizesKept = 4;

struct GreyPixels : PreparedImage {
  GreyPixels(const ArraySize& image_size, std::vector<float> values)
      : size(image_size), pixels(std::move(values)) {}
  std::size_t bytes() const override { return pixels.size() * sizeof(float); }
  ArraySize size;
  std::vector<float> pixels;
};

// The image at another size: corners stay corners.
std::unique_ptr<GreyPixels> scaled(std::unique_ptr<GreyPixels> image, int longest) {
  const ArraySize from = image->size;
  const double scale = static_cast<double>(longest) / std::max(from.width, from.height);
  const auto side = [&](int length) {
    return std::max(2, static_cast<int>(std::lround(scale * length)));
  };
  const ArraySize to(side(from.width), side(from.height));
  if (to == from) return image;
  const auto axis = [](int input, int output) {
    return ResampleAxis{input, output, static_cast<double>(output) / input, 0.5 * (input - 1),
                        0.5 * (output - 1)};
  };
  std::vector<float> pixels(to.elements());
  resample(image->pixels, axis(from.width, to.width), axis(from.height, to.height), pixels);
  return std::make_unique<GreyPixels>(to, std::move(pixels));
}

class MomentRowMaker : public RowMaker {
 public:
  MomentRowMaker(const MomentSpec& spec, const PlanOptions& options)
      : spec_(spec), options_(options) {}

  std::vector<float> rows(std::span<const PreparedImage* const> images,
                          std::span<std::vector<std::string>>, StageLoad& load) override {
    return load.time(Stage::kMoments, [&] {
      std::vector<float> rows;
      for (std::size_t first = 0; first < images.size();) {
        std::size_t last = first;
        while (last < images.size() && of(images[last]).size == of(images[first]).size) ++last;
        add_rows(images.subspan(first, last - first), rows);
        first = last;
      }
      return rows;
    });
  }

 private:
  static const GreyPixels& of(const PreparedImage* image) {
    return *static_cast<const GreyPixels*>(image);
  }

  MomentPlan& plan_of(const ArraySize& size) {
    for (auto& plan : kept_) {
      if (plan->size() == size) return *plan;
    }
    if (kept_.size() == kSizesKept) kept_.erase(kept_.begin());
    return *kept_.emplace_back(make_moment_plan(spec_, size, options_));
  }

  // Of images of one size.
  void add_rows(std::span<const PreparedImage* const> images, std::vector<float>& rows) {
    MomentPlan& plan = plan_of(of(images[0]).size);
    pixels_.clear();
    for (const PreparedImage* image : images) {
      pixels_.insert(pixels_.end(), of(image).pixels.begin(), of(image).pixels.end());
    }
    const std::size_t before = rows.size();
    rows.resize(before + images.size() * plan.moment_count());
    plan.magnitudes(ImageBatch(std::span<const float>(pixels_), images.size(), plan.size()),
                    std::span(rows).subspan(before));
  }

  MomentSpec spec_;
  PlanOptions options_;
  std::vector<std::unique_ptr<MomentPlan>> kept_;
  std::vector<float> pixels_;
};

class ImageRecipe : public Recipe {
 public:
  explicit ImageRecipe(const MomentRecipe& recipe) : recipe_(recipe) {
    validate(recipe.spec);
    if (recipe.resize > 0) validate(recipe.spec, recipe.resize);
  }

  StoreHeader header() const override {
    const MomentSpec& spec = recipe_.spec;
    StoreHeader header;
    header.kind = "moments";
    const ConventionSpec& convention = spec.convention;
    header.settings = fmt::format(
        "family: {}\norder: {}\nmethod: {}\npoints: {}\nmask: {}\nresize: {}\nconvention: {}\n"
        "centre: {}\nradius: {}\n",
        family_text({spec.family, spec.weight}), spec.order, method_name(spec.method), spec.points,
        has_mask(spec) ? mask_name(mask_of(spec)) : "none", recipe_.resize,
        convention_name(convention.convention), centre_text(convention), radius_text(convention));
    header.convention = is_inscribed_textbook(convention)
                            ? std::string(convention_name(spec.family))
                            : describe(convention);
    header.columns = column_names({spec.family, spec.order, {""}, {}});
    return header;
  }

  DeviceChoice device(const DeviceChoice& asked) const override {
    return plan_device(recipe_.spec, asked);
  }

  std::size_t batch() const override { return kImagesABatch; }

  std::unique_ptr<PreparedImage> prepare(const std::string& path, FileDigest& digest,
                                         StageLoad& load) const override {
    const FileStamp before = stamp_of(open_input(path).get());
    digest = load.time(Stage::kRead, [&] { return digest_of_file(path); });
    const SquareImage image =
        load.time(Stage::kDecode, [&] { return read_square_image(path, /*grey=*/true); });
    if (stamp_of(open_input(path).get()) != before) {
      throw InputError(path + ": was changed while it was read");
    }
    return load.time(Stage::kPrepare, [&] {
      std::vector<double> samples = image.channels.front().pixels;
      ArraySize size = image.size;
      if (!is_inscribed_textbook(recipe_.spec.convention)) {
        samples = without_padding(samples, image.width, image.height, image.size);
        size = {image.width, image.height};
      }
      auto grey =
          std::make_unique<GreyPixels>(size, std::vector<float>(samples.begin(), samples.end()));
      return recipe_.resize > 0 ? scaled(std::move(grey), recipe_.resize) : std::move(grey);
    });
  }

  std::unique_ptr<RowMaker> make_row_maker(const PlanOptions& options) const override {
    return std::make_unique<MomentRowMaker>(recipe_.spec, options);
  }

 private:
  MomentRecipe recipe_;
};

}  // namespace

std::unique_ptr<Recipe> make_moment_recipe(const MomentRecipe& recipe) {
  return std::make_unique<ImageRecipe>(recipe);
}

MomentRecipe parse_moment_recipe(const std::string& settings, const std::string& name) {
  Config config = Config::parse(settings, name);
  MomentRecipe recipe;
  const WeightedFamily family = weighted_family_from_text(config.required_text("family"));
  recipe.spec.family = family.family;
  recipe.spec.weight = family.weight;
  recipe.spec.order = config.integer("order", 0, 0, kMaxJacobiOrder);
  recipe.spec.method = method_from_name(config.required_text("method"));
  recipe.spec.points = config.integer("points", 1, 1, kMaxPointsASide);
  const std::string mask = config.required_text("mask");
  if (mask != "none") recipe.spec.mask = mask_from_name(mask);
  recipe.resize = config.integer("resize", 0, 0, kMaxSquareSide);
  const std::string centre = config.required_text("centre");
  recipe.spec.convention = convention_from_text(config.required_text("convention"), centre,
                                                config.required_text("radius"));
  config.finish();
  return recipe;
}

std::unique_ptr<Recipe> recipe_of(const StoreHeader& header, const std::filesystem::path& file) {
  try {
    if (header.kind == "moments") {
      return make_moment_recipe(parse_moment_recipe(header.settings, file.string()));
    }
    const LeafConfig config = parse_leaf_config(header.settings, file.string());
    return make_leaf_recipe(config, config.data.source_aspect);
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what());
  }
}

}  // namespace leafglyph
