// numpy arrays as images, without copies.
#pragma once

#include <pybind11/numpy.h>

#include <complex>
#include <cstddef>
#include <vector>

#include "features/image/image.h"

namespace leafglyph::python {

namespace py = pybind11;

/// A view of an array: its last two axes (volumes: three) are an image, those before them a batch.
struct ImageArray {
  py::array array;  ///< keeps the values where they are
  ImageBatch images;
  std::vector<py::ssize_t> batch;  ///< the axes before those of an image
};

/// Throws TypeError for what is no numpy array or holds other numbers, UsageError for one with too
/// few or empty image axes, or not C-contiguous.
ImageArray image_array(const py::object& object, bool volumes);

/// The shape of what is computed of a batch: its axes, then `last`.
std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last);

}  // namespace leafglyph::python
