// The training leaves of a model: in memory after the training, else in the model's folder, of
// which only those are read that something asks for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "classify/classifier/predictions.h"
#include "classify/table/feature_table.h"

namespace leafglyph {

/// One value per leaf, such as its name. Reading throws FormatError when the file is damaged.
template <class T>
class LeafValues {
 public:
  LeafValues(std::vector<T> values)  // NOLINT: values of a training are those of its model
      : held_(std::move(values)), size_(held_.size()) {}
  LeafValues(std::size_t size, std::function<T(std::size_t)> read)
      : size_(size), read_(std::move(read)) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T operator[](std::size_t leaf) const { return read_ ? read_(leaf) : held_[leaf]; }
  std::vector<T> all() const {
    if (!read_) return held_;
    std::vector<T> values;
    values.reserve(size_);
    for (std::size_t leaf = 0; leaf < size_; ++leaf) values.push_back(read_(leaf));
    return values;
  }
  friend bool operator==(const LeafValues& a, const LeafValues& b) { return a.all() == b.all(); }

 private:
  std::vector<T> held_;
  std::size_t size_;
  std::function<T(std::size_t)> read_;
};

/// The feature rows, from which a model is trained again.
class TrainingRows {
 public:
  TrainingRows(FeatureTable table)  // NOLINT: as LeafValues
      : state_(std::make_shared<State>()) {
    state_->layout = table.layout;
    state_->log_area = mean_log_area(table);
    state_->table = std::move(table);
  }
  /// `log_area` is mean_log_area() of what `read` gives.
  TrainingRows(FeatureLayout layout, std::optional<double> log_area,
               std::function<FeatureTable()> read)
      : state_(std::make_shared<State>()) {
    state_->layout = std::move(layout);
    state_->log_area = log_area;
    state_->read = std::move(read);
  }

  /// Rows that are not there: those of a model that was made to be given away. Its table has only
  /// the prior.
  static TrainingRows withheld(FeatureLayout layout, std::optional<double> log_area,
                               std::shared_ptr<const RowPrior> prior) {
    FeatureTable table{layout, {}, {}, std::move(prior)};
    TrainingRows rows(std::move(layout), log_area, [table] { return table; });
    rows.state_->withheld = true;
    return rows;
  }
  bool are_withheld() const { return state_->withheld; }

  const FeatureLayout& layout() const { return state_->layout; }
  const std::optional<double>& log_area() const { return state_->log_area; }
  /// The rows, with their augmented copies and prior. They are read once, and kept.
  const FeatureTable& table() const {
    std::call_once(state_->is_read, [this] {
      if (state_->read) state_->table = state_->read();
    });
    return state_->table;
  }
  /// The rows, which are gone from here then.
  FeatureTable take() && {
    table();
    return std::move(state_->table);
  }

 private:
  struct State {
    FeatureLayout layout;
    std::optional<double> log_area;
    std::function<FeatureTable()> read;
    std::once_flag is_read;
    FeatureTable table;
    bool withheld = false;
  };
  std::shared_ptr<State> state_;
};

}  // namespace leafglyph
