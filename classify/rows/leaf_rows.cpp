#include "classify/rows/leaf_rows.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "datasets/leaf/augmented_copy.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/leaf/segment_leaf.h"
#include "gpu/leaf/leaf_channels.h"

namespace leafglyph {
namespace {

// Leaves whose rows one thread computes at once: enough for a matrix product to pay off, few enough
// that every thread has some. Large leaves are limited by their bytes, channels included.
constexpr std::size_t kLeavesPerBatch = 16;
constexpr std::size_t kBytesPerBatch = std::size_t{64} << 20;

std::string constant_channels(const MadeChannels& made) {
  std::string names;
  for (const Channel channel : made.constant) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(channel));
  }
  return "constant, so that its features are 0: channel " + names;
}

class LeafRowMaker : public RowMaker<float> {
 public:
  LeafRowMaker(const FeatureSpec& features, const FeatureLayout& layout, const MomentSpec& spec,
               std::unique_ptr<Network> network, int size, PlanOptions options)
      : channels_(image_channels_of(features)),
        layout_(layout),
        network_(std::move(network)),
        size_(size) {
    if (channels_.empty()) return;
    options.precision = features.precision;
    plan_ = make_moment_plan(spec, size_, options);
    std::string reason;  // the plan reports it
    const std::vector<gpu::GpuDevice> gpus = select_gpus(options.device, reason);
    if (gpus.size() == 1) {
      gpu_channels_ = std::make_unique<gpu::LeafChannels>(channels_, size_, gpus.front());
    }
  }

  std::vector<float> rows(std::span<const Part* const> parts,
                          std::span<std::vector<std::string>> warnings, StageLoad& load) override {
    std::vector<const PreparedLeaf*> leaves;
    for (const Part* part : parts) leaves.push_back(&leaf_of(*part));
    std::vector<MadeChannels> made;
    std::vector<std::vector<float>> others(leaves.size());
    const ImageBatch images = load.time(Stage::kChannels, [&] {
      const ImageBatch channels = channel_images(leaves, made);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        warnings[i] = leaves[i]->warnings;
        if (!made[i].constant.empty()) warnings[i].push_back(constant_channels(made[i]));
        others[i] = other_columns(static_cast<const LeafPart&>(*parts[i]), made[i]);
      }
      return channels;
    });
    return load.time(Stage::kMoments, [&] { return joined(images, others); });
  }

 private:
  ImageBatch channel_images(std::span<const PreparedLeaf* const> leaves,
                            std::vector<MadeChannels>& made) {
    if (gpu_channels_) return gpu_channels_->compute(leaves, made);
    const std::size_t pixels = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
    images_.resize(leaves.size() * channels_.size() * pixels);
    made.resize(leaves.size());
    parallel_for(leaves.size(), [&](std::size_t leaf) {
      made[leaf] = compute_channels(
          *leaves[leaf], channels_,
          std::span(images_).subspan(leaf * channels_.size() * pixels, channels_.size() * pixels));
    });
    return {std::span<const float>(images_), leaves.size() * channels_.size(), size_};
  }

  // The columns of a leaf behind its moments.
  std::vector<float> other_columns(const LeafPart& part, const MadeChannels& made) const {
    const PreparedLeaf& leaf = part.leaf;
    std::vector<float> values;
    const auto add = [&](const auto& more) {
      values.insert(values.end(), more.begin(), more.end());
    };
    for (const ColumnGroup& group : layout_.groups) {
      if (group.kind == ColumnKind::kHistogram) {
        if (leaf.curvature.empty()) {
          throw UsageError("the leaf was prepared without the curvature that its features need");
        }
        add(leaf.curvature);
      } else if (group.name == kMeasuresGroup) {
        add(measure_columns(leaf, made.mean_gradient));
      } else if (group.name == kColourMeasuresGroup) {
        add(colour_measure_columns(leaf));
      } else if (group.kind == ColumnKind::kNetwork) {
        if (leaf.picture.empty()) {
          throw UsageError("the leaf was prepared without the picture that its network needs");
        }
        add(network_->values(leaf.picture));
      } else if (group.kind == ColumnKind::kJoined) {
        if (part.joined.size() != group.columns.size()) {
          throw UsageError("the leaf was prepared without the columns of its table");
        }
        add(part.joined);
      }
    }
    return values;
  }

  // Rows with the magnitudes of each leaf's channels, followed by its other columns.
  std::vector<float> joined(const ImageBatch& images, std::span<const std::vector<float>> others) {
    const std::size_t width = layout_.start(channels_.size());
    magnitudes_.resize(others.size() * width);
    if (plan_) plan_->magnitudes(images, magnitudes_);
    std::vector<float> rows;
    rows.reserve(others.size() * layout_.columns());
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto part = std::span(magnitudes_).subspan(i * width, width);
      rows.insert(rows.end(), part.begin(), part.end());
      rows.insert(rows.end(), others[i].begin(), others[i].end());
    }
    return rows;
  }

  std::vector<Channel> channels_;
  FeatureLayout layout_;
  std::unique_ptr<Network> network_;  // none when there is none among the features
  int size_;
  std::unique_ptr<MomentPlan> plan_;  // none when there is no channel
  std::unique_ptr<gpu::LeafChannels> gpu_channels_;
  std::vector<float> images_;  // channel images of a batch, when they are not on a GPU
  std::vector<float> magnitudes_;
};

