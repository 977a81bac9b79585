#include "classify/extraction/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/index/compact_store.h"
#include "classify/leaf/colour_choice.h"
#include "classify/rows/leaf_rows.h"
#include "classify/rows/moment_rows.h"
#include "classify/support/config.h"
#include "classify/support/written_keys.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/image/resample.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "features/leaf/label_image.h"

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
  header.settings = yaml_of(recipe);
  const ConventionSpec& convention = spec.convention;
  header.convention = is_inscribed_textbook(convention) ? std::string(convention_name(spec.family))
                                                        : describe(convention);
  header.columns = column_names({spec.family, spec.order, {{""}}});
  return header;
}

struct ReadImage {
  std::string bytes;
  std::string mask_path, mask;  // empty without masks
};

// File i and its mask, and their digest, which is set even if there is no mask.
ReadImage read_image(const ImageFiles& files, std::size_t i, FileDigest& digest) {
  ReadImage image;
  image.bytes = files.bytes(i);
  digest = {image.bytes.size(), sha256(image.bytes)};
  if (!files.mask) return image;
  image.mask_path = files.mask(i);
  image.mask = read_file(image.mask_path);
  Sha256 both;
  both.add(image.bytes);
  both.add(image.mask);
  digest = {image.bytes.size() + image.mask.size(), both.digest()};
  return image;
}

ReadImage read_image(const ImageFiles& files, std::size_t i, FileDigest& digest, StageLoad& load) {
  return load.time(Stage::kRead, [&] { return read_image(files, i, digest); });
}

/// A grey image with its sides, padded to a square if the circle of its moments is inscribed.
struct GreyImage {
  ArraySize size;
  std::vector<double> samples;
};

std::unique_ptr<GreyPixels> pixels_of(const GreyImage& image, int resize) {
  auto grey = std::make_unique<GreyPixels>(
      image.size, std::vector<float>(image.samples.begin(), image.samples.end()));
  return resize > 0 ? scaled(std::move(grey), resize) : std::move(grey);
}

void add_image(const SquareImage& image, const MomentRecipe& recipe, Input& input) {
  GreyImage grey{image.size, image.channels.front().pixels};
  if (!is_inscribed_textbook(recipe.spec.convention)) {
    grey.samples = without_padding(grey.samples, image.width, image.height, image.size);
    grey.size = {image.width, image.height};
  }
  input.parts.push_back(pixels_of(grey, recipe.resize));
}

/// A region of an image.
class RegionPixels : public GreyPixels {
 public:
  RegionPixels(std::unique_ptr<GreyPixels> made, PartPlace place)
      : GreyPixels(made->size, std::move(made->pixels)), place_(std::move(place)) {}
  PartPlace place() const override { return place_; }

 private:
  PartPlace place_;
};

