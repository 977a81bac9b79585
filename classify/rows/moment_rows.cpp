#include "classify/rows/moment_rows.h"

#include <algorithm>
#include <type_traits>

#include "features/base/errors.h"
#include "features/moments/ball_moments.h"

namespace leafglyph {
namespace {

// A maker keeps plans for this many image sizes; images of one list mostly share sizes.
constexpr std::size_t kSizesKept = 4;

// The numbers of a row.
std::size_t row_width(const MomentSpec& spec, bool magnitudes) {
  return magnitudes && is_spherical(spec.family) ? ball_norm_count(spec.order)
                                                 : moment_count(spec.family, spec.order);
}

template <class Value>
class MomentRowMaker : public RowMaker<Value> {
  static constexpr bool kMagnitudes = std::is_same_v<Value, float>;
  using Pixel = std::conditional_t<kMagnitudes, float, double>;

 public:
  MomentRowMaker(const MomentSpec& spec, const PlanOptions& options)
      : spec_(spec), options_(options) {}

  std::vector<Value> rows(std::span<const Part* const> parts, std::span<std::vector<std::string>>,
                          StageLoad& load) override {
    return load.time(Stage::kMoments, [&] {
      std::vector<Value> rows;
      for (std::size_t first = 0; first < parts.size();) {
        const ArraySize& size = of(parts[first]).size;
        std::size_t last = first + 1;
        while (last < parts.size() && PixelPart<Pixel>::is_small(size) &&
               of(parts[last]).size == size) {
          ++last;
        }
        add_rows(parts.subspan(first, last - first), rows);
        first = last;
      }
      return rows;
    });
  }

 private:
  static const PixelPart<Pixel>& of(const Part* part) {
    return *static_cast<const PixelPart<Pixel>*>(part);
  }

  // An image that is too small or too large for the moments of all says nothing about the others.
  void check_size(const ArraySize& size) const {
    try {
      validate(spec_, size);
    } catch (const UsageError& error) {
      throw InputError(error.what());
    }
  }

  MomentPlan& plan_of(const ArraySize& size) {
    for (auto& plan : kept_) {
      if (plan->size() == size) return *plan;
    }
    check_size(size);
    if (kept_.size() == kSizesKept) kept_.erase(kept_.begin());
    return *kept_.emplace_back(make_moment_plan(spec_, size, options_));
  }

  // All images have the same size.
  void add_rows(std::span<const Part* const> parts, std::vector<Value>& rows) {
    MomentPlan& plan = plan_of(of(parts[0]).size);
    std::span<const Pixel> pixels = of(parts[0]).pixels;
    if (parts.size() > 1) {
      pixels_.clear();
      for (const Part* part : parts) {
        pixels_.insert(pixels_.end(), of(part).pixels.begin(), of(part).pixels.end());
      }
      pixels = pixels_;
    }
    const ImageBatch images(pixels, parts.size(), plan.size());
    const std::size_t before = rows.size();
    rows.resize(before + parts.size() * row_width(spec_, kMagnitudes));
    const auto added = std::span(rows).subspan(before);
    if constexpr (!kMagnitudes) {
      plan.moments(images, added);
    } else if (is_spherical(spec_.family)) {
      add_norms(plan, images, added);
    } else {
      plan.magnitudes(images, added);
    }
  }

  void add_norms(MomentPlan& plan, const ImageBatch& volumes, std::span<float> out) {
    std::vector<std::complex<double>> moments(volumes.count * plan.moment_count());
    std::vector<double> norms(out.size());
    plan.moments(volumes, moments);
    ball_norms(spec_.order, moments, norms);
    std::transform(norms.begin(), norms.end(), out.begin(),
                   [](double norm) { return static_cast<float>(norm); });
  }

  MomentSpec spec_;
  PlanOptions options_;
  std::vector<std::unique_ptr<MomentPlan>> kept_;
  std::vector<Pixel> pixels_;
};

}  // namespace

template <class Value>
MomentRows<Value>::MomentRows(const MomentSpec& spec, std::size_t batch)
    : spec_(spec), columns_(row_width(spec, std::is_same_v<Value, float>)), batch_(batch) {}

template <class Value>
DeviceChoice MomentRows<Value>::device(const DeviceChoice& requested, std::string& reason) const {
  reason.clear();  // a plan reports it
  return plan_device(spec_, requested);
}

template <class Value>
std::unique_ptr<RowMaker<Value>> MomentRows<Value>::make_maker(const PlanOptions& options) const {
  return std::make_unique<MomentRowMaker<Value>>(spec_, options);
}

template class MomentRows<float>;
template class MomentRows<std::complex<double>>;

}  // namespace leafglyph
