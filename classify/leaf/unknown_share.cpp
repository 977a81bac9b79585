#include "classify/leaf/unknown_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "features/base/text.h"

namespace leafglyph {

double UnknownShare::share() const {
  return leaves == 0 ? 0.0 : static_cast<double>(unknown) / static_cast<double>(leaves);
}

std::optional<UnknownShare> unknown_share(const NearestClassifier& classifier) {
  const std::span<const int> labels = classifier.labels();
  const std::optional<LeftOutClasses>& left_out = classifier.left_out_classes();
  UnknownShare share;
  share.species = static_cast<int>(std::set<int>(labels.begin(), labels.end()).size());
  if (share.species < kFewestForUnknown || !left_out) return std::nullopt;
  share.unknown = left_out->unknown;
  share.leaves = left_out->rows;
  share.groups = std::min(share.species, NearestClassifier::kOutlierFolds);
  return share;
}

std::string in_words(const std::optional<UnknownShare>& share, std::size_t species, bool refuses) {
  if (!refuses) return "leaves of other species are never called unknown: every leaf gets a name";
  if (species < static_cast<std::size_t>(kFewestForUnknown)) {
    return fmt::format(
        "what share of leaves of other species is called unknown cannot be measured with {} "
        "species; add another",
        species);
  }
  if (!share) return "what share of leaves of other species is called unknown was not measured";
  return fmt::format(
      "{} % of {} leaves of other species are called unknown, by leaving out the {} "
      "species {}{}",
      percent(share->share()), share->leaves, share->species,
      share->groups == share->species ? std::string("one by one")
                                      : fmt::format("in {} groups", share->groups),
      share->is_rough() ? ": a rough guide, with so few species" : "");
}

}  // namespace leafglyph
