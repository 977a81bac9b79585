#include "classify/index/index_rows.h"

#include "features/base/interrupt.h"

namespace leafglyph {

void for_each_block(std::span<const FeatureStore> stores,
                    const std::function<void(IndexRows&)>& use) {
  std::int64_t first = 0;
  for (const FeatureStore& store : stores) {
    const StoreHeader& header = store.header();
    const std::size_t width = header.columns.size();
    for (std::size_t b = 0; b < header.blocks(); ++b) {
      throw_if_interrupted();
      const std::vector<float> values = store.read_values(b);
      IndexRows rows;
      for (std::size_t r = 0; r < header.rows_of(b); ++r) {
        const auto row = std::span(values).subspan(r * width, width);
        if (std::isnan(row[0])) continue;  // it failed
        rows.values.insert(rows.values.end(), row.begin(), row.end());
        rows.numbers.push_back(first + static_cast<std::int64_t>(b * header.block + r));
      }
      if (!rows.numbers.empty()) use(rows);
    }
    first += static_cast<std::int64_t>(header.inputs);
  }
}

}  // namespace leafglyph
