#include "classify/classifier/fold_judge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "classify/nearest/group_search.h"
#include "features/base/aligned_vector.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// The rows, or if there are more than `most`, that many of them, evenly spread.
std::vector<std::size_t> spread_over(std::span<const std::size_t> rows, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    chosen.push_back(rows.size() <= most ? rows[i] : rows[i * rows.size() / most]);
  }
  return chosen;
}

/// Some training rows of a split, as its model sees them, and its queries' nearest ones among them.
struct SplitPart {
  std::vector<int> labels;
  std::vector<float> rows;
  NeighbourLists nearest;  // their rows are places in the table
};

// Judges the test rows of one split while parts of its training rows pass by.
class SplitJudge {
 public:
  SplitJudge(std::span<const int> labels, const Split& split, const SplitPipeline& fitted,
             const JudgeSpec& spec)
      : labels_(labels), split_(&split), pipeline_(&fitted.pipeline), classes_(fitted.classes) {
    judged_.which = spread_over(split.test, spec.most);
    queries_.resize(judged_.which.size() * pipeline_->dimension());
    sought_.resize(queries_.size());
    nearest_.k = std::min(spec.k, split.train.size());
    nearest_.entries.assign(judged_.which.size() * nearest_.k, kNoNeighbour);
    if (classes_.size() <= std::max(spec.probed, spec.all)) return;
    // Not by the cosine: the mean of a class amid the others has no direction.
    centres_.emplace(Metric::kEuclidean, pipeline_->dimension());
    centres_->add(compared(fitted.centres, *pipeline_));
    near_centres_ = {spec.probed, std::vector<Neighbour>(judged_.which.size() * spec.probed)};
  }

  // The queries are prepared in parts, in any order.
  std::size_t query_parts() const { return (judged_.which.size() + kTogether - 1) / kTogether; }

  // `scaled` are the rows of the table as the pipeline scales them; empty if they are not at hand.
  void prepare(std::size_t part, const FeatureTable& table, std::span<const float> scaled) {
    const std::size_t first = part * kTogether, columns = table.layout.columns();
    const auto some =
        std::span(judged_.which).subspan(first, std::min(kTogether, judged_.which.size() - first));
    std::vector<float> rows;
    rows.reserve(some.size() * columns);
    for (const std::size_t row : some) {
      const auto values = scaled.empty() ? table.row(row) : scaled.subspan(row * columns, columns);
      rows.insert(rows.end(), values.begin(), values.end());
    }
    if (scaled.empty()) rows = pipeline_->scaled(rows);
    const std::vector<float> projected = pipeline_->project(rows);
    const std::vector<float> sought = compared(projected, *pipeline_);
    const auto place = static_cast<std::ptrdiff_t>(first * pipeline_->dimension());
    std::ranges::copy(projected, queries_.begin() + place);
    std::ranges::copy(sought, sought_.begin() + place);
    if (!centres_) return;
    const NeighbourLists near = centres_->search(sought, near_centres_.k);
    std::ranges::copy(near.entries, near_centres_.entries.begin() +
                                        static_cast<std::ptrdiff_t>(first * near_centres_.k));
  }

  // After all parts: each query probes the classes with the nearest means.
  void finish_queries() {
    if (!centres_) return;
    probing_.resize(classes_.size());
    for (std::size_t q = 0; q < near_centres_.count(); ++q) {
      for (const Neighbour& centre : near_centres_.of(q)) {
        probing_[static_cast<std::size_t>(centre.row)].push_back(static_cast<std::uint32_t>(q));
      }
    }
    centres_.reset();
    near_centres_ = {};
  }

  // Of the rows `first` and following, which are scaled.
  SplitPart part(std::span<const float> scaled, std::size_t first) const {
    const std::size_t p = pipeline_->dimension();
    const std::vector<float> projected = pipeline_->project(scaled);
    const std::size_t end = first + projected.size() / p;
    SplitPart part;
    std::vector<std::size_t> places;
    for (auto i = std::ranges::lower_bound(split_->train, first);
         i != split_->train.end() && *i < end; ++i) {
      const auto row = std::span(projected).subspan((*i - first) * p, p);
      part.rows.insert(part.rows.end(), row.begin(), row.end());
      places.push_back(*i);
      part.labels.push_back(labels_[*i]);
    }
    if (places.empty()) return part;
    part.nearest = nearest_in(part, places.size());
    for (Neighbour& neighbour : part.nearest.entries) {
      if (neighbour == kNoNeighbour) continue;
      neighbour.row = static_cast<std::int64_t>(places[static_cast<std::size_t>(neighbour.row)]);
    }
    return part;
  }

