#include "features/moment_spec.h"

#include "features/errors.h"

namespace leafglyph {

void validate(const MomentSpec& spec) {
  if (spec.order < 0) {
    throw UsageError("order " + std::to_string(spec.order) + " is negative; use 0 or more");
  }
  if (spec.method == Method::kSubregion && spec.subregions < 1) {
    throw UsageError("k = " + std::to_string(spec.subregions) + " sub-regions; use 1 or more");
  }
  if (spec.method == Method::kExact && spec.family != Family::kZernike) {
    throw UsageError("the exact method serves Zernike moments only, not " +
                     std::string(family_name(spec.family)));
  }
}

std::size_t moment_count(Family family, int order) {
  const auto t = static_cast<std::size_t>(order);
  if (family == Family::kPseudoZernike) return (t + 1) * (t + 2) / 2;
  return (t / 2 + 1) * ((t + 1) / 2 + 1);
}

std::vector<MomentIndex> moment_indices(Family family, int order) {
  std::vector<MomentIndex> indices;
  indices.reserve(moment_count(family, order));
  const int step = family == Family::kZernike ? 2 : 1;
  for (int n = 0; n <= order; ++n) {
    for (int m = n % step; m <= n; m += step) indices.push_back({n, m});
  }
  return indices;
}

std::size_t moment_position(Family family, int n, int m) {
  const std::size_t before = n == 0 ? 0 : moment_count(family, n - 1);
  return before + static_cast<std::size_t>(family == Family::kZernike ? m / 2 : m);
}

std::string_view family_name(Family family) {
  return family == Family::kZernike ? "zernike" : "pseudo-zernike";
}

Family family_from_name(std::string_view name) {
  if (name == "zernike") return Family::kZernike;
  if (name == "pseudo-zernike") return Family::kPseudoZernike;
  throw UsageError("moment family '" + std::string(name) +
                   "' is unknown; use zernike or pseudo-zernike");
}

std::string describe(const MomentSpec& spec) {
  std::string text(family_name(spec.family));
  text += ", order " + std::to_string(spec.order);
  text += spec.method == Method::kExact ? ", exact" : ", k = " + std::to_string(spec.subregions);
  return text;
}

}  // namespace leafglyph