using AddParts = std::function<void(const Photograph&, const std::string& name, Input&)>;

Source photograph_source(Photographs photographs, const PrepareSpec& spec, AddParts add_parts) {
  validate(spec);
  Source source;
  source.count = photographs.count;
  source.name = photographs.name;
  source.prepare = [photographs = std::move(photographs), add_parts = std::move(add_parts)](
                       std::size_t i, Input& input, StageLoad& load) {
    MemoryReservation memory;
    const Photograph photograph = photographs.take(i, memory, input.digest, load);
    load.time(Stage::kPrepare, [&] { add_parts(photograph, photographs.name(i), input); });
  };
  return source;
}

}  // namespace

PartPlace LeafPart::place() const { return {number, leaf.box, leaf.area, leaf.state, leaf.reason}; }

void LeafPart::drop_pixels() {
  leaf.grey = {};
  leaf.mask = {};
  leaf.picture = {};
  leaf.colours.reset();
}

Photographs photographs_in(std::span<const std::string> files, const PrepareSpec& spec) {
  return {files.size(), [files](std::size_t i) { return files[i]; },
          [files, spec](std::size_t i, MemoryReservation& memory, FileDigest&, StageLoad& load) {
            return load.time(Stage::kDecode,
                             [&] { return read_photograph(files[i], request_of(spec, memory)); });
          }};
}

Source leaf_source(Photographs photographs, const PrepareSpec& spec) {
  return photograph_source(
      std::move(photographs), spec,
      [spec](const Photograph& photograph, const std::string& name, Input& input) {
        input.parts.push_back(std::make_unique<LeafPart>(prepare_leaf(photograph, name, spec)));
      });
}

Source sheet_source(Photographs photographs, const PrepareSpec& spec, const SheetOptions& options) {
  Source source = photograph_source(
      std::move(photographs), spec,
      [spec, options](const Photograph& photograph, const std::string& name, Input& input) {
        std::vector<PreparedLeaf> parts = prepare_leaves(photograph, name, spec);
        std::vector<NumberedBox> boxes;
        for (PreparedLeaf& found : parts) {
          if (parts.size() > 1) {
            found.measures.area_share = options.area_share.value_or(found.measures.area_share);
          }
          auto part = std::make_unique<SheetPart>(std::move(found));
          part->number = static_cast<int>(input.parts.size()) + 1;
          if (options.pictures && part->has_row()) {
            part->picture = small_picture(photograph, part->leaf.box, kSheetLeafSide);
            boxes.push_back({part->number, part->leaf.box});
          }
          input.parts.push_back(std::move(part));
        }
        if (!options.pictures) return;
        static_cast<SheetPart&>(*input.parts.front()).numbered =
            numbered_picture(photograph, boxes, kSheetSide);
      });
  source.batch = 1;
  return source;
}

Source labelled_source(LabelledPhotographs photographs, const PrepareSpec& spec) {
  validate(spec);
  Source source;
  source.count = photographs.count;
  source.name = photographs.name;
  source.prepare = [photographs = std::move(photographs), spec](std::size_t i, Input& input,
                                                                StageLoad& load) {
    MemoryReservation memory;
    LabelImage labels;
    const Photograph photograph = photographs.take(i, labels, memory, input.digest, load);
    load.time(Stage::kPrepare, [&] {
      std::vector<PreparedLeaf> leaves =
          prepare_labelled(photograph, photographs.name(i), labels, spec);
      for (std::size_t r = 0; r < leaves.size(); ++r) {
        auto part = std::make_unique<LeafPart>(std::move(leaves[r]));
        part->number = labels.regions[r].label;
        input.parts.push_back(std::move(part));
      }
    });
  };
  source.batch = 1;
  source.parts_fail_alone = true;
  return source;
}