// The image in the box around region i, in the middle of a square if the circle is inscribed.
GreyImage cut_out(const std::vector<double>& samples, const LabelImage& labels, std::size_t i,
                  bool square) {
  const PictureBox& box = labels.regions[i].box;
  ArraySize size(std::max(2, box.width), std::max(2, box.height));
  if (square) size = std::max(size.width, size.height);
  GreyImage cut{size, std::vector<double>(size.elements())};
  const int top = (size.height - box.height) / 2, left = (size.width - box.width) / 2;
  for (int row = 0; row < box.height; ++row) {
    for (int column = 0; column < box.width; ++column) {
      const int y = box.top + row, x = box.left + column;
      if (labels.numbers.at(y, x) != i + 1) continue;
      const auto width = static_cast<std::size_t>(labels.numbers.width());
      cut.samples[static_cast<std::size_t>(top + row) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(left + column)] =
          samples[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
    }
  }
  return cut;
}

void check_regions(const LabelImage& labels, const MomentRecipe& recipe, const std::string& name) {
  double pixels = 0;
  for (const LabelRegion& region : labels.regions) {
    const double side = std::max(region.box.width, region.box.height);
    pixels += recipe.resize > 0 ? std::pow(recipe.resize, 2) : side * side;
  }
  check_memory(pixels * sizeof(float),
               fmt::format("{}, with {} regions,", name, labels.regions.size()),
               "use fewer regions per image or --resize");
}

void add_regions(const SquareImage& image, const LabelImage& labels, const MomentRecipe& recipe,
                 const std::string& name, Input& input) {
  check_regions(labels, recipe, name);
  const std::vector<double> samples =
      without_padding(image.channels.front().pixels, image.width, image.height, image.size);
  const bool square = is_inscribed_textbook(recipe.spec.convention);
  for (std::size_t i = 0; i < labels.regions.size(); ++i) {
    const LabelRegion& region = labels.regions[i];
    const PictureBox& box = region.box;
    const bool is_cut = box.left == 0 || box.top == 0 || box.left + box.width == image.width ||
                        box.top + box.height == image.height;
    PartPlace place{region.label, box, static_cast<double>(region.area),
                    is_cut ? PartState::kCut : PartState::kWhole, ""};
    input.parts.push_back(std::make_unique<RegionPixels>(
        pixels_of(cut_out(samples, labels, i, square), recipe.resize), std::move(place)));
  }
}

LabelImage labels_of(const ReadImage& read, const std::string& name, int width, int height) {
  LabelImage labels = read_label_image(read.mask, read.mask_path);
  check_size(labels, read.mask_path, width, height, name);
  return labels;
}

void prepare_grey(const ImageFiles& files, std::size_t i, const MomentRecipe& recipe, Input& input,
                  StageLoad& load) {
  const ReadImage read = read_image(files, i, input.digest, load);
  const std::string name = files.name(i);
  const SquareImage image = load.time(
      Stage::kDecode, [&] { return read_square_image(read.bytes, name, GreyRule::kRec601); });
  input.notes = image.notes;
  if (!files.mask) return load.time(Stage::kPrepare, [&] { add_image(image, recipe, input); });
  const LabelImage labels =
      load.time(Stage::kDecode, [&] { return labels_of(read, name, image.width, image.height); });
  load.time(Stage::kPrepare, [&] { add_regions(image, labels, recipe, name, input); });
}

void prepare_volume(const ImageFiles& files, std::size_t i, double factor, Input& input,
                    StageLoad& load) {
  const ReadImage read = read_image(files, i, input.digest, load);
  VolumeInput decoded =
      load.time(Stage::kDecode, [&] { return read_volume(read.bytes, files.name(i)); });
  input.notes = decoded.notes;
  Volume& volume = decoded.volume;
  if (factor > 0.0) {
    volume = load.time(Stage::kPrepare, [&] { return around_mass(volume, factor); });
  }
  input.parts.push_back(
      std::make_unique<GreyPixels>(ArraySize(volume.width, volume.height, volume.depth),
                                   std::vector<float>(volume.values.begin(), volume.values.end())));
}

Photograph read_photograph_of(const ImageFiles& files, std::size_t i, const PrepareSpec& spec,
                              LabelImage* labels, MemoryReservation& memory, FileDigest& digest,
                              StageLoad& load) {
  const ReadImage read = read_image(files, i, digest, load);
  return load.time(Stage::kDecode, [&] {
    Photograph photograph = read_photograph(read.bytes, files.name(i), request_of(spec, memory));
    if (labels != nullptr) {
      *labels = labels_of(read, files.name(i), photograph.file_width, photograph.file_height);
    }
    return photograph;
  });
}

Source photographs_of(const ImageFiles& files, const PrepareSpec& spec, PartRule parts) {
  if (parts == PartRule::kMasks && files.mask) {
    return labelled_source(
        {files.count, files.name,
         [spec, files](std::size_t i, LabelImage& labels, MemoryReservation& memory,
                       FileDigest& digest, StageLoad& load) {
           return read_photograph_of(files, i, spec, &labels, memory, digest, load);
         }},
        spec);
  }
  const PrepareSpec read = parts == PartRule::kEveryLeaf ? for_sheets(spec) : spec;
  Photographs photographs{
      files.count, files.name,
      [read, files](std::size_t i, MemoryReservation& memory, FileDigest& digest, StageLoad& load) {
        return read_photograph_of(files, i, read, nullptr, memory, digest, load);
      }};
  return parts == PartRule::kEveryLeaf ? sheet_source(std::move(photographs), spec, {})
                                       : leaf_source(std::move(photographs), spec);
}

/// Rows of another kind, projected.
class ProjectedRows : public RowKind<float> {
 public:
  ProjectedRows(std::shared_ptr<const RowKind<float>> rows, RowProjection projection)
      : rows_(std::move(rows)),
        projection_(std::make_shared<const RowProjection>(std::move(projection))) {}

  std::size_t columns() const override { return projection_->directions(); }
  std::size_t batch() const override { return rows_->batch(); }
  DeviceChoice device(const DeviceChoice& requested, std::string& reason) const override {
    return rows_->device(requested, reason);
  }
  std::unique_ptr<RowMaker<float>> make_maker(const PlanOptions& options) const override {
    return std::make_unique<Maker>(rows_->make_maker(options), projection_);
  }

 private:
  class Maker : public RowMaker<float> {
   public:
    Maker(std::unique_ptr<RowMaker<float>> maker, std::shared_ptr<const RowProjection> projection)
        : maker_(std::move(maker)), projection_(std::move(projection)) {}
    std::vector<float> rows(std::span<const Part* const> parts,
                            std::span<std::vector<std::string>> warnings,
                            StageLoad& load) override {
      const std::vector<float> rows = maker_->rows(parts, warnings, load);
      return load.time(Stage::kMoments, [&] { return projection_->apply(rows); });
    }

   private:
    std::unique_ptr<RowMaker<float>> maker_;
    std::shared_ptr<const RowProjection> projection_;
  };

  std::shared_ptr<const RowKind<float>> rows_;
  std::shared_ptr<const RowProjection> projection_;
};

FeatureLayout layout_of(const LeafConfig& config) {
  return feature_layout(config.features, config.features.order);
}

}  // namespace

