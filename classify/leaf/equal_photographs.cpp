#include "classify/leaf/equal_photographs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/sha256.h"
#include "features/base/threads.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {
namespace {

// Identifies the sample's photograph; nothing if it cannot be read.
std::optional<std::string> fingerprint(const LeafDataset& dataset, std::size_t sample) {
  const LeafSample& leaf = dataset.samples[sample];
  try {
    const Image<std::uint8_t> grey =
        leaf.file.empty() ? drawn_photograph(dataset, leaf).grey : decode_image(leaf.file).grey;
    const auto pixels = grey.pixels();
    return fmt::format("{} {}", grey.width(),
                       sha256({reinterpret_cast<const char*>(pixels.data()), pixels.size()}));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void note(std::size_t first, std::size_t second, std::size_t photograph,
          std::set<std::size_t>& seen, SharedPhotographs& shared) {
  if (!seen.insert(photograph).second) return;
  if (shared.count++ > 0) return;
  shared.first = first;
  shared.second = second;
}

}  // namespace

std::vector<std::size_t> first_photographs(std::span<const LeafMeasures> measures,
                                           const LeafDataset& dataset) {
  std::map<std::array<double, 3>, std::vector<std::size_t>> candidates;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const LeafMeasures& m = measures[i];
    candidates[{m.area_share, m.mean_grey, m.spread_grey}].push_back(i);
  }
  std::vector<std::size_t> alike;
  for (const auto& [equal, samples] : candidates) {
    if (samples.size() > 1) alike.insert(alike.end(), samples.begin(), samples.end());
  }
  std::ranges::sort(alike);
  std::vector<std::optional<std::string>> prints(alike.size());
  parallel_for(alike.size(), [&](std::size_t i) { prints[i] = fingerprint(dataset, alike[i]); });
  std::vector<std::size_t> first(measures.size());
  std::iota(first.begin(), first.end(), std::size_t{0});
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < alike.size(); ++i) {
    if (prints[i]) first[alike[i]] = seen.emplace(*prints[i], alike[i]).first->second;
  }
  return first;
}

SharedPhotographs photographs_of_two_classes(std::span<const std::size_t> photographs,
                                             std::span<const int> labels) {
  SharedPhotographs shared;
  std::set<std::size_t> seen;
  for (std::size_t row = 0; row < photographs.size(); ++row) {
    const std::size_t first = photographs[row];
    if (labels[row] != labels[first]) note(first, row, first, seen, shared);
  }
  return shared;
}

SharedPhotographs photographs_of_both_parts(std::span<const std::size_t> photographs,
                                            std::span<const Split> splits) {
  SharedPhotographs shared;
  std::vector<std::size_t> rows(photographs.size(), 0);  // of each photograph
  for (const std::size_t photograph : photographs) ++rows[photograph];
  if (std::ranges::all_of(rows, [](std::size_t count) { return count < 2; })) return shared;
  std::set<std::size_t> seen;
  for (const Split& split : splits) {
    std::map<std::size_t, std::size_t> trained;
    for (const std::size_t row : split.train) {
      if (rows[photographs[row]] > 1) trained.emplace(photographs[row], row);
    }
    for (const std::size_t row : split.test) {
      const auto same = trained.find(photographs[row]);
      if (same != trained.end()) note(row, same->second, photographs[row], seen, shared);
    }
  }
  return shared;
}

void warn_of_shared(const SharedPhotographs& shared, const std::string& where,
                    std::span<const std::string> names, std::vector<std::string>& warnings) {
  if (shared.count == 0) return;
  warnings.insert(warnings.begin(),
                  fmt::format("{}{}{}; first: {} is {}", shared.count,
                              shared.count == 1 ? " photograph appears " : " photographs appear ",
                              where, names[shared.first], names[shared.second]));
}

}  // namespace leafglyph
