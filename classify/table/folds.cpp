#include "classify/table/folds.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace leafglyph {
namespace {

// Uniform below `bound`, by rejection. The standard library's distributions and std::shuffle may
// differ between implementations; this does not.
std::size_t draw_below(std::mt19937_64& generator, std::size_t bound) {
  constexpr std::uint64_t kTop = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = kTop - kTop % bound;
  std::uint64_t value = generator();
  while (value >= limit) value = generator();
  return static_cast<std::size_t>(value % bound);
}

}  // namespace

RowsByClass rows_by_class(std::span<const int> labels) {
  RowsByClass groups;
  for (std::size_t i = 0; i < labels.size(); ++i) groups[labels[i]].push_back(i);
  return groups;
}

RowClasses classes_of(std::span<const int> labels) {
  RowClasses classes;
  // Rows of a class mostly follow one another: each is looked up if it is not of the last one.
  auto last = classes.counts.end();
  for (const int label : labels) {
    if (last == classes.counts.end() || last->first != label) {
      last = classes.counts.try_emplace(label).first;
    }
    ++last->second;
  }
  std::map<int, std::uint32_t> places;
  for (const auto& [label, rows] : classes.counts) {
    places.emplace(label, static_cast<std::uint32_t>(places.size()));
  }
  classes.of_rows.reserve(labels.size());
  auto place = places.end();
  for (const int label : labels) {
    if (place == places.end() || place->first != label) place = places.find(label);
    classes.of_rows.push_back(place->second);
  }
  return classes;
}

void shuffle_rows(std::vector<std::size_t>& rows, std::mt19937_64& generator) {
  for (std::size_t i = rows.size(); i > 1; --i) {
    std::swap(rows[i - 1], rows[draw_below(generator, i)]);
  }
}

std::mt19937_64 generator_for(std::uint64_t seed, int repeat) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(repeat)};
  return std::mt19937_64(sequence);
}

void sort_split(Split& split) {
  std::sort(split.train.begin(), split.train.end());
  std::sort(split.test.begin(), split.test.end());
  std::sort(split.unknown.begin(), split.unknown.end());
}

std::vector<Split> class_folds(std::span<const int> labels, int groups) {
  const auto count = static_cast<std::size_t>(groups);
  std::map<int, std::size_t> group;
  for (const auto& [label, rows] : rows_by_class(labels))
    group.emplace(label, group.size() % count);
  std::vector<Split> splits(count);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t g = 0; g < count; ++g) {
      (group.at(labels[i]) == g ? splits[g].test : splits[g].train).push_back(i);
    }
  }
  return splits;
}

std::vector<Split> stratified_folds(std::span<const int> labels, int folds, std::uint64_t seed,
                                    int repeat) {
  std::mt19937_64 generator = generator_for(seed, repeat);
  const auto count = static_cast<std::size_t>(folds);
  std::vector<Split> splits(count);
  // Each class continues where the previous one ended, so that all folds have similar sizes.
  std::size_t next = 0;
  for (const auto& [label, rows] : rows_by_class(labels)) {
    std::vector<std::size_t> order = rows;
    shuffle_rows(order, generator);
    for (const std::size_t row : order) {
      for (std::size_t fold = 0; fold < count; ++fold) {
        (fold == next ? splits[fold].test : splits[fold].train).push_back(row);
      }
      next = (next + 1) % count;
    }
  }
  for (Split& split : splits) sort_split(split);
  return splits;
}

}  // namespace leafglyph
