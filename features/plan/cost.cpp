#include "features/plan/cost.h"

#include <numeric>

namespace leafglyph {

Cost cost_of(const TransformWork& work, std::string_view back_end, std::string_view algorithm,
             Way way, Precision precision) {
  const WorkTimes* found = nullptr;
  for (const WorkTimes& times : fitted_times()) {
    if (times.back_end != back_end || times.algorithm != algorithm || times.way != way) continue;
    if (times.precision == precision || found == nullptr) found = &times;
    if (times.precision == precision) break;
  }
  if (found == nullptr) return {};
  const auto sum = [](const WorkCounts& counts, const WorkCounts& times) {
    return std::inner_product(counts.begin(), counts.end(), times.begin(), 0.0);
  };
  return {sum(work.plan, found->plan), sum(work.image, found->image)};
}

}  // namespace leafglyph