  void take(const SplitPart& part) {
    add_to(totals_, part.rows, part.labels, pipeline_->dimension());
    std::vector<Neighbour> both;
    for (std::size_t i = 0; i < part.nearest.count(); ++i) {
      const auto list = std::span(nearest_.entries).subspan(i * nearest_.k, nearest_.k);
      const auto more = part.nearest.of(i);
      both.resize(list.size() + more.size());
      std::ranges::merge(list, more, both.begin(), nearer);
      std::copy_n(both.begin(), list.size(), list.begin());
    }
  }

  JudgedRows finish() {
    const std::size_t p = pipeline_->dimension();
    const ClassLikelihood likelihood(pipeline_->state().plda->spread(), totals_);
    const auto candidates = candidates_of(nearest_, nearest_.k, queries_, likelihood, labels_);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const int truth = labels_[judged_.which[i]];
      JudgedRow row;
      for (const RankedClass& ranked : candidates[i]) {
        if (ranked.label == truth) row.truth = row.evidence.size();
        row.evidence.push_back(ranked.score);
      }
      std::optional<double> typical;
      if (totals_.contains(truth)) {
        typical =
            likelihood.log_ratio(likelihood.place_of(truth), std::span(queries_).subspan(i * p, p));
      }
      if (typical && !row.truth) {
        // A class that is not among the candidates competes as if its nearest row were the last
        // of the neighbours.
        row.truth = row.evidence.size();
        row.evidence.push_back(evidence(*typical, nearest_.of(i).back().distance, likelihood));
      }
      judged_.typical.push_back(typical);
      judged_.rows.push_back(std::move(row));
      judged_.first.push_back(candidates[i].front().label);
    }
    return std::move(judged_);
  }

 private:
  static constexpr std::size_t kTogether = 256;

  NeighbourLists nearest_in(const SplitPart& part, std::size_t rows) const {
    KnnIndex index(Metric::kCosine, pipeline_->dimension());
    index.add(compared(part.rows, *pipeline_));
    if (probing_.empty()) return index.search(sought_, std::min(nearest_.k, rows));
    std::vector<std::uint32_t> groups;
    for (const int label : part.labels) {
      const auto place = std::ranges::lower_bound(classes_, label) - classes_.begin();
      groups.push_back(static_cast<std::uint32_t>(place));
    }
    return search_groups(index, sought_, {groups, probing_}, nearest_);
  }

  std::span<const int> labels_;
  const Split* split_;
  const FeaturePipeline* pipeline_;
  std::span<const int> classes_;                     // of the training rows, ascending
  std::optional<KnnIndex> centres_;                  // of the classes, if not all are probed
  NeighbourLists near_centres_;                      // of each query
  std::vector<std::vector<std::uint32_t>> probing_;  // the queries that probe each class, or none
  JudgedRows judged_;
  std::vector<float> queries_, sought_;  // of the judged rows, and as an index compares them
  NeighbourLists nearest_;
  ClassTotals totals_;
};

}  // namespace

std::vector<float> roots_of_beta(std::span<const double> spread) {
  std::vector<float> roots;
  for (const double b : spread) roots.push_back(static_cast<float>(std::sqrt(b / (1 + b))));
  return roots;
}

std::vector<float> compared(std::vector<float> rows, const FeaturePipeline& pipeline) {
  if (!pipeline.state().plda) return rows;
  const std::vector<float> roots = roots_of_beta(pipeline.state().plda->spread());
  const std::size_t p = roots.size();
  for (std::size_t first = 0; first < rows.size(); first += p) {
    for (std::size_t j = 0; j < p; ++j) rows[first + j] *= roots[j];
  }
  return rows;
}

