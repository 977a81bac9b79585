// The sums of one piece of a row of sites, compiled once per instruction set.
#pragma once

#include "features/local/local_tables.h"

namespace leafglyph {

struct LocalKernels {
  /// The prefix sums of a row: sums[p * row_length + place[u]] = sum over the pixels before u of
  /// value times P_p, of values[0], ..., values[pixels - 1].
  void (*prefix_sums)(const LocalTables& tables, const double* values, double* sums);
  /// The numbers of the sites of a piece: out[c * stride + i], and padding up to padded_sites.
  /// rows[reach + dy] are the prefix sums of the row dy below the sites. `products` is room for 2
  /// degrees^2 padded_sites numbers on a cache line.
  void (*numbers)(const LocalTables& tables, const double* const* rows, double* products,
                  double* out, std::size_t stride);
};

/// The fastest kernels that this processor can run.
const LocalKernels& local_kernels();

}  // namespace leafglyph
