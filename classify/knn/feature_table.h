// Rows of features and what their columns are.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/moments/moment_spec.h"

namespace leafglyph {

/// The columns of a feature row: for each channel in turn the magnitudes |Z_nm| of all stored
/// moments of order <= `order` (in the order of moment_indices), followed by the global measures.
struct FeatureLayout {
  Family family = Family::kZernike;
  int order = 30;
  std::vector<std::string> channels;
  std::vector<std::string> measures;

  std::size_t columns_per_channel() const { return moment_count(family, order); }
  std::size_t columns() const { return channels.size() * columns_per_channel() + measures.size(); }
  friend bool operator==(const FeatureLayout&, const FeatureLayout&) = default;
};

/// "grey |Z(4,2)|" or "log-area", for messages and tables.
std::string column_name(const FeatureLayout& layout, std::size_t column);

/// The names of the columns in files: "inverted_Z_4_2", "log-area". Moments of a channel without a
/// name are "Z_4_2". The letters are Z, PZ, B (Bessel-Fourier), L (Legendre) and J (Jacobi).
std::vector<std::string> column_names(const FeatureLayout& layout);

/// Rows of augmented copies of photographs, for training. They show which directions a discriminant
/// should ignore, and how reliable predictions for such photographs are.
struct AugmentedRows {
  std::vector<float> values;    ///< same layout as those of the table
  std::vector<std::size_t> of;  ///< the row of the table that each copy belongs to
};

/// Feature rows: column c of row i is values[i * layout.columns() + c].
struct FeatureTable {
  FeatureLayout layout;
  std::vector<float> values;
  AugmentedRows augmented = {};

  std::size_t rows() const { return layout.columns() == 0 ? 0 : values.size() / layout.columns(); }
  std::span<const float> augmented_row(std::size_t i) const {
    return std::span(augmented.values).subspan(i * layout.columns(), layout.columns());
  }
  std::span<const float> row(std::size_t i) const {
    return std::span(values).subspan(i * layout.columns(), layout.columns());
  }
};

/// The table as if its features had been computed only to `order` and on `channels`. Throws
/// UsageError when the order is higher than the table's or a channel is not in it.
FeatureTable select_columns(const FeatureTable& table, int order,
                            std::span<const std::string> channels);
/// The same with some of the measures, in the given order.
FeatureTable select_columns(const FeatureTable& table, int order,
                            std::span<const std::string> channels,
                            std::span<const std::string> measures);

/// The given rows, in the given order, with their augmented copies. If a row is repeated, its
/// copies are included once.
FeatureTable select_rows(const FeatureTable& table, std::span<const std::size_t> rows);
/// Their labels, where labels[i] belongs to row i.
std::vector<int> select_labels(std::span<const int> labels, std::span<const std::size_t> rows);

}  // namespace leafglyph
