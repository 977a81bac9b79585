#include "classify/knn/column_values.h"

namespace leafglyph {

std::size_t measures_start(const FeatureLayout& layout) {
  return layout.columns() - layout.measures.size();
}

double column_weight(const FeatureLayout& layout, const PipelineSpec& spec, std::size_t column) {
  return column >= measures_start(layout) ? spec.measure_weight : 1.0;
}

std::vector<double> column_values(const FeatureTable& table, const PipelineSpec& spec) {
  const std::size_t columns = table.layout.columns();
  const std::size_t measures = measures_start(table.layout);
  std::vector<double> values(table.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = column_value(spec, table.values[i], i % columns >= measures);
  }
  return values;
}

}  // namespace leafglyph
