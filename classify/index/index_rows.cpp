#include "classify/index/index_rows.h"

#include <nlohmann/json.hpp>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/record/json_text.h"

namespace leafglyph {

nlohmann::ordered_json json_of_store(const FeatureStore& store,
                                     const std::filesystem::path& index) {
  const std::filesystem::path folder = std::filesystem::absolute(store.folder());
  const std::filesystem::path seen =
      std::filesystem::relative(folder, std::filesystem::absolute(index));
  nlohmann::ordered_json json = {{"folder", folder.string()},
                                 {"relative", seen.string()},
                                 {"sha256", store.header_digest()},
                                 {"blocks", nlohmann::ordered_json::array()}};
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    json["blocks"].push_back(store.block_digest(b));
  }
  escape_strings(json);
  return json;
}

std::vector<std::string> index_files(const std::filesystem::path& folder) {
  std::vector<std::string> names = names_in_record(folder, kIndex);
  if (!names.empty()) names.emplace_back(kListsFile);
  return names;
}

ColumnScaling scaling_of(std::span<const FeatureStore> stores, std::size_t& rows) {
  // Standard deviations below this are rounding errors.
  constexpr double kLeastSpread = 1e-12;
  const StoreHeader& header = stores.front().header();
  const std::size_t width = header.columns.size();
  const bool is_projected = !header.projection.empty();
  const std::size_t summed = is_projected ? 0 : width;
  std::vector<double> mean(width), squares(width);
  rows = 0;
  for_each_block(stores, [&](IndexRows& block) {
    for (std::size_t r = 0; r < block.numbers.size(); ++r) {
      ++rows;
      for (std::size_t c = 0; c < summed; ++c) {  // Welford's sums
        const double value = block.values[r * width + c];
        const double from_mean = value - mean[c];
        mean[c] += from_mean / static_cast<double>(rows);
        squares[c] += from_mean * (value - mean[c]);
      }
    }
  });
  if (rows == 0) throw InputError("the stores have no row without an error");
  if (is_projected) {
    return {std::vector<double>(width, 0.0), std::vector<double>(width, 1.0)};
  }
  ColumnScaling scaling{mean, std::vector<double>(width)};
  for (std::size_t c = 0; c < width; ++c) {
    const double spread = std::sqrt(squares[c] / static_cast<double>(rows));
    scaling.scale[c] = spread > kLeastSpread ? 1 / spread : 0.0;
  }
  return scaling;
}

void for_each_block(std::span<const FeatureStore> stores,
                    const std::function<void(IndexRows&)>& use) {
  std::size_t first = 0;  // block of the store
  for (const FeatureStore& store : stores) {
    const StoreHeader& header = store.header();
    const std::size_t width = header.columns.size();
    for (std::size_t b = 0; b < header.blocks(); ++b) {
      throw_if_interrupted();
      const std::vector<float> values = store.read_values(b);
      IndexRows rows;
      for (std::size_t r = 0; r < values.size() / width; ++r) {
        const auto row = std::span(values).subspan(r * width, width);
        if (std::isnan(row[0])) continue;  // the row has no numbers
        rows.values.insert(rows.values.end(), row.begin(), row.end());
        rows.numbers.push_back(row_number(first + b, r));
      }
      if (!rows.numbers.empty()) use(rows);
    }
    first += header.blocks();
  }
}

}  // namespace leafglyph
