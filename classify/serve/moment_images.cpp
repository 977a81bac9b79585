#include "classify/serve/moment_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <span>
#include <utility>
#include <variant>

#include "classify/http/page_limits.h"
#include "features/base/errors.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {
namespace {

constexpr std::size_t kMostPlans = 6;    // each has tables of a few MB
constexpr std::size_t kMostImages = 16;  // half a MB each

// The element for which `same` holds, after moving it to the front; an empty pointer if there is
// none.
template <class T, class Same>
std::shared_ptr<T> found_last(std::list<std::shared_ptr<T>>& list, const Same& same) {
  const auto found = std::ranges::find_if(list, same);
  if (found == list.end()) return nullptr;
  list.splice(list.begin(), list, found);
  return list.front();
}

template <class T>
void remember(std::list<std::shared_ptr<T>>& list, std::shared_ptr<T> element, std::size_t most) {
  list.push_front(std::move(element));
  if (list.size() > most) list.pop_back();
}

}  // namespace

MomentImage moment_image(std::string_view bytes, const std::string& name) {
  SampleImage image = decode_picture(bytes, name, kMomentImageSide, /*grey=*/true);
  auto& samples = std::get<std::vector<std::uint8_t>>(image.samples);
  cv::Mat grey(image.height, image.width, CV_8U, samples.data());
  const int longest = std::max(image.width, image.height);
  if (longest > kMomentImageSide) {
    const double scale = static_cast<double>(kMomentImageSide) / longest;
    const auto side = [&](int length) {
      return std::max(1, static_cast<int>(std::lround(scale * length)));
    };
    cv::resize(grey, grey, cv::Size(side(image.width), side(image.height)), 0, 0, cv::INTER_AREA);
  }
  MomentImage result{grey.cols, grey.rows, std::max(grey.cols, grey.rows), {}};
  result.pixels.resize(static_cast<std::size_t>(result.size) * result.size);
  const int left = (result.size - grey.cols) / 2, top = (result.size - grey.rows) / 2;
  for (int row = 0; row < grey.rows; ++row) {
    std::copy_n(
        grey.ptr<std::uint8_t>(row), grey.cols,
        result.pixels.begin() + static_cast<std::ptrdiff_t>(top + row) * result.size + left);
  }
  return result;
}

std::shared_ptr<MomentImages::SharedPlan> MomentImages::plan_for(const WeightedFamily& family,
                                                                 int size) {
  const std::lock_guard lock(mutex_);
  auto known = found_last(plans_, [&](const std::shared_ptr<SharedPlan>& plan) {
    return plan->family == family && plan->size == size;
  });
  if (known) return known;
  auto made = std::make_shared<SharedPlan>();
  made->family = family;
  made->size = size;
  MomentSpec spec;
  spec.family = family.family;
  spec.weight = family.weight;
  spec.order = kMaxServedOrder;
  spec.method = default_method(family.family);
  PlanOptions options = options_;
  options.images = 1;  // a person looks at one picture after another
  made->plan = make_moment_plan(spec, size, options);
  remember(plans_, made, kMostPlans);
  return made;
}

std::shared_ptr<const MomentImages::Measured> MomentImages::measured(
    const MomentImage& image, const std::shared_ptr<SharedPlan>& plan) {
  {
    const std::lock_guard lock(mutex_);
    auto known = found_last(measured_, [&](const std::shared_ptr<const Measured>& element) {
      return element->plan == plan && element->pixels == image.pixels;
    });
    if (known) return known;
  }
  const auto made = std::make_shared<Measured>();
  made->plan = plan;
  made->pixels = image.pixels;
  made->moments.resize(plan->plan->moment_count());
  plan->plan->moments({std::span<const double>(made->pixels), 1, image.size}, made->moments);
  const std::lock_guard lock(mutex_);
  remember<const Measured>(measured_, made, kMostImages);
  return made;
}

Reconstruction MomentImages::reconstruct(const MomentImage& image, const WeightedFamily& family,
                                         int order) {
  if (order < family.family.row().lowest_order || order > kMaxServedOrder) {
    throw UsageError(fmt::format("order {} is not one of {} to {}", order,
                                 family.family.row().lowest_order, kMaxServedOrder));
  }
  const std::shared_ptr<SharedPlan> shared = plan_for(family, image.size);
  const std::lock_guard lock(shared->mutex);
  const std::shared_ptr<const Measured> found = measured(image, shared);
  Reconstruction result;
  result.moments = moment_count_to(shared->plan->spec(), shared->plan->size(), order);
  result.pixels.resize(image.pixels.size());
  shared->plan->reconstruct(found->moments, {0, order, Repetitions::kAll}, result.pixels);
  result.error = image_error(image.pixels, result.pixels, shared->plan->mask());
  return result;
}

}  // namespace leafglyph
