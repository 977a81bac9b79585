#include "classify/extraction/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/leaf/colour_choice.h"
#include "classify/rows/leaf_rows.h"
#include "classify/rows/moment_rows.h"
#include "classify/support/config.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/image/resample.h"
#include "features/image_io/image_file.h"

namespace leafglyph {
namespace {

using GreyPixels = PixelPart<float>;

// Resizes the image; corners stay corners.
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

StoreHeader header_of(const MomentRecipe& recipe) {
  const MomentSpec& spec = recipe.spec;
  StoreHeader header;
  header.kind = "moments";
  const ConventionSpec& convention = spec.convention;
  header.settings = fmt::format(
      "family: {}\norder: {}\nmethod: {}\npoints: {}\nmask: {}\nresize: {}\nconvention: {}\n"
      "centre: {}\nradius: {}\n",
      family_text({spec.family, spec.weight}), spec.order, name_of(spec.method), spec.points,
      has_mask(spec) ? name_of(mask_of(spec)) : "none", recipe.resize,
      name_of(convention.convention), centre_text(convention), radius_text(convention));
  header.convention = is_inscribed_textbook(convention) ? std::string(convention_name(spec.family))
                                                        : describe(convention);
  header.columns = column_names({spec.family, spec.order, {{""}}});
  return header;
}

// The bytes of file i, and their digest.
std::string read_with_digest(const ImageFiles& files, std::size_t i, FileDigest& digest,
                             StageLoad& load) {
  return load.time(Stage::kRead, [&] {
    std::string bytes = files.bytes(i);
    digest = {bytes.size(), sha256(bytes)};
    return bytes;
  });
}

std::unique_ptr<GreyPixels> grey_image(const ImageFiles& files, std::size_t i,
                                       const MomentRecipe& recipe, FileDigest& digest,
                                       StageLoad& load) {
  const std::string bytes = read_with_digest(files, i, digest, load);
  const SquareImage image = load.time(
      Stage::kDecode, [&] { return read_square_image(bytes, files.name(i), GreyRule::kRec601); });
  return load.time(Stage::kPrepare, [&] {
    std::vector<double> samples = image.channels.front().pixels;
    ArraySize size = image.size;
    if (!is_inscribed_textbook(recipe.spec.convention)) {
      samples = without_padding(samples, image.width, image.height, image.size);
      size = {image.width, image.height};
    }
    auto grey =
        std::make_unique<GreyPixels>(size, std::vector<float>(samples.begin(), samples.end()));
    return recipe.resize > 0 ? scaled(std::move(grey), recipe.resize) : std::move(grey);
  });
}

}  // namespace

ImageFiles files_at(std::size_t count, std::function<std::string(std::size_t)> path) {
  return {count, path, [path](std::size_t i) { return read_file(path(i)); }};
}

Recipe leaf_recipe(const LeafConfig& config, double source_aspect, PartRule parts) {
  LeafConfig used = without_choice(config);
  const PrepareSpec spec = preparation_for(used, source_aspect);
  used.data.source_aspect = source_aspect;
  validate(spec);
  auto rows = std::make_shared<LeafRows>(used.features, used.features.order, spec.size);
  StoreHeader header;
  header.kind = "leaf";
  header.settings = to_yaml(used);
  header.convention = convention_name(used.features.family);
  header.columns = column_names(rows->layout());
  header.parts = parts;
  return {std::move(header), std::move(rows), [spec, parts](const ImageFiles& files) {
            Photographs photographs{
                files.count, files.name,
                [spec, files](std::size_t i, MemoryReservation& memory, FileDigest& digest,
                              StageLoad& load) {
                  const std::string bytes = read_with_digest(files, i, digest, load);
                  return load.time(Stage::kDecode, [&] {
                    return read_photograph(bytes, files.name(i), request_of(spec, memory));
                  });
                }};
            return parts == PartRule::kEveryLeaf ? sheet_source(std::move(photographs), spec, {})
                                                 : leaf_source(std::move(photographs), spec);
          }};
}

Recipe moment_recipe(const MomentRecipe& recipe) {
  validate(recipe.spec);
  if (recipe.resize > 0) validate(recipe.spec, recipe.resize);
  return {header_of(recipe), std::make_shared<MomentRows<float>>(recipe.spec),
          [recipe](const ImageFiles& files) {
            return Source{files.count, files.name,
                          [recipe, files](std::size_t i, Input& input, StageLoad& load) {
                            input.parts.push_back(grey_image(files, i, recipe, input.digest, load));
                          }};
          }};
}

MomentRecipe parse_moment_recipe(const std::string& settings, const std::string& name) {
  Config config = Config::parse(settings, name);
  MomentRecipe recipe;
  const WeightedFamily family = weighted_family_from_text(config.required_text("family"));
  recipe.spec.family = family.family;
  recipe.spec.weight = family.weight;
  recipe.spec.order = config.integer("order", 0, 0, kMaxJacobiOrder);
  recipe.spec.method = from_name<Method>(config.required_text("method"));
  recipe.spec.points = config.integer("points", 1, 1, kMaxPointsASide);
  const std::string mask = config.required_text("mask");
  if (mask != "none") recipe.spec.mask = from_name<Mask>(mask);
  recipe.resize = config.integer("resize", 0, 0, kMaxSquareSide);
  const std::string centre = config.required_text("centre");
  recipe.spec.convention = convention_from_text(config.required_text("convention"), centre,
                                                config.required_text("radius"));
  config.finish();
  return recipe;
}

Recipe recipe_of(const StoreHeader& header, const std::filesystem::path& file) {
  try {
    if (header.kind == "moments") {
      return moment_recipe(parse_moment_recipe(header.settings, file.string()));
    }
    const LeafConfig config = parse_leaf_config(header.settings, file.string());
    return leaf_recipe(config, config.data.source_aspect, header.parts);
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what());
  }
}

}  // namespace leafglyph
