// Rows of features and what their columns are.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/aligned_vector.h"
#include "features/base/mapped_file.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

struct RowPrior;

/// What the columns of a group are, in the order in which groups stand in a row.
enum class ColumnKind {
  kMoments,    ///< |Z_nm| of one channel, in the order of moment_indices
  kHistogram,  ///< shares of a leaf's outline (outline_curvature.h)
  kMeasure,    ///< global measures, each with a unit of its own
  kNetwork,    ///< values of a layer of a neural network, in one unit
  kJoined,     ///< of a table that another program made, each with a unit of its own
};

/// Columns that are computed together, and that a classifier uses all or none of.
struct ColumnGroup {
  std::string name;  ///< of the channel, or one of the names below
  ColumnKind kind = ColumnKind::kMoments;
  /// The names of the columns in files. Empty for kMoments, whose columns follow from family and
  /// order.
  std::vector<std::string> columns = {};
  friend bool operator==(const ColumnGroup&, const ColumnGroup&) = default;
};
inline constexpr std::string_view kMeasuresGroup = "measures";
inline constexpr std::string_view kColourMeasuresGroup = "measures of colour";
inline constexpr std::string_view kNetworkGroup = "network";
inline constexpr std::string_view kJoinedGroup = "joined";
/// Whether a group with that name is one of the last four, and not that of a channel.
bool is_beside_channels(std::string_view group);

/// The columns of a feature row: those of each group, one group after another.
struct FeatureLayout {
  Family family = Family::kZernike;
  int order = 30;  ///< of the moments
  std::vector<ColumnGroup> groups;

  /// The number of columns in group number `group`, and the number of its first column.
  std::size_t width(std::size_t group) const;
  std::size_t start(std::size_t group) const;
  std::size_t columns() const { return start(groups.size()); }
  /// The kind of each column.
  std::vector<ColumnKind> kinds() const;
  std::vector<std::string> group_names() const;
  /// The number of the column with that name in files, among those that are not moments.
  std::optional<std::size_t> find(std::string_view column) const;
  friend bool operator==(const FeatureLayout&, const FeatureLayout&) = default;
};

/// "grey |Z(4,2)|" or "log-area", for messages and tables.
std::string column_name(const FeatureLayout& layout, std::size_t column);

/// The names of the columns in files: "inverted_Z_4_2", "log-area". Moments of a channel without a
/// name are "Z_4_2". The letters are Z, PZ, B (Bessel-Fourier), JF (Jacobi-Fourier),
/// E (exponent-Fourier), L (Legendre), J (Jacobi), T (Tchebichef) and Q (Krawtchouk); "Omega_4_2"
/// is the norm ||Omega_42||.
std::vector<std::string> column_names(const FeatureLayout& layout);

/// Rows of augmented copies of photographs, for training. They show which directions a discriminant
/// should ignore, and how reliable predictions for such photographs are.
struct AugmentedRows {
  std::vector<float> values;    ///< same layout as those of the table
  std::vector<std::size_t> of;  ///< the row of the table that each copy belongs to
};

/// Rows where they lie: in mapped files or in memory, which are kept. What is computed on those in
/// files counts if these are as they were, see checked_use(); the functions below that copy rows
/// check it.
struct LyingRows {
  std::vector<const float*> rows;
  MappedFiles files;
  std::vector<std::shared_ptr<const void>> memory;
};

/// Feature rows: column c of row i is values[i * layout.columns() + c], or row(i)[c] where the rows
/// lie elsewhere.
struct FeatureTable {
  FeatureLayout layout;
  std::vector<float> values;
  AugmentedRows augmented = {};
  /// What leaves of other species teach about these columns, or about more; none if no pipeline
  /// needs it.
  std::shared_ptr<const RowPrior> prior = {};
  LyingRows lying = {};  ///< the rows, if there are no `values`

  std::size_t rows() const {
    if (!lying.rows.empty()) return lying.rows.size();
    return layout.columns() == 0 ? 0 : values.size() / layout.columns();
  }
  std::span<const float> augmented_row(std::size_t i) const {
    return std::span(augmented.values).subspan(i * layout.columns(), layout.columns());
  }
  std::span<const float> row(std::size_t i) const {
    if (!lying.rows.empty()) return {lying.rows[i], layout.columns()};
    return std::span(values).subspan(i * layout.columns(), layout.columns());
  }
  /// `count` rows from `first` on, one after another: where they lie, or copied to `copy`.
  std::span<const float> part(std::size_t first, std::size_t count, LargeVector<float>& copy) const;
};

/// The table as if its features had been computed only to `order` and only in the groups of those
/// names, in the given order. Throws UsageError when the order is higher than the table's or a
/// group is not in it.
FeatureTable select_columns(const FeatureTable& table, int order,
                            std::span<const std::string> groups);

/// The table with its rows in `values`.
FeatureTable held(FeatureTable table);

/// The given rows, in the given order, with their augmented copies. If a row is repeated, its
/// copies are included once.
FeatureTable select_rows(const FeatureTable& table, std::span<const std::size_t> rows);
/// Their labels, where labels[i] belongs to row i.
std::vector<int> select_labels(std::span<const int> labels, std::span<const std::size_t> rows);

}  // namespace leafglyph
