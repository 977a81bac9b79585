#include "features/fit/zernike_indices.h"

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// The terms of degree n have numbers from this one on, by Noll and (one less) by OSA.
int first_of_degree(int n) { return n * (n + 1) / 2 + 1; }

int degree_of(int number) {
  int n = static_cast<int>((std::sqrt(8.0 * number - 7) - 1) / 2);
  while (first_of_degree(n + 1) <= number) ++n;
  while (first_of_degree(n) > number) --n;
  return n;
}

// Even numbers are cosines; within a degree |m| rises by steps of two.
ZernikeTerm noll_term(int number) {
  const int n = degree_of(number);
  const int place = number - first_of_degree(n);
  const int m = n % 2 == 0 ? (place + 1) / 2 * 2 : place / 2 * 2 + 1;
  return {n, number % 2 == 0 ? m : -m};
}

int noll_number(const ZernikeTerm& term) {
  const int m = std::abs(term.m);
  const int first = first_of_degree(term.n);
  if (m == 0) return first;
  const int pair = first + m - 1;  // of the two numbers of this |m| the smaller one
  return (pair % 2 == 0) == (term.m > 0) ? pair : pair + 1;
}

// Groups of n + |m| = 2 (g - 1), whose last number is g^2.
ZernikeTerm fringe_term(int number) {
  int group = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(number))));
  while (group * group < number) ++group;
  while ((group - 1) * (group - 1) >= number) --group;
  const int back = group * group - number;  // from the term with m = 0
  const int m = (back + 1) / 2;
  return {2 * (group - 1) - m, back % 2 == 0 ? m : -m};
}

}  // namespace

int number_of(ZernikeNumbers numbers, const ZernikeTerm& term) {
  const int n = term.n, m = std::abs(term.m);
  switch (numbers) {
    case ZernikeNumbers::kNoll:
      return noll_number(term);
    case ZernikeNumbers::kOsa:
      return (n * (n + 2) + term.m) / 2;
    case ZernikeNumbers::kFringe:
      break;
  }
  const int group = 1 + (n + m) / 2;
  return group * group - 2 * m + (term.m < 0 ? 1 : 0);
}

ZernikeTerm term_of(ZernikeNumbers numbers, int number) {
  const int first = numbers == ZernikeNumbers::kOsa ? 0 : 1;
  if (number < first) {
    throw UsageError("the Zernike polynomials are counted from " + std::to_string(first) + " (" +
                     std::string(name_of(numbers)) + "), not " + std::to_string(number));
  }
  if (numbers == ZernikeNumbers::kFringe) return fringe_term(number);
  if (numbers == ZernikeNumbers::kNoll) return noll_term(number);
  const int n = degree_of(number + 1);
  return {n, 2 * number - n * (n + 2)};
}

std::vector<ZernikeTerm> terms_to_order(int order) {
  std::vector<ZernikeTerm> terms;
  for (int n = 0; n <= order; ++n) {
    for (int m = -n; m <= n; m += 2) terms.push_back({n, m});
  }
  return terms;
}

std::string aberration_of(const ZernikeTerm& term) {
  struct Aberration {
    int n, m;
    std::string_view name;
    bool has_axes = true;
  };
  constexpr Aberration kAberrations[] = {{0, 0, "piston", false},
                                         {1, 1, "tilt"},
                                         {2, 0, "defocus", false},
                                         {2, 2, "astigmatism"},
                                         {3, 1, "coma"},
                                         {3, 3, "trefoil"},
                                         {4, 0, "spherical", false},
                                         {4, 2, "secondary astigmatism"},
                                         {4, 4, "tetrafoil"},
                                         {5, 1, "secondary coma"},
                                         {6, 0, "secondary spherical", false}};
  for (const Aberration& known : kAberrations) {
    if (known.n != term.n || known.m != std::abs(term.m)) continue;
    if (!known.has_axes) return std::string(known.name);
    const std::string_view axes[] = {" x", " y"};
    return std::string(known.name) + std::string(axes[term.m > 0 ? 0 : 1]);
  }
  return "";
}

}  // namespace leafglyph
