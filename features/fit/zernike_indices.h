// The numbers by which optics counts the real Zernike polynomials.
#pragma once

#include <string>
#include <vector>

#include "features/base/names.h"

namespace leafglyph {

/// A real polynomial: of degree n, with cos(m theta) for m >= 0 and sin(|m| theta) for m < 0.
struct ZernikeTerm {
  int n = 0;
  int m = 0;
  friend bool operator==(const ZernikeTerm&, const ZernikeTerm&) = default;
};

enum class ZernikeNumbers {
  kNoll,    ///< from 1; R. J. Noll, J. Opt. Soc. Am. 66 (1976), 207
  kOsa,     ///< from 0; ANSI Z80.28, the OSA's standard: by n, then by m
  kFringe,  ///< from 1; the University of Arizona's: by n + |m|, then by falling |m|. Programs with
            ///< 37 of them call (12, 0) the 37th, which is the 49th
};
template <>
inline constexpr Names<ZernikeNumbers, 3> kNamesOf<ZernikeNumbers> = {
    "indices",
    {{{ZernikeNumbers::kNoll, "noll"},
      {ZernikeNumbers::kOsa, "osa"},
      {ZernikeNumbers::kFringe, "fringe"}}}};

/// The number of a term.
int number_of(ZernikeNumbers numbers, const ZernikeTerm& term);
/// The term of a number, from that of piston on. Throws UsageError for a smaller one.
ZernikeTerm term_of(ZernikeNumbers numbers, int number);
/// All terms of degree at most `order`, by n, then by m.
std::vector<ZernikeTerm> terms_to_order(int order);

/// What optics calls the term, such as "defocus"; empty where it has no name.
std::string aberration_of(const ZernikeTerm& term);

}  // namespace leafglyph
