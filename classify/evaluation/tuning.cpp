#include "classify/evaluation/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <sstream>

#include "classify/evaluation/protocol.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

template <class T>
std::vector<T> or_else(const std::vector<T>& list, T single) {
  return list.empty() ? std::vector<T>{std::move(single)} : list;
}

std::vector<std::string> channels_of(const std::vector<std::string>& groups) {
  std::vector<std::string> channels;
  std::ranges::remove_copy_if(groups, std::back_inserter(channels), is_beside_channels);
  return channels;
}

// Settings are chosen on training leaves only; asking for others is refused, not ignored.
void check_tuning_rows(const std::string& rows) {
  if (rows == "training") return;
  throw UsageError("'" + rows +
                   "' would choose settings on leaves that test them; settings are chosen by "
                   "cross-validation inside the training leaves: use training");
}

// The groups of a candidate: its channels and what is beside them, which every candidate has, less
// those that are left out. As in feature_layout, moments come before histograms, and these before
// what is beside channels.
std::vector<std::string> groups_of(const std::vector<std::string>& channels,
                                   const FeatureLayout& layout,
                                   const std::vector<std::string>& left_out) {
  std::vector<std::string> groups = channels;
  std::ranges::copy_if(layout.group_names(), std::back_inserter(groups), is_beside_channels);
  std::erase_if(groups, [&](const std::string& name) {
    return std::ranges::find(left_out, name) != left_out.end();
  });
  std::ranges::stable_sort(groups, {}, [&](const std::string& name) {
    return std::ranges::find(layout.groups, name, &ColumnGroup::name)->kind;
  });
  return groups;
}

std::vector<LeafSettings> candidates_of(const TuningSpec& spec, const FeatureLayout& layout,
                                        const ClassifierSpec& classifier,
                                        const std::vector<std::string>& left_out) {
  std::vector<LeafSettings> candidates;
  for (const int order : or_else(spec.orders, layout.order)) {
    for (const std::vector<std::string>& channels :
         or_else(spec.channels, channels_of(layout.group_names()))) {
      for (const double shrinkage : or_else(spec.shrinkages, classifier.pipeline.plda.shrinkage)) {
        for (const int k : or_else(spec.ks, classifier.k)) {
          candidates.push_back({order, groups_of(channels, layout, left_out), classifier});
          LeafSettings& candidate = candidates.back();
          candidate.classifier.pipeline.plda.shrinkage = shrinkage;
          candidate.classifier.k = k;
        }
      }
    }
  }
  return candidates;
}

// How many of the fold's test rows a candidate classifies correctly.
std::size_t right_predictions(const FeatureTable& table, std::span<const int> labels,
                              const Split& fold, ClassifierSpec spec) {
  spec.answered_share = 1.0;  // every prediction counts
  const NearestClassifier classifier = NearestClassifier::fit(
      select_rows(table, fold.train), select_labels(labels, fold.train), spec);
  std::size_t right = 0, i = 0;
  for (const Prediction& prediction :
       classifier.predict(select_rows(table, fold.test), /*top=*/1)) {
    right += prediction.ranking.front().label == labels[fold.test[i++]];
  }
  return right;
}

}  // namespace

std::vector<std::string> channels_of(const LeafSettings& settings) {
  return channels_of(settings.groups);
}

FeatureTable select_columns(const FeatureTable& table, const LeafSettings& settings) {
  return select_columns(table, settings.order, settings.groups);
}

bool TuningSpec::asks() const {
  return !orders.empty() || !channels.empty() || !shrinkages.empty() || !ks.empty() ||
         !optional.empty();
}

void declare(Keys& keys, TuningSpec& spec, const std::function<void()>& check) {
  std::string rows = "training";
  keys.key({"rows", &rows, "The leaves that settings are chosen on: those that do not test them"});
  keys.check("rows", [&] { check_tuning_rows(rows); });
  keys.number("folds", spec.folds, {2, kMaxCount},
              "Of the cross-validation inside the training leaves");
  keys.seed(spec.seed, "Draws the folds");
  const auto list = [&](std::string_view name, auto& values, Range range,
                        std::string_view sentence) {
    keys.key({name, &values, sentence, range});
    keys.check(name, check);
  };
  list("order", spec.orders, {0, kMaxFeatureOrder}, "Orders to choose among");
  list("channels", spec.channels, {}, "Lists of channels to choose among");
  list("shrinkage", spec.shrinkages, kShrinkages, "Values of pipeline.shrinkage to choose among");
  list("k", spec.ks, kNeighbours, "Values of classifier.k to choose among");
}