void declare(Keys& keys, MomentRecipe& recipe) {
  MomentSpec& spec = recipe.spec;
  declare_family(keys, spec.family, spec.weight, /*volumes=*/true);
  keys.number("order", spec.order, {0, kMaxJacobiOrder}, "Highest order of the moments");
  keys.choice("method", spec.method, "How the moments are computed");
  keys.number("points", spec.points, {1, kMaxPointsASide}, "k of the k x k centres in a pixel");
  keys.text(
      "mask", spec.mask, std::string(has_mask(spec) ? name_of(mask_of(spec)) : "none"),
      [](const std::string& text) {
        return text == "none" ? std::optional<Mask>() : from_name<Mask>(text);
      },
      "Which pixels count");
  if (is_spherical(spec.family)) {
    keys.number("around_mass", recipe.around_mass, {0, 10}, "Factor of the ball; 0: the volume's");
  }
  keys.number("resize", recipe.resize, {0, kMaxSquareSide}, "Longer side; 0: unscaled");
  std::string convention(name_of(spec.convention.convention)),
      radius = radius_text(spec.convention), centre = centre_text(spec.convention);
  keys.key({"convention", &convention, "Of the moments"});
  keys.key({"centre", &centre, "Of the circle"});
  keys.key({"radius", &radius, "Of the circle"});
  keys.check("convention",
             [&] { spec.convention = convention_from_text(convention, centre, radius); });
}

ImageFiles files_at(std::size_t count, std::function<std::string(std::size_t)> path) {
  auto bytes = [path](std::size_t i) { return read_file(path(i)); };
  return {count, std::move(path), std::move(bytes)};
}

FileDigest digest_of(const ImageFiles& files, std::size_t i) {
  FileDigest digest;
  try {
    read_image(files, i, digest);
  } catch (const InputError&) {
  }
  return digest;
}

