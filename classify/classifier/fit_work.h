// How far the fit of a classifier is, in operations: those of its steps as classify/plda.md has
// them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace leafglyph {

/// The work of a fit with Projection::kPlda. Its steps are called when they are done, from any
/// thread.
class FitWork {
 public:
  /// Receives the share that is done, 0 to 1, never less than before and by one thread at a time.
  /// What it throws ends the fit.
  using Listener = std::function<void(double)>;

  struct Size {
    std::size_t rows = 0, classes = 0, columns = 0, splits = 0;
    std::size_t judged = 0;  ///< rows left out by folds; as many are left out with their class
    bool sums_known = false;
  };
  FitWork() = default;  ///< nobody listens
  FitWork(const Size& size, Listener listener);

  void summed(std::size_t rows) const;
  void taken_off(std::size_t rows) const;  ///< from the sums of all splits that test them
  void fitted() const;                     ///< to all rows, or to those of a split
  void judged(std::size_t rows) const;     ///< compared with the test rows of every split
  void indexed(std::size_t rows) const;

 private:
  struct State;
  void add(double operations) const;
  std::shared_ptr<State> state_;
};

}  // namespace leafglyph
