// Pairs of pixel rows of an image, folded about both axes.
#pragma once

#include <cstddef>

#include "features/image/image.h"
#include "features/separable/stream_kernels.h"

namespace leafglyph {

/// Folds the first `columns` pairs of columns in pair v of rows (disk_lines.h) of one image: with
/// a, b the pixels at x and -x in the upper row and c, d those in the lower one, the four values of
/// pair u are a + b + c + d, a + b - c - d, a - b + c - d and a - b - c + d. Those of 8-bit pixels
/// are exact integers.
void fold_rows(const ImageBatch& image, std::size_t v, std::size_t columns,
               const FoldedValues<double>& folded);

/// The transpose: writes the four pixels of every pair.
void unfold_rows(const FoldedValues<const double>& folded, std::size_t v, std::size_t columns,
                 int size, double* pixels);

}  // namespace leafglyph
