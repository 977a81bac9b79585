#include "classify/leaf/leaf_sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/leaf_prior.h"
#include "classify/leaf/store_rows.h"
#include "features/base/npy.h"
#include "features/record/json_text.h"
#include "features/record/record.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

// Version 1, of LeafGlyph 0.2.0, did not state which leaves it has.
constexpr RecordKind kSums = {nullptr, "LeafGlyph sums of leaves", 2, "file of sums",
                              "make it again with leaf sums"};

// The lower triangle of a matrix of n x n, column by column, without what is above it.
std::size_t triangle_size(std::size_t n) { return n * (n + 1) / 2; }

ClassSums parse_sums(const Facts& head, std::string_view array, const std::filesystem::path& file) {
  const auto columns = integer_at<std::size_t>(head, "columns");
  const std::vector<double> values = parse_npy<double>(array, file).values;
  const Facts& rows = head.at("rows");
  if (columns == 0 || columns > values.size() || rows.size() > values.size() ||
      values.size() != rows.size() * columns + triangle_size(columns)) {
    throw UsageError("the sums do not fit the classes");
  }
  ClassTotals totals;
  auto next = values.begin();
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const auto end = next + static_cast<std::ptrdiff_t>(columns);
    totals[static_cast<int>(c)] = {rows[c].get<std::size_t>(), {next, end}};
    next = end;
  }
  LargeVector<double> products(columns * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    const std::size_t count = columns - j;
    std::copy_n(next, count, &products[j * columns + j]);
    next += static_cast<std::ptrdiff_t>(count);
  }
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    throw UsageError("a sum is not finite");
  }
  return ClassSums(columns, std::move(totals), std::move(products));
}

// The sums with the labels that their classes have in a training.
ClassSums relabelled(const ClassSums& sums, std::span<const std::string> own,
                     const std::map<std::string, int>& labels, const std::filesystem::path& file) {
  ClassTotals totals;
  for (const auto& [label, of_class] : sums.classes()) {
    const std::string& name = own[static_cast<std::size_t>(label)];
    const auto found = labels.find(name);
    if (found == labels.end()) {
      throw UsageError(file.string() + ": has sums of " + name + ", which the stores do not have");
    }
    totals[found->second] = of_class;
  }
  const std::span<const double> products = sums.products();
  return ClassSums(sums.columns(), std::move(totals), {products.begin(), products.end()});
}

/// Some leaves of a store, and the file that has their sums.
struct SummedPart {
  SummedStore leaves;
  std::filesystem::path file;
};
using SummedParts = std::map<std::string, std::vector<SummedPart>>;  // by digest of the store

std::string leaves_in_words(std::size_t first, std::size_t end, std::size_t of) {
  const std::string which = end - first == 1 ? fmt::format("leaf {}", end)
                                             : fmt::format("leaves {} to {}", first + 1, end);
  return fmt::format("{} of {}", which, of);
}

// Throws UsageError unless the parts hold each leaf of the store in `folder` once.
void check_tiling(std::vector<SummedPart> parts, const std::filesystem::path& folder) {
  const std::size_t leaves = parts.front().leaves.leaves;
  std::erase_if(parts, [](const SummedPart& part) { return part.leaves.first == part.leaves.end; });
  std::ranges::sort(parts, {}, [](const SummedPart& part) { return part.leaves.first; });
  std::size_t end = 0;  // of the leaves that were seen
  const SummedPart* last = nullptr;
  const auto check_gap = [&](std::size_t next) {
    if (next <= end) return;
    throw UsageError(fmt::format("{}: no file has sums of {}; give every file of its sums",
                                 folder.string(), leaves_in_words(end, next, leaves)));
  };
  for (const SummedPart& part : parts) {
    check_gap(part.leaves.first);
    if (part.leaves.first < end) {
      throw UsageError(
          fmt::format("{}: {} and {} both have {}; give files that have each leaf once",
                      folder.string(), last->file.string(), part.file.string(),
                      leaves_in_words(part.leaves.first, std::min(end, part.leaves.end), leaves)));
    }
    end = part.leaves.end;
    last = &part;
  }
  check_gap(leaves);
}