Source sample_source(const LeafDataset& dataset, std::span<const std::size_t> samples,
                     const PrepareSpec& spec) {
  return leaf_source(
      {samples.size(),
       [&dataset, samples](std::size_t i) { return sample_name(dataset, samples[i]); },
       [&dataset, samples, spec](std::size_t i, MemoryReservation& memory, FileDigest&,
                                 StageLoad& load) {
         const LeafSample& leaf = dataset.samples.at(samples[i]);
         return load.time(Stage::kDecode, [&] {
           PhotographRequest request = request_of(spec, memory);
           request.bits = dataset.bits;
           if (!leaf.file.empty()) return read_photograph(leaf.file, request);
           return drawn_photograph(dataset, leaf);
         });
       }},
      spec);
}

Source augmented_source(const LeafDataset& dataset, std::span<const std::size_t> samples,
                        const PrepareSpec& spec) {
  PrepareSpec stretched = spec;
  stretched.source_aspect = 0;
  PrepareSpec shape = stretched;
  shape.colours = LeafColour::kNone;  // only the mask is needed
  return leaf_source(
      {samples.size(),
       [&dataset, samples](std::size_t i) { return sample_name(dataset, samples[i]); },
       [&dataset, samples, spec, shape](std::size_t i, MemoryReservation&, FileDigest&,
                                        StageLoad& load) {
         const std::size_t sample = samples[i];
         const Photograph photograph = load.time(Stage::kDecode, [&] {
           return sample_photograph(dataset, sample, spec.source_aspect);
         });
         return load.time(Stage::kPrepare, [&] {
           const LeafRegion leaf = segment_leaf(photograph, sample_name(dataset, sample), shape);
           Photograph augmented = augmented_copy(photograph, leaf.mask, sample);
           if (spec.colours == LeafColour::kNone) return augmented;
           return in_other_light(augmented, leaf.mask, sample);
         });
       }},
      stretched);
}

LeafRows::LeafRows(FeatureSpec features, int order, int size)
    : features_(std::move(features)), layout_(feature_layout(features_, order)), size_(size) {
  if (features_.network.is_used()) network_ = read_network(features_.network);
  if (features_.join.is_used()) joined_ = std::make_shared<JoinedTable>(features_.join);
}

Source LeafRows::completed(Source source) const {
  if (!joined_) return source;
  source.prepare = [joined = joined_, name = source.name, prepare = std::move(source.prepare)](
                       std::size_t i, Input& input, StageLoad& load) {
    const std::span<const float> columns = joined->row(name(i));
    prepare(i, input, load);
    for (const std::unique_ptr<Part>& part : input.parts) {
      static_cast<LeafPart&>(*part).joined.assign(columns.begin(), columns.end());
    }
  };
  return source;
}

std::size_t LeafRows::batch() const {
  const std::size_t pixels = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
  const std::size_t leaf_bytes = pixels * (image_channels_of(features_).size() * sizeof(float) +
                                           sizeof(float) + sizeof(std::uint8_t));
  return std::clamp<std::size_t>(kBytesPerBatch / leaf_bytes, 1, kLeavesPerBatch);
}

// Nanoseconds of a thread from which a row's moments are worth a GPU. By the rates in gpu/README.md
// the cores alone make rows of one channel of order 30, 256 x 256 pixels, up to half again as fast,
// and a GPU gains as much with rows of eight of them: by their costs 2.5e4 and 2e5.
constexpr double kLeastGpuWork = 5e4;

DeviceChoice LeafRows::device(const DeviceChoice& requested, std::string& reason) const {
  reason.clear();
  if (requested.kind != DeviceChoice::Kind::kAuto) return requested;
  const auto channels = static_cast<double>(image_channels_of(features_).size());
  PlanOptions many = for_many_images();
  many.precision = features_.precision;
  if (channels > 0 && channels * cpu_cost(moments(), size_, many).image >= kLeastGpuWork) {
    return requested;
  }
  reason =
      "rows of few moments stay on the CPU, which makes them faster than it hands leaves to a GPU";
  return {DeviceChoice::Kind::kCpu, 0};
}

MomentSpec LeafRows::moments() const {
  MomentSpec spec;
  spec.family = features_.family;
  spec.weight = features_.weight;
  spec.order = layout_.order;
  return spec;
}

std::unique_ptr<RowMaker<float>> LeafRows::make_maker(const PlanOptions& options) const {
  std::unique_ptr<Network> network;
  if (features_.network.is_used()) network = open_network(network_, features_.network);
  return std::make_unique<LeafRowMaker>(features_, layout_, moments(), std::move(network), size_,
                                        options);
}

}  // namespace leafglyph
