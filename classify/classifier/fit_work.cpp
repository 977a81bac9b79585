#include "classify/classifier/fit_work.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "classify/nearest/probed_index.h"

namespace leafglyph {
namespace {

// About as many directions are kept of many classes, and that many classes has the prior.
constexpr double kDirections = 240, kOfPrior = 37;

}  // namespace

struct FitWork::State {
  Listener listener;
  double sum = 0, take_off = 0, judge = 0, index = 0;  // operations for a row
  double fit = 0;                                      // for one fit
  double all = 0, done = 0;
  std::mutex mutex = {};
};

FitWork::FitWork(const Size& size, Listener listener) {
  if (!listener) return;
  const auto n = static_cast<double>(size.rows), c = static_cast<double>(size.columns);
  const auto classes = static_cast<double>(std::max<std::size_t>(1, size.classes));
  const auto splits = static_cast<double>(size.splits);
  const double r = std::min(classes + kOfPrior, c), p = std::min(kDirections, r);
  const double searched =
      size.classes > kSearchedClasses ? static_cast<double>(kProbedClasses) / classes : 1;
  state_ = std::make_shared<State>();
  state_->listener = std::move(listener);
  state_->sum = size.sums_known ? 0 : 2 * c * c;  // in double, which takes twice as long
  state_->take_off = size.splits == 0 ? 0 : 2 * c * c;
  // Eigenvectors take some ten times as long as products of as many operations.
  const double eigen = 10 * 4 * r * r * r / 3;
  state_->fit = r < c ? c * c * c / 3 + c * c * (r + p) + c * r * (r + 2 * p) + eigen
                      : c * c * (classes + p + 4 * c / 3) + eigen;
  state_->judge = splits * 2 * c * p + 3.2 * static_cast<double>(size.judged) * p * searched;
  state_->index = 2 * c * p;
  state_->all = n * (state_->sum + state_->take_off + state_->index) + (splits + 1) * state_->fit +
                (size.splits == 0 ? 0 : n * state_->judge);
}

void FitWork::summed(std::size_t rows) const {
  if (state_) add(static_cast<double>(rows) * state_->sum);
}
void FitWork::taken_off(std::size_t rows) const {
  if (state_) add(static_cast<double>(rows) * state_->take_off);
}
void FitWork::fitted() const {
  if (state_) add(state_->fit);
}
void FitWork::judged(std::size_t rows) const {
  if (state_) add(static_cast<double>(rows) * state_->judge);
}
void FitWork::indexed(std::size_t rows) const {
  if (state_) add(static_cast<double>(rows) * state_->index);
}

void FitWork::add(double operations) const {
  const std::lock_guard lock(state_->mutex);
  state_->done += operations;
  state_->listener(std::min(1.0, state_->done / state_->all));
}

}  // namespace leafglyph
