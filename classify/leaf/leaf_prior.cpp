#include "classify/leaf/leaf_prior.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "classify/leaf/store_rows.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/npy.h"
#include "features/record/json_text.h"
#include "features/record/record.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

// For columns that the prior of the program does not have. Leaves are drawn for each training.
constexpr int kLeavesOfOtherPriors = 10;
constexpr std::uint64_t kSeed = 1;

constexpr RecordKind kPriorOfLeaves = {"prior.json", "leafglyph prior of leaves", 1,
                                       "prior of leaves", "print it again with leaf_prior"};
constexpr const char* kMatrixFile = "prior.npy";

RowPrior prior_of_samples(const LeafFeatures& features, const LeafDataset& dataset,
                          double log_floor) {
  std::vector<int> labels;
  for (const std::size_t sample : features.samples) {
    labels.push_back(dataset.samples[sample].label);
  }
  return row_prior(features.table, labels, log_floor);
}

RowPrior stored_prior(const LeafConfig& config) {
  const LeafStores store(std::span(&config.data.prior, 1));
  const LeafDataset dataset = store.dataset();
  return prior_of_samples(store.rows(all_samples(dataset), config, config.features.order), dataset,
                          config.classifier.pipeline.log_floor);
}

// Whether leaves that are prepared in these ways have moments of the same meaning.
bool same_shapes(const PrepareSpec& a, const PrepareSpec& b) {
  const auto share = [](const PrepareSpec& spec) { return spec.area / spec.size / spec.size; };
  constexpr double kSimilar = 0.02;
  return a.geometry == b.geometry && std::abs(share(a) / share(b) - 1) < kSimilar;
}

bool has_columns(const FeatureLayout& all, const FeatureLayout& wanted) {
  const std::vector<std::string> names = column_names(all);
  return std::ranges::all_of(column_names(wanted), [&](const std::string& name) {
    return std::ranges::count(names, name) > 0;
  });
}

}  // namespace

RowPrior drawn_prior(const LeafConfig& config, int leaves, const LeafRun& run) {
  LeafConfig drawn = config;
  drawn.data = {};
  drawn.data.source = DataSource::kGenerated;
  const bool in_colour =
      config.features.colour != FeatureColour::kNone || config.features.network.is_used();
  drawn.data.generated = {synthetic_species_count(), leaves, kSeed,
                          in_colour ? DrawnColours::kDaylight : DrawnColours::kNone};
  drawn.preparation.background = Background::kLight;
  const LeafDataset dataset = load_dataset(drawn.data);
  LeafRun quiet = run;
  quiet.progress = ProgressStyle::kNone;
  const LeafFeatures features =
      features_of(dataset, all_samples(dataset), drawn, config.features.order, quiet);
  if (!features.errors.empty()) {
    throw InputError("a drawn leaf of the prior could not be prepared; first: " +
                     features.errors.front());
  }
  return prior_of_samples(features, dataset, config.classifier.pipeline.log_floor);
}

std::string prior_facts(const RowPrior& prior, const LeafConfig& config, std::string_view matrix) {
  Json facts = {{"leaves", kPriorLeaves},
                {"mean_noise", prior.scatter.mean_noise},
                {"seed", kSeed},
                {"settings", to_yaml(config)},
                {"species", prior.scatter.species()}};
  return record_facts(kPriorOfLeaves, std::move(facts), {{kMatrixFile, std::string(matrix)}});
}

PriorFile read_prior_file(std::string_view facts, std::string_view matrix,
                          const std::string& source) {
  const Record record = record_in_memory(kPriorOfLeaves, source, std::string(facts),
                                         {{kMatrixFile, std::string(matrix)}});
  return record.checked(kPriorOfLeaves.facts, [&]() -> PriorFile {
    const Facts& json = record.facts;
    LeafConfig config = parse_leaf_config(string_of(json.at("settings")), source);
    RowPrior prior = prior_of_matrix(parse_npy<float>(matrix, source).values,
                                     feature_layout(config.features, config.features.order),
                                     config.classifier.pipeline.log_floor,
                                     integer_at<std::size_t>(json, "species"),
                                     json.at("mean_noise").get<double>(), source);
    return {std::move(config), std::move(prior)};
  });
}

std::shared_ptr<const RowPrior> leaf_prior(const LeafConfig& config, const FeatureLayout& of_rows,
                                           const LeafRun& run) {
  FeatureLayout layout = of_rows;
  std::erase_if(layout.groups,
                [](const ColumnGroup& group) { return group.kind == ColumnKind::kJoined; });
  LeafConfig wanted = config;
  wanted.features.order = layout.order;
  wanted.features.join = {};
  wanted.features.colour = FeatureColour::kLab;
  const FeatureLayout with_colour = feature_layout(wanted.features, layout.order);
  if (!(layout == with_colour)) wanted.features.colour = FeatureColour::kNone;
  if (!config.data.prior.empty()) return std::make_shared<RowPrior>(stored_prior(wanted));
  static const PriorFile own =
      read_prior_file(leaf_prior_facts(), leaf_prior_matrix(), "LeafGlyph's prior");
  if (has_columns(own.prior.layout, layout) &&
      own.prior.log_floor == config.classifier.pipeline.log_floor &&
      same_shapes(own.config.preparation, config.preparation)) {
    return std::make_shared<RowPrior>(select_columns(own.prior, layout));
  }
  return std::make_shared<RowPrior>(drawn_prior(wanted, kLeavesOfOtherPriors, run));
}

}  // namespace leafglyph
