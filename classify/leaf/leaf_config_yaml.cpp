// Writes a leaf configuration as YAML that reads back as the same configuration.
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// A mapping in the document; it is open as soon as it is constructed.
class Mapping {
 public:
  explicit Mapping(YAML::Emitter& yaml) : yaml_(yaml) { yaml_ << YAML::BeginMap; }
  ~Mapping() { yaml_ << YAML::EndMap; }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  Mapping child(const char* key) {
    yaml_ << key;
    return Mapping(yaml_);
  }

  template <class T>
  void add(const char* key, const T& value) {
    yaml_ << key;
    put(value);
  }

 private:
  template <class T>
  void put(const T& value) {
    yaml_ << value;
  }
  void put(std::string_view text) { yaml_ << std::string(text); }
  void put(double value) { yaml_ << number_text(value); }
  template <class T>
  void put(const std::vector<T>& values) {
    yaml_ << YAML::Flow << YAML::BeginSeq;
    for (const T& value : values) put(value);
    yaml_ << YAML::EndSeq;
  }

  YAML::Emitter& yaml_;
};

void write_data(Mapping yaml, const DataSpec& data) {
  yaml.add("source", name_of(data.source));
  if (!data.path.empty()) yaml.add("path", std::filesystem::absolute(data.path).string());
  yaml.add("species", data.generated.species);
  yaml.add("leaves", data.generated.leaves_per_species);
  yaml.add("seed", data.generated.seed);
  yaml.add("colours", name_of(data.generated.colours));
  yaml.add("source_aspect", data.source_aspect);
}

void write_preparation(Mapping yaml, const PrepareSpec& preparation) {
  yaml.add("geometry", name_of(preparation.geometry));
  yaml.add("size", preparation.size);
  yaml.add("area", preparation.area);
  yaml.add("background", name_of(preparation.background));
  yaml.add("parts", name_of(preparation.parts));
  yaml.add("oversampling", preparation.oversampling);
  yaml.add("finder", name_of(preparation.finder));
  yaml.add("petiole", name_of(preparation.petiole));
}

void write_features(Mapping yaml, const FeatureSpec& features) {
  yaml.add("family", family_text({features.family, features.weight}));
  yaml.add("order", features.order);
  std::vector<std::string_view> channels;
  for (const Channel channel : features.channels) channels.push_back(name_of(channel));
  yaml.add("channels", channels);
  yaml.add("measures", features.measures);
  yaml.add("colour", name_of(features.colour));
  yaml.add("precision", features.precision == Precision::kFloat ? "fast" : "exact");
}

void write_pipeline(Mapping yaml, const PipelineSpec& pipeline) {
  yaml.add("values", name_of(pipeline.values));
  yaml.add("log_floor", pipeline.log_floor);
  yaml.add("scaling", name_of(pipeline.scaling));
  yaml.add("projection", name_of(pipeline.projection));
  if (pipeline.projection == Projection::kNone) return;
  yaml.add("shrinkage", pipeline.plda.shrinkage);
  yaml.add("prior_leaves", pipeline.plda.prior_rows);
  yaml.add("prior_species", pipeline.plda.prior_classes);
  yaml.add("augmentation", pipeline.plda.augmentation);
  yaml.add("measure_weight", pipeline.weights.measures);
  yaml.add("curvature_weight", pipeline.weights.curvature);
}

void write_classifier(Mapping yaml, const ClassifierSpec& classifier) {
  yaml.add("k", classifier.k);
  yaml.add("metric", name_of(classifier.metric));
  yaml.add("answered_share", classifier.answered_share);
}

void write_tuning(Mapping yaml, const TuningSpec& tuning) {
  yaml.add("rows", "training");
  yaml.add("folds", tuning.folds);
  yaml.add("seed", tuning.seed);
  yaml.add("order", tuning.orders);
  yaml.add("channels", tuning.channels);
  yaml.add("shrinkage", tuning.shrinkages);
  yaml.add("k", tuning.ks);
}

void write_protocol(Mapping yaml, const ProtocolSpec& protocol) {
  yaml.add("kind", name_of(protocol.kind));
  yaml.add("leaves", name_of(protocol.choice));
  yaml.add("train", protocol.train_leaves);
  yaml.add("test", protocol.test_leaves);
  yaml.add("repeats", protocol.repeats);
  yaml.add("folds", protocol.folds);
  yaml.add("held_back", protocol.held_back);
  yaml.add("seed", protocol.seed);
}

}  // namespace

std::string to_yaml(const LeafConfig& config) {
  YAML::Emitter text;
  {
    Mapping yaml(text);
    write_data(yaml.child("data"), config.data);
    write_preparation(yaml.child("preparation"), config.preparation);
    write_features(yaml.child("features"), config.features);
    write_pipeline(yaml.child("pipeline"), config.classifier.pipeline);
    write_classifier(yaml.child("classifier"), config.classifier);
    if (config.tuning.asks()) write_tuning(yaml.child("tuning"), config.tuning);
    write_protocol(yaml.child("protocol"), config.protocol);
    yaml.child("sweep").add("orders", config.sweep_orders);
  }
  return text.c_str() + std::string("\n");
}

}  // namespace leafglyph