void check_stores(const SummedParts& summed, std::span<const std::filesystem::path> stores) {
  std::set<std::string> present;
  for (const std::filesystem::path& folder : stores) {
    const std::string digest = FeatureStore::open(folder).digest();
    const auto found = summed.find(digest);
    if (found == summed.end()) {
      throw UsageError(folder.string() +
                       ": no file has sums of its leaves; give every file of its sums");
    }
    check_tiling(found->second, folder);
    present.insert(digest);
  }
  if (present.size() == summed.size()) return;
  throw UsageError("there are sums of other feature stores than those of the training");
}

void check_rows(const ClassSums& sums, std::span<const int> labels,
                std::span<const std::string> class_names) {
  std::map<int, std::size_t> rows;
  for (const int label : labels) ++rows[label];
  for (const auto& [label, count] : rows) {
    const auto found = sums.classes().find(label);
    const std::size_t summed = found == sums.classes().end() ? 0 : found->second.rows;
    if (summed == count) continue;
    throw UsageError(fmt::format(
        "the sums count {} leaves of {}, the feature stores {}: make the sums again with leaf sums",
        summed, class_names[static_cast<std::size_t>(label)], count));
  }
}

}  // namespace

std::string units_digest(const FeatureTable& table, const PipelineSpec& spec) {
  const ColumnScales scales = FeaturePipeline::units_of(table, spec);
  Sha256 digest;
  for (const std::string& name : column_names(table.layout)) digest.add(name + "\n");
  const double numbers[] = {spec.log_floor, ClassSums::kGrid};
  for (const std::span<const double> values :
       {std::span<const double>(numbers), std::span<const double>(scales.offset),
        std::span<const double>(scales.scale), std::span<const double>(scales.limit)}) {
    digest.add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  return digest.digest();
}

void check_sums_suffice(const LeafConfig& config, const FeatureLayout& layout) {
  if (config.classifier.pipeline.projection != Projection::kPlda) {
    throw UsageError("only pipeline.projection: plda is trained on sums");
  }
  if (!tuning_for(config, layout).asks()) return;
  throw UsageError(config.features.colour == FeatureColour::kAuto
                       ? "features.colour: auto trains with and without colours, but every sum "
                         "must use the same setting: "
                         "name it by --set features.colour=lab or none"
                       : "the configuration chooses settings by trying them, but every sum must "
                         "use the same settings");
}

LeafSums sums_of_stores(const LeafConfig& config, const PartOfRows& part, const LeafRun& run) {
  if (config.features.join.is_used()) {
    throw UsageError(
        "the units of a table's columns follow from all rows, so that parts of them have no sums; "
        "leave features.join out, or train without sums");
  }
  const LeafStores stores(config.data.features);
  std::vector<std::size_t> leaves;
  const LeafDataset dataset = stores.dataset(leaves);
  const std::size_t rows = dataset.samples.size();
  const std::size_t begin = rows * part.index / part.count;
  const std::size_t end = rows * (part.index + 1) / part.count;
  LeafSums result{{}, "", dataset.class_names, ClassSums(0)};
  std::size_t before = 0;  // leaves of the stores before
  for (std::size_t s = 0; s < leaves.size(); ++s) {
    const std::filesystem::path& folder = config.data.features[s];
    const auto in_store = [&](std::size_t leaf) {
      return std::clamp(leaf, before, before + leaves[s]) - before;
    };
    result.stores.push_back({std::filesystem::absolute(folder).lexically_normal(),
                             FeatureStore::open(folder).digest(), leaves[s], in_store(begin),
                             in_store(end)});
    before += leaves[s];
  }
  FeatureTable none{stores.layout(config), {}};
  check_sums_suffice(config, none.layout);
  none.prior = leaf_prior(config, none.layout, run);
  result.units = units_digest(none, config.classifier.pipeline);
  result.sums = ClassSums(none.layout.columns());
  std::vector<std::size_t> samples(end - begin);
  std::iota(samples.begin(), samples.end(), begin);
  stores.each_block(samples, config, config.features.order, [&](LeafFeatures held) {
    held.table.prior = none.prior;
    std::vector<int> labels;
    for (const std::size_t sample : held.samples) labels.push_back(dataset.samples[sample].label);
    std::vector<std::size_t> every(labels.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    result.sums.add(
        FeaturePipeline::sums_of(held.table, labels, config.classifier.pipeline, every));
  });
  return result;
}

std::string sums_file(const LeafSums& sums) {
  const std::size_t columns = sums.sums.columns();
  std::vector<double> values;
  Json rows = Json::array(), stores = Json::array(), names = Json::array();
  for (const auto& [label, of_class] : sums.sums.classes()) {
    names.push_back(sums.class_names[static_cast<std::size_t>(label)]);
    rows.push_back(of_class.rows);
    values.insert(values.end(), of_class.sum.begin(), of_class.sum.end());
  }
  const std::span<const double> products = sums.sums.products();
  for (std::size_t j = 0; j < columns && !products.empty(); ++j) {
    const auto column = products.subspan(j * columns + j, columns - j);
    values.insert(values.end(), column.begin(), column.end());
  }
  values.resize(rows.size() * columns + triangle_size(columns));
  const std::size_t shape[] = {values.size()};
  const std::string array = npy_bytes<double>(values, shape);
  for (const SummedStore& store : sums.stores) {
    stores.push_back({{"folder", store.folder.string()},
                      {"sha256", store.sha256},
                      {"leaves", store.leaves},
                      {"first", store.first},
                      {"end", store.end}});
  }
  Json facts = {{"stores", stores},
                {"units", sums.units},
                {"columns", columns},
                {"classes", names},
                {"rows", rows}};
  escape_strings(facts);
  return record_file(kSums, std::move(facts), array);
}

LeafSums read_sums(const std::filesystem::path& file) {
  const RecordFile record = read_record_file(file, kSums);
  const auto& head = record.facts;
  try {
    LeafSums sums{{},
                  head.at("units").get<std::string>(),
                  strings_of(head.at("classes")),
                  parse_sums(head, record.content, file)};
    if (head.at("rows").size() != sums.class_names.size()) {
      throw UsageError("a class has no number of rows");
    }
    for (const auto& store : head.at("stores")) {
      sums.stores.push_back({string_of(store.at("folder")), store.at("sha256").get<std::string>(),
                             integer_at<std::size_t>(store, "leaves"),
                             integer_at<std::size_t>(store, "first"),
                             integer_at<std::size_t>(store, "end")});
      const SummedStore& read = sums.stores.back();
      if (read.first > read.end || read.end > read.leaves) {
        throw UsageError("it has leaves that its stores do not have");
      }
    }
    return sums;
  } catch (const Json::exception&) {
    throw record.damaged("is damaged");
  } catch (const UsageError& error) {
    throw record.damaged(std::string("is damaged, ") + error.what());
  }
}

std::vector<std::filesystem::path> stores_of_sums(std::span<const std::filesystem::path> files) {
  std::vector<std::filesystem::path> folders;
  std::set<std::string> seen;
  for (const std::filesystem::path& file : files) {
    for (const SummedStore& store : read_sums(file).stores) {
      if (seen.insert(store.sha256).second) folders.push_back(store.folder);
    }
  }
  return folders;
}

ClassSums joined_sums(std::span<const std::filesystem::path> files,
                      std::span<const std::filesystem::path> stores, const FeatureTable& table,
                      std::span<const int> labels, std::span<const std::string> class_names,
                      const PipelineSpec& spec) {
  std::map<std::string, int> label_of;
  for (std::size_t c = 0; c < class_names.size(); ++c)
    label_of[class_names[c]] = static_cast<int>(c);
  const std::string units = units_digest(table, spec);
  ClassSums all(table.layout.columns());
  SummedParts summed;
  for (const std::filesystem::path& file : files) {
    LeafSums some = read_sums(file);
    if (some.units != units) {
      throw UsageError(file.string() +
                       ": made with another configuration, prior or columns; make it again with "
                       "leaf sums and the configuration of the training");
    }
    for (const SummedStore& store : some.stores) summed[store.sha256].push_back({store, file});
    all.add(relabelled(some.sums, some.class_names, label_of, file));
  }
  check_stores(summed, stores);
  check_rows(all, labels, class_names);
  return all;
}

}  // namespace leafglyph
