// Products of rows and a matrix, each of which is summed in the same order whatever the other rows
// are. Matrix products of a BLAS may sum a row in another order when there are more of them.
#pragma once

#include <cstddef>
#include <span>

namespace leafglyph {

/// x A for each of `count` rows x: component j of row i at products[i * p + j], summed over the
/// columns in ascending order. `matrix` is A, column c of a row times A's c-th row of p numbers.
/// Throws UsageError if the lengths do not fit.
void products_of_rows(std::span<const double> rows, std::size_t count,
                      std::span<const double> matrix, std::span<double> products);

}  // namespace leafglyph