void validate(const TuningSpec& spec, const FeatureLayout& layout,
              const ClassifierSpec& classifier) {
  if (spec.folds < 2) throw UsageError("tuning.folds must be at least 2");
  for (const int order : spec.orders) {
    if (order > layout.order) {
      throw UsageError(fmt::format("order {} is above features.order, {}", order, layout.order));
    }
  }
  const std::vector<std::string> groups = layout.group_names();
  for (const std::vector<std::string>& channels : spec.channels) {
    if (channels.empty() && std::ranges::none_of(groups, is_beside_channels)) {
      throw UsageError("a candidate has no channels");
    }
    for (auto channel = channels.begin(); channel != channels.end(); ++channel) {
      if (std::find(channels.begin(), channel, *channel) != channel) {
        throw UsageError("channel '" + *channel + "' appears twice in one candidate");
      }
      if (is_beside_channels(*channel) || std::ranges::find(groups, *channel) == groups.end()) {
        throw UsageError("channel '" + *channel + "' is not among features.channels");
      }
    }
  }
  if (!spec.shrinkages.empty() && classifier.pipeline.projection != Projection::kPlda) {
    throw UsageError("choosing the shrinkage needs pipeline.projection: plda");
  }
}

std::vector<LeafSettings> tuning_candidates(const TuningSpec& spec, const FeatureLayout& layout,
                                            const ClassifierSpec& classifier) {
  validate(spec, layout, classifier);
  std::vector<LeafSettings> candidates = candidates_of(spec, layout, classifier, spec.optional);
  if (spec.optional.empty()) return candidates;
  const auto with = candidates_of(spec, layout, classifier, {});
  candidates.insert(candidates.end(), with.begin(), with.end());
  return candidates;
}

TunedSettings tune(const FeatureTable& training, std::span<const int> labels,
                   const TuningSpec& spec, const ClassifierSpec& classifier) {
  const std::vector<LeafSettings> candidates = tuning_candidates(spec, training.layout, classifier);
  const std::vector<Split> folds = stratified_folds(labels, spec.folds, spec.seed);
  std::vector<std::atomic<std::size_t>> right(candidates.size());
  parallel_for(candidates.size() * folds.size(), [&](std::size_t job) {
    throw_if_interrupted();
    const Split& fold = folds[job % folds.size()];
    if (fold.test.empty()) return;
    const LeafSettings& settings = candidates[job / folds.size()];
    const MemoryReservation memory =
        memory_to_fit(training, fold.train.size(), settings.classifier);
    right[job / folds.size()] +=
        right_predictions(select_columns(training, settings), labels, fold, settings.classifier);
  });
  // Among equal candidates the first wins.
  const auto best_of = [&](std::size_t first, std::size_t end) {
    std::size_t best = first;
    for (std::size_t i = first + 1; i < end; ++i) {
      if (right[i] > right[best]) best = i;
    }
    return best;
  };
  const auto share = [&](std::size_t i) {
    return static_cast<double>(right[i]) / static_cast<double>(labels.size());
  };
  const std::size_t best = best_of(0, candidates.size());
  TunedSettings tuned{candidates[best], share(best)};
  if (!spec.optional.empty()) {
    const std::size_t half = candidates.size() / 2;
    tuned.gain = {share(best_of(half, candidates.size())), share(best_of(0, half))};
  }
  return tuned;
}

std::string describe(const TuningSpec& spec, const FeatureLayout& layout,
                     const ClassifierSpec& classifier) {
  std::vector<std::string> parts;
  if (!spec.orders.empty())
    parts.push_back(fmt::format("order of {}", fmt::join(spec.orders, ", ")));
  if (!spec.channels.empty()) {
    std::vector<std::string> sets;
    for (const auto& channels : spec.channels)
      sets.push_back(fmt::format("[{}]", fmt::join(channels, ", ")));
    parts.push_back(fmt::format("channels of {}", fmt::join(sets, ", ")));
  }
  if (!spec.shrinkages.empty())
    parts.push_back(fmt::format("shrinkage of {:g}", fmt::join(spec.shrinkages, ", ")));
  if (!spec.ks.empty()) parts.push_back(fmt::format("k of {}", fmt::join(spec.ks, ", ")));
  if (!spec.optional.empty()) {
    parts.push_back(fmt::format("with or without {}", fmt::join(spec.optional, ", ")));
  }
  return fmt::format("{}-fold cross-validation inside the training leaves, {} candidates: {}",
                     spec.folds, tuning_candidates(spec, layout, classifier).size(),
                     fmt::join(parts, "; "));
}

std::string describe(const TunedSettings& tuned, const TuningSpec& spec) {
  const LeafSettings& s = tuned.settings;
  std::ostringstream text;
  auto part = [&, first = true](const std::string& name, const auto& value) mutable {
    text << (first ? "" : ", ") << name << " " << value;
    first = false;
  };
  if (!spec.orders.empty()) part("order", s.order);
  if (!spec.channels.empty()) {
    part("channels", fmt::format("[{}]", fmt::join(channels_of(s), ", ")));
  }
  if (!spec.shrinkages.empty()) part("shrinkage", s.classifier.pipeline.plda.shrinkage);
  if (!spec.ks.empty()) part("k", s.classifier.k);
  if (tuned.gain) {
    part(tuned.gain->with > tuned.gain->without ? "with" : "without",
         fmt::format("{}", fmt::join(spec.optional, ", ")));
  }
  return text.str();
}

}  // namespace leafglyph
