#include "classify/serve/body_budget.h"

#include <algorithm>

#include "classify/serve/http_message.h"
#include "features/base/memory.h"

namespace leafglyph {

std::size_t BodyBudget::share_of_memory(std::size_t largest) {
  constexpr std::size_t kPart = 4;  // the rest is for images and models
  return std::max(available_memory_bytes() / kPart, largest);
}

BodyBudget::Share::Share(BodyBudget& budget, std::size_t bytes) : budget_(budget), bytes_(bytes) {
  const std::lock_guard lock(budget_.mutex_);
  if (bytes > budget_.left_) throw BusyError();
  budget_.left_ -= bytes;
}

BodyBudget::Share::~Share() {
  const std::lock_guard lock(budget_.mutex_);
  budget_.left_ += bytes_;
}

}  // namespace leafglyph
