#include "classify/extraction/store_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "classify/store/feature_store.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace {

void add_line(const StoreRow& row, std::span<const float> values, std::string& text) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{},{},{},{},{},{}", csv_shown_field(row.path), row.part,
                 csv_shown_field(row.label), name_of(row.state), place_fields(row),
                 csv_shown_field(row.warnings));
  for (const std::string& field : row.fields) text += "," + csv_shown_field(field);
  for (const float value : values) {
    if (std::isnan(value)) {
      text += ',';
    } else {
      fmt::format_to(out, ",{}", value);  // the shortest text that is read back as the same
    }
  }
  text += '\n';
}

}  // namespace

StoreContents contents_of(const FeatureStore& store) {
  StoreContents contents;
  std::optional<std::size_t> missing;
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    if (!store.has_block(b)) {
      if (!missing) missing = b;
      continue;
    }
    throw_if_interrupted();
    ++contents.blocks;
    for (const StoreRow& row : store.read_rows(b)) {
      ++contents.rows;
      ++contents.states[row.state];
      contents.warned += has_numbers(row.state) && !row.warnings.empty();
    }
  }
  contents.first_missing = missing.value_or(store.header().blocks());
  return contents;
}

std::size_t export_csv(const FeatureStore& store, const std::filesystem::path& file) {
  store.check_complete();
  std::size_t rows = 0;
  write_file_by_parts(file, [&](const PutText& put) {
    std::string text = "path,part,label,state,left,top,width,height,area,warnings";
    for (const std::string& field : store.header().fields) text += "," + csv_field(field);
    for (const std::string& column : store.header().columns) text += "," + csv_field(column);
    put(text + '\n');
    const std::size_t width = store.header().columns.size();
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      throw_if_interrupted();
      const StoreBlock block = store.read_block(b);
      rows += block.rows.size();
      text.clear();
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        add_line(block.rows[r], std::span(block.values).subspan(r * width, width), text);
      }
      put(text);
    }
  });
  return rows;
}

void merge_stores(std::span<const FeatureStore> stores, const std::filesystem::path& folder) {
  for (const FeatureStore& store : stores) {
    // A store that is merged with others into itself would grow with every run.
    if (store.is_at(folder)) {
      throw UsageError(folder.string() +
                       ": is one of the stores to merge; name another folder for the merged one");
    }
  }
  const StoreHeader header = joined_header(stores);
  NewStore merged(folder, header);
  StoreBlock open;
  std::size_t end = header.block;  // of the open block
  std::size_t first = 0;           // image of the store
  const auto flush = [&] {
    merged.add(open);
    end += header.block;
    open = {};
  };
  const std::size_t width = header.columns.size();
  for (const FeatureStore& store : stores) {
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      throw_if_interrupted();
      StoreBlock block = store.read_block(b);
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        StoreRow& row = block.rows[r];
        row.image += first;
        row.fields = fields_for(header, store.header(), row);
        if (row.image >= end) flush();
        const auto values = std::span(block.values).subspan(r * width, width);
        open.values.insert(open.values.end(), values.begin(), values.end());
        open.rows.push_back(std::move(row));
      }
    }
    first += store.header().inputs;
  }
  if (!open.rows.empty()) flush();
  merged.finish(header);
}

}  // namespace leafglyph
