#include "classify/leaf/leaf_explain.h"

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// The columns of channel number `channel` alone.
FeatureTable channel_columns(const FeatureTable& table, std::size_t channel) {
  FeatureTable part{table.layout, {}};
  part.layout.channels = {table.layout.channels[channel]};
  part.layout.measures.clear();
  const std::size_t width = table.layout.columns_per_channel();
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto columns = table.row(i).subspan(channel * width, width);
    part.values.insert(part.values.end(), columns.begin(), columns.end());
  }
  return part;
}

// Part number `part`: the channels in their order and, behind them, the measures.
FeatureTable part_columns(const FeatureTable& table, std::size_t part) {
  return part < table.layout.channels.size() ? channel_columns(table, part)
                                             : select_columns(table, table.layout.order, {});
}

ClassifierSpec part_spec(ClassifierSpec spec) {
  spec.answered_share = 1.0;
  spec.pipeline.channel_weights.clear();
  spec.pipeline.channel_discriminants = 0.0;
  spec.pipeline.wear = 0.0;  // of all channels together
  spec.pipeline.dimensions = 0;
  return spec;
}

std::vector<std::optional<Answer>> answers_of(const LeafModel& model, const FeatureTable& queries,
                                              std::size_t part) {
  try {
    const NearestClassifier classifier =
        NearestClassifier::fit(part_columns(model.features, part), model.classifier.labels(),
                               part_spec(model.classifier.spec()));
    std::vector<Answer> answers = classifier.answer(part_columns(queries, part), 1);
    return {std::make_move_iterator(answers.begin()), std::make_move_iterator(answers.end())};
  } catch (const InputError&) {  // every column is constant
    return std::vector<std::optional<Answer>>(queries.rows());
  }
}

}  // namespace

std::vector<std::vector<PartAnswer>> part_answers(const LeafModel& model,
                                                  std::span<const ClassifiedLeaf> leaves) {
  const FeatureLayout& layout = model.features.layout;
  FeatureTable queries{layout, {}};
  std::vector<std::size_t> answered;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].answer) continue;
    queries.values.insert(queries.values.end(), leaves[i].features.begin(),
                          leaves[i].features.end());
    answered.push_back(i);
  }
  std::vector<std::vector<PartAnswer>> result(leaves.size());
  if (answered.empty()) return result;
  const std::size_t parts = layout.channels.size() + (layout.measures.empty() ? 0 : 1);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string name =
        part < layout.channels.size() ? layout.channels[part] : std::string("measures");
    std::vector<std::optional<Answer>> answers = answers_of(model, queries, part);
    for (std::size_t i = 0; i < answered.size(); ++i) {
      result[answered[i]].push_back({name, std::move(answers[i])});
    }
  }
  return result;
}

}  // namespace leafglyph
