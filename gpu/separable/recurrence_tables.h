// The tables of the separable transform (features/separable/recurrence_tables.h) in GPU memory.
// Only for the files of gpu/.
#pragma once

#include <vector>

#include "features/separable/recurrence_tables.h"
#include "gpu/separable/recurrence_kernels.h"
#include "gpu/separable/rotation_kernels.h"

namespace leafglyph::gpu {

/// A copy of RecurrenceTables in the layout of the kernels, on the GPU that is current at its
/// construction.
class GpuTables {
 public:
  explicit GpuTables(const RecurrenceTables& tables);

  int order() const { return order_; }
  /// The kernels use k < terms(), a multiple of kRecurrenceBlock.
  int terms() const { return terms_; }
  bool merged() const { return !panels_on_host_.empty(); }
  const std::vector<GpuPanel>& panels_on_host() const { return panels_on_host_; }
  int line_count() const { return static_cast<int>(lines_.size()); }
  /// Maximum number of places on a line.
  int most_places() const { return most_places_; }

  LineArrays lines() const;
  LegendreArrays legendre() const;
  const GpuPanel* panels() const { return panels_.data(); }
  const double* panel_weights() const { return panel_weights_.data(); }
  NodeArrays nodes() const;
  BasisArrays basis() const;
  /// Length of arrays indexed by k and j, in the rows of BasisArrays.
  std::size_t basis_length() const { return slope_.size(); }
  RotationArrays rotation() const;

 private:
  void send_lines(const RecurrenceTables& tables);
  void send_nodes(const RecurrenceTables& tables);
  void send_basis(const RecurrenceTables& tables);
  void send_rotation(const RecurrenceTables& tables);

  int order_;
  int terms_;
  int size_;
  int most_places_ = 0;
  DeviceBuffer<GpuLine> lines_;
  DeviceBuffer<double> x_;
  DeviceBuffer<std::int32_t> column_;
  DeviceBuffer<double> weight_;
  DeviceBuffer<std::int32_t> columns_;
  DeviceBuffer<double> legendre_slope_;
  DeviceBuffer<double> legendre_factor_;
  DeviceBuffer<double> above_;
  DeviceBuffer<double> below_;
  std::vector<GpuPanel> panels_on_host_;
  DeviceBuffer<GpuPanel> panels_;
  DeviceBuffer<double> panel_weights_;
  DeviceBuffer<GpuNode> nodes_;
  DeviceBuffer<std::uint32_t> starts_at_;
  DeviceBuffer<double> starts_;
  DeviceBuffer<std::size_t> rows_;
  DeviceBuffer<double> slope_;
  DeviceBuffer<double> factor_;
  DeviceBuffer<GpuDegree> degrees_;
  DeviceBuffer<double2> recurrence_;
  DeviceBuffer<double2> factors_;
  DeviceBuffer<int2> turning_;
  DeviceBuffer<double> scale_;
};

}  // namespace leafglyph::gpu
