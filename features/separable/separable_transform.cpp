#include "features/separable/separable_transform.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"
#include "features/separable/recurrence_moments.h"
#include "features/separable/separable_image.h"
#include "features/separable/table_moments.h"

namespace leafglyph {
namespace {

// Larger tables would be read from memory for every few images, which takes longer than computing
// the polynomials.
constexpr double kMostTableBytes = 64.0 * 1024 * 1024;

void check_memory_kind(const ImageBatch& images) {
  if (images.memory == MemoryKind::kHost) return;
  throw UsageError("the batch is in GPU memory, but the plan runs on the CPU");
}

std::string description(const MomentSpec& spec, const std::string& transform) {
  return "CPU, " + describe(spec) + ", separable transform" + transform + ", " +
         std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
}

// Moments with polynomials from tables, which many images share.
template <class T>
class TableForward final : public ForwardTransform, private TransformShape {
 public:
  TableForward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size), moments_(disk_rule(spec, image_size)) {}

  std::string describe() const override {
    return description(spec(),
                       sizeof(T) == sizeof(float) ? ", tables in float" : ", tables in double");
  }
  bool reads_rows_apart() const override { return true; }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    check_memory_kind(images);
    moments_.moments(images, moments);
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    check_memory_kind(images);
    moments_.magnitudes(images, magnitudes);
  }

 private:
  TableMoments<T> moments_;
};

// Moments with polynomials from recurrences.
class RecurrenceForward final : public ForwardTransform, private TransformShape {
 public:
  RecurrenceForward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size), moments_(disk_rule(spec, image_size)) {}

  std::string describe() const override { return description(spec(), ", recurrences in double"); }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    stream(images, [&](std::size_t b, std::span<const std::complex<double>> values) {
      std::ranges::copy(values, moments.begin() + static_cast<std::ptrdiff_t>(b * values.size()));
    });
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    stream(images, [&](std::size_t b, std::span<const std::complex<double>> values) {
      float* row = magnitudes.data() + b * values.size();
      for (std::size_t c = 0; c < values.size(); ++c) {
        row[c] = static_cast<float>(std::abs(values[c]));
      }
    });
  }

 private:
  // Calls use(image number, its moments). If there are enough images, each runs on one thread;
  // otherwise one after another on all threads.
  template <class Use>
  void stream(const ImageBatch& images, const Use& use) {
    check_memory_kind(images);
    const auto threads = static_cast<std::size_t>(thread_count());
    // Within an image, threads wait for each other after each of its steps.
    if (images.count < threads || threads == 1) {
      std::vector<std::complex<double>> moments(moment_count());
      for (std::size_t b = 0; b < images.count; ++b) {
        moments_.moments(images.slice(b, 1), moments, workspace_);
        use(b, moments);
      }
      return;
    }
    parallel_for_with_scratch({images.count}, [&]() -> RoundJob {
      return [&, work = RecurrenceMoments::Workspace(),
              moments = std::vector<std::complex<double>>(moment_count())](std::size_t b) mutable {
        moments_.moments(images.slice(b, 1), moments, work);
        use(b, moments);
      };
    });
  }

  RecurrenceMoments moments_;
  RecurrenceMoments::Workspace workspace_;
};

class SeparableBackward final : public BackwardTransform, private TransformShape {
 public:
  SeparableBackward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size), image_(image_rule(spec, image_size)) {}

  std::string describe() const override { return description(spec(), " in double"); }

  void compute_image(std::span<const std::complex<double>> weighted, int /*last_order*/,
                     std::span<double> image) override {
    std::fill(image.begin(), image.end(), 0.0);
    image_.image(weighted, image);
  }

 private:
  SeparableImage image_;
};

double table_bytes(const PlanRequest& request, const DiskLines& lines) {
  return request.precision == Precision::kFloat ? TableMoments<float>::bytes(lines)
                                                : TableMoments<double>::bytes(lines);
}
double table_bytes(const PlanRequest& request) {
  return table_bytes(request, DiskLines(disk_rule(request.spec, request.image_size())));
}

bool has_tables(const PlanRequest& request) {
  return is_separable(request) && table_bytes(request) <= kMostTableBytes;
}

