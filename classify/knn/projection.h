// Linear projections of scaled feature rows: regularised discriminant and principal components.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace leafglyph {

/// A d x dimensions matrix: column c's share of dimension j at [c * dimensions + j].
struct LinearProjection {
  std::size_t dimensions = 0;
  std::vector<double> matrix;
};

/// The discriminant of Projection::kDiscriminant for rows x d centred data, which it works in
/// (component c of row i at [i * d + c]) of classes `labels`. `deviations`, more x d, count in W
/// beside those of the rows from the means of their classes. The smaller of a d x d system and one
/// of rows + more is solved. `dimensions` of 0 asks for all. Throws UsageError when there are fewer
/// dimensions than asked for, Error when W_s is singular.
LinearProjection discriminant_projection(std::vector<double> data, std::size_t d,
                                         std::span<const int> labels, double shrinkage,
                                         std::size_t dimensions,
                                         std::span<const double> deviations = {});

/// The principal components of centred data, of largest variance first.
LinearProjection principal_projection(std::span<const double> data, std::size_t d,
                                      std::size_t dimensions);

}  // namespace leafglyph