double evidence(double log_ratio, float nearest_distance, const ClassLikelihood& likelihood) {
  const std::size_t classes = likelihood.labels().size();
  if (classes == 1) return log_ratio;
  const double directions =
      static_cast<double>(likelihood.means().size()) / static_cast<double>(classes);
  return log_ratio + kNearestWeight * directions * (1.0 - static_cast<double>(nearest_distance));
}

void sort_by_evidence(std::vector<RankedClass>& classes, std::span<const float> query,
                      const ClassLikelihood& likelihood) {
  for (RankedClass& ranked : classes) {
    ranked.score = evidence(likelihood.log_ratio(likelihood.place_of(ranked.label), query),
                            ranked.distance, likelihood);
  }
  std::ranges::stable_sort(classes, std::greater(), &RankedClass::score);
}

std::vector<std::vector<RankedClass>> candidates_of(const NeighbourLists& lists, std::size_t k,
                                                    std::span<const float> queries,
                                                    const ClassLikelihood& likelihood,
                                                    std::span<const int> labels) {
  std::vector<std::vector<RankedClass>> all(lists.count());
  const std::size_t p = queries.size() / std::max<std::size_t>(1, all.size());
  parallel_for({all.size(), /*at_a_time=*/16}, [&](std::size_t i) {
    all[i] = rank_classes(lists.of(i).first(k), k, labels);
    sort_by_evidence(all[i], queries.subspan(i * p, p), likelihood);
  });
  return all;
}

namespace {

void prepare_queries(std::span<SplitJudge> judges, const FeatureTable& table,
                     std::span<const float> scaled) {
  std::vector<std::pair<SplitJudge*, std::size_t>> parts;
  for (SplitJudge& judge : judges) {
    for (std::size_t part = 0; part < judge.query_parts(); ++part) parts.emplace_back(&judge, part);
  }
  parallel_for({.count = parts.size(), .helps_within = true},
               [&](std::size_t i) { parts[i].first->prepare(parts[i].second, table, scaled); });
  parallel_for(judges.size(), [&](std::size_t s) { judges[s].finish_queries(); });
}

}  // namespace

// Several parts of the rows are scaled at a time, so that there is work for every thread.
std::vector<JudgedRows> judge_splits(const FeatureTable& table, std::span<const int> labels,
                                     std::span<const Split> splits, const SplitPipelines& fitted,
                                     const JudgeSpec& spec, const FitWork& work) {
  std::vector<SplitJudge> judges;
  judges.reserve(splits.size());
  for (std::size_t s = 0; s < splits.size(); ++s) {
    judges.emplace_back(labels, splits[s], fitted.of_splits[s], spec);
  }
  prepare_queries(judges, table, fitted.scaled);
  const std::size_t columns = table.layout.columns(), count = splits.size();
  const auto threads = static_cast<std::size_t>(thread_count());
  const std::size_t together = kRowsHeld * std::max<std::size_t>(1, 2 * threads / count);
  LargeVector<float> copy, made;
  for (std::size_t first = 0; first < table.rows(); first += together) {
    const std::size_t present = std::min(together, table.rows() - first);
    if (fitted.scaled.empty()) {
      made.resize(present * columns);
      fitted.all.scaled(table.part(first, present, copy), made);
    }
    const std::span<const float> scaled =
        fitted.scaled.empty() ? std::span<const float>(made) : fitted.scaled;
    std::vector<SplitPart> parts((present + kRowsHeld - 1) / kRowsHeld * count);
    parallel_for({.count = parts.size(), .helps_within = true}, [&](std::size_t i) {
      const std::size_t begin = i / count * kRowsHeld, held = std::min(kRowsHeld, present - begin);
      parts[i] =
          judges[i % count].part(scaled.subspan(begin * columns, held * columns), first + begin);
    });
    parallel_for(count, [&](std::size_t s) {
      for (std::size_t i = s; i < parts.size(); i += count) judges[s].take(parts[i]);
    });
    work.judged(present);
  }
  std::vector<JudgedRows> judged(count);
  parallel_for(count, [&](std::size_t s) { judged[s] = judges[s].finish(); });
  return judged;
}

}  // namespace leafglyph