Recipe leaf_recipe(const LeafConfig& config, double source_aspect, PartRule parts) {
  if (parts != PartRule::kWhole) check_one_leaf_each(config.features.join);
  LeafConfig used = without_choice(config);
  PrepareSpec spec = preparation_for(used, source_aspect);
  spec.bits = used.data.bits;
  used.data.source_aspect = source_aspect;
  validate(spec);
  auto rows = std::make_shared<LeafRows>(used.features, used.features.order, spec.size);
  StoreHeader header;
  header.kind = "leaf";
  header.settings = to_yaml(used);
  header.convention = convention_name(used.features.family);
  header.columns = column_names(rows->layout());
  header.parts = parts;
  return {std::move(header), rows, [rows, spec, parts](const ImageFiles& files) {
            return rows->completed(photographs_of(files, spec, parts));
          }};
}

Recipe moment_recipe(const MomentRecipe& recipe, PartRule parts) {
  if (parts == PartRule::kEveryLeaf) throw UsageError("moments are not of every leaf of an image");
  validate(recipe.spec);
  const bool volumes = is_spherical(recipe.spec.family);
  if (volumes && (recipe.resize > 0 || parts != PartRule::kWhole)) {
    throw UsageError(std::string(family_name(recipe.spec.family)) +
                     " moments are those of whole volumes; leave out --resize and --masks");
  }
  if (!volumes && recipe.around_mass > 0.0) {
    throw UsageError("--around-mass is for volumes; use --family zernike-3d");
  }
  if (recipe.resize > 0) validate(recipe.spec, recipe.resize);
  StoreHeader header = header_of(recipe);
  header.parts = parts;
  return {std::move(header), std::make_shared<MomentRows<float>>(recipe.spec),
          [recipe, volumes](const ImageFiles& files) {
            if (volumes) {
              return Source{files.count, files.name,
                            [recipe, files](std::size_t i, Input& input, StageLoad& load) {
                              prepare_volume(files, i, recipe.around_mass, input, load);
                            }};
            }
            Source source{files.count, files.name,
                          [recipe, files](std::size_t i, Input& input, StageLoad& load) {
                            prepare_grey(files, i, recipe, input, load);
                          }};
            if (files.mask) {
              source.batch = 1;
              source.parts_fail_alone = true;
            }
            return source;
          }};
}

MomentRecipe parse_moment_recipe(const std::string& settings, const std::string& name) {
  MomentRecipe recipe;
  read_keys(Config::parse(settings, name), recipe);
  return recipe;
}

bool holds_volumes(const StoreHeader& header) {
  return header.kind == "moments" &&
         is_spherical(parse_moment_recipe(header.settings, kStore.facts).spec.family);
}

RowProjection projection_for(const StoreHeader& header, const LeafModel& model,
                             std::size_t directions) {
  if (header.kind != "leaf" || !header.projection.empty()) {
    throw UsageError(
        "only all columns of leaves, extracted with --config, are projected onto directions of a "
        "model");
  }
  const LeafConfig own = parse_leaf_config(header.settings, kStore.facts);
  if (own.preparation != model.config.preparation ||
      own.features.family != model.config.features.family ||
      !(own.features.weight == model.config.features.weight)) {
    throw UsageError(
        "the leaves are prepared or measured otherwise than those that the model was trained on; "
        "take the same configuration for both");
  }
  return {model.classifier.pipeline(), layout_of(own), directions};
}

Recipe projected(Recipe recipe, RowProjection projection) {
  recipe.header = projected(std::move(recipe.header), projection);
  recipe.rows = std::make_shared<ProjectedRows>(std::move(recipe.rows), std::move(projection));
  return recipe;
}

Recipe recipe_of(const StoreHeader& header, const std::filesystem::path& file) {
  try {
    if (header.kind == "moments") {
      return moment_recipe(parse_moment_recipe(header.settings, file.string()), header.parts);
    }
    const LeafConfig config = parse_leaf_config(header.settings, file.string());
    Recipe recipe = leaf_recipe(config, config.data.source_aspect, header.parts);
    if (header.projection.empty()) return recipe;
    return projected(std::move(recipe), RowProjection(header.projection, layout_of(config),
                                                      (file / kProjectionFile).string()));
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what());
  }
}

}  // namespace leafglyph
