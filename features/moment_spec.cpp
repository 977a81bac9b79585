#include "features/moment_spec.h"

#include <algorithm>
#include <array>

#include "features/errors.h"

namespace leafglyph {
namespace {

struct FamilyName {
  Family family;
  std::string_view name;
};
constexpr std::array kFamilies = {
    FamilyName{Family::kZernike, "zernike"},
    FamilyName{Family::kPseudoZernike, "pseudo-zernike"},
    FamilyName{Family::kBesselFourier, "bessel-fourier"},
    FamilyName{Family::kLegendre, "legendre"},
};

}  // namespace

void validate(const MomentSpec& spec) {
  if (spec.order < 0) {
    throw UsageError("order " + std::to_string(spec.order) + " is negative; use 0 or more");
  }
  if (spec.family == Family::kBesselFourier && spec.order < 1) {
    throw UsageError("Bessel-Fourier moments start at order 1; use 1 or more");
  }
  const bool uses_k = spec.method == Method::kSubregion || spec.method == Method::kGauss;
  if (uses_k && spec.subregions < 1) {
    throw UsageError("k = " + std::to_string(spec.subregions) + " points a side; use 1 or more");
  }
  if (spec.method == Method::kExact && spec.family != Family::kZernike &&
      spec.family != Family::kLegendre) {
    throw UsageError("the exact method serves zernike and legendre moments; use adaptive points");
  }
  if (spec.method == Method::kAdaptive && spec.family == Family::kLegendre) {
    throw UsageError("adaptive points do not serve legendre moments; use the exact method");
  }
}

bool is_circular(Family family) {
  return family == Family::kZernike || family == Family::kPseudoZernike ||
         family == Family::kBesselFourier;
}

std::size_t moment_count(Family family, int order) {
  const auto t = static_cast<std::size_t>(order);
  if (family == Family::kPseudoZernike || family == Family::kLegendre) {
    return (t + 1) * (t + 2) / 2;
  }
  if (family == Family::kBesselFourier) return t * (t + 1);
  return (t / 2 + 1) * ((t + 1) / 2 + 1);
}

std::vector<MomentIndex> moment_indices(Family family, int order) {
  std::vector<MomentIndex> indices;
  indices.reserve(moment_count(family, order));
  if (family == Family::kBesselFourier) {
    for (int shell = 1; shell <= order; ++shell) {
      for (int n = 1; n < shell; ++n) indices.push_back({n, shell});
      for (int m = 0; m <= shell; ++m) indices.push_back({shell, m});
    }
    return indices;
  }
  if (family == Family::kLegendre) {
    for (int total = 0; total <= order; ++total) {
      for (int m = 0; m <= total; ++m) indices.push_back({total - m, m});
    }
    return indices;
  }
  const int step = family == Family::kZernike ? 2 : 1;
  for (int n = 0; n <= order; ++n) {
    for (int m = n % step; m <= n; m += step) indices.push_back({n, m});
  }
  return indices;
}

int order_of(Family family, const MomentIndex& index) {
  if (family == Family::kBesselFourier) return std::max(index.n, index.m);
  return family == Family::kLegendre ? index.n + index.m : index.n;
}

std::size_t moment_position(Family family, int n, int m) {
  if (family == Family::kBesselFourier) {
    const int shell = n > m ? n : m;
    const int within = m == shell && n < shell ? n - 1 : shell - 1 + m;
    return moment_count(family, shell - 1) + static_cast<std::size_t>(within);
  }
  if (family == Family::kLegendre) {
    const auto total = static_cast<std::size_t>(n + m);
    return total * (total + 1) / 2 + static_cast<std::size_t>(m);
  }
  const std::size_t before = n == 0 ? 0 : moment_count(family, n - 1);
  return before + static_cast<std::size_t>(family == Family::kZernike ? m / 2 : m);
}

std::string_view family_name(Family family) {
  for (const auto& known : kFamilies) {
    if (known.family == family) return known.name;
  }
  throw UsageError("moment family number " + std::to_string(static_cast<int>(family)) +
                   " is unknown");
}

Family family_from_name(std::string_view name) {
  std::string names;
  for (const auto& known : kFamilies) {
    if (known.name == name) return known.family;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw UsageError("moment family '" + std::string(name) + "' is unknown; use one of " + names);
}

std::string describe(const MomentSpec& spec) {
  std::string text(family_name(spec.family));
  text += ", order " + std::to_string(spec.order);
  const std::string k = std::to_string(spec.subregions);
  switch (spec.method) {
    case Method::kSubregion:
      return text + ", k = " + k;
    case Method::kGauss:
      return text + ", " + k + " x " + k + " Gauss points";
    case Method::kExact:
      return text + ", exact";
    case Method::kAdaptive:
      return text + ", adaptive Gauss points";
  }
  return text;
}

}  // namespace leafglyph