// The places of all lines.
double places_of(const DiskLines& lines) {
  double places = 0.0;
  for (const DiskLine& line : lines.lines()) {
    places += static_cast<double>(line.places - line.first);
  }
  return places;
}

// The tables take the polynomials along and across the lines, and the rotations of every degree. An
// image takes its pixels and the products with the tables, which are read once for the images of a
// tile.
TransformWork table_work(const PlanRequest& request) {
  constexpr std::size_t kImagesOfATile = 48;  // kTableImages of table_moments.cpp
  const DiskLines lines(disk_rule(request.spec, request.image_size()));
  const double terms = request.spec.order + 1.0;
  const double bytes = table_bytes(request, lines);
  return {
      {1.0, places_of(lines) * terms, static_cast<double>(lines.lines().size()) * terms * terms / 2,
       std::pow(terms, 4) / 64},
      {1.0, static_cast<double>(request.size.elements()), bytes / scalar_bytes(request.precision),
       bytes * request.share(kImagesOfATile), terms * terms / 4}};
}

// The tables take the layout's lines, nodes and weights, and the rotations of every degree. An
// image takes its pixels, its places and their polynomials in blocks, the sums across the nodes,
// and the rotations.
TransformWork recurrence_work(const LineLayout& layout) {
  const double pixels = std::pow(layout.lines.rule().size, 2.0);
  const double terms = layout.lines.rule().order + 1.0;
  const auto padded = static_cast<double>(padded_to_block(static_cast<std::size_t>(terms)));
  const auto nodes = static_cast<double>(layout.nodes.nodes().size());
  const auto weights = static_cast<double>(layout.nodes.weights());
  const auto lines = static_cast<double>(layout.lines.lines().size());
  const double places = places_of(layout.lines);
  return {{1.0, places, weights, nodes * terms, terms * terms, lines},
          {1.0, pixels, places, places * padded, weights * padded + nodes * padded * terms / 2,
           terms * terms, terms * terms * terms}};
}

std::shared_ptr<ForwardTransform> make_tables(const PlanRequest& request) {
  if (request.precision == Precision::kFloat) {
    return std::make_shared<TableForward<float>>(request.spec, request.image_size());
  }
  return std::make_shared<TableForward<double>>(request.spec, request.image_size());
}

}  // namespace

std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size) {
  return std::make_shared<RecurrenceForward>(spec, image_size);
}

std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size) {
  return std::make_shared<SeparableBackward>(spec, image_size);
}

bool is_separable(const PlanRequest& request) {
  return has_separable_images(request) && request.spec.method != Method::kAdaptive;
}

bool has_separable_images(const PlanRequest& request) {
  return request.spec.family == Family::kZernike && is_inscribed_textbook(request.spec.convention);
}

double separable_tables_bytes(const PlanRequest& request) {
  return RecurrenceTables::bytes(LineLayout(disk_rule(request.spec, request.image_size()), true));
}

TransformWork separable_moments_work(const PlanRequest& request) {
  return recurrence_work(LineLayout(disk_rule(request.spec, request.image_size()), true));
}

TransformWork separable_images_work(const PlanRequest& request) {
  return recurrence_work(
      LineLayout(centres_of(image_rule(request.spec, request.image_size())), false));
}

double separable_images_bytes(const PlanRequest& request) {
  return SeparableImage::bytes(image_rule(request.spec, request.image_size()));
}

constinit const CpuAlgorithm kSeparableTables = {
    .name = "separable-tables",
    .moments = {.supports = has_tables,
                .make = make_tables,
                .bytes = table_bytes,
                .work = table_work},
};

constinit const CpuAlgorithm kSeparable = {
    .name = "separable",
    .moments = {.supports = is_separable,
                .make =
                    [](const PlanRequest& request) {
                      return make_separable_forward(request.spec, request.image_size());
                    },
                .bytes =
                    [](const PlanRequest& request) {
                      return RecurrenceMoments::bytes(
                          disk_rule(request.spec, request.image_size()));
                    },
                .work = separable_moments_work},
    .images = {.supports = has_separable_images,
               .make =
                   [](const PlanRequest& request) {
                     return make_separable_backward(request.spec, request.image_size());
                   },
               .bytes = separable_images_bytes,
               .work = separable_images_work},
};

}  // namespace leafglyph
