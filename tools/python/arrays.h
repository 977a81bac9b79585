// numpy arrays as images, without copies.
#pragma once

#include <pybind11/numpy.h>

#include <complex>
#include <cstddef>
#include <vector>

#include "features/image/image.h"

namespace leafglyph::python {

namespace py = pybind11;

/// Keeps the values of an array where they are for as long as the object lives, whatever other
/// threads do: numpy refuses to resize an array to which there is a weak reference, even with
/// refcheck=False, but not one that is exported as a buffer or that others are views of.
class KeptInPlace {
 public:
  KeptInPlace() = default;
  explicit KeptInPlace(const py::array& array);

 private:
  py::list references_;  // to the array, and to those that it is a view of
};

/// A view of an array: its last two axes (volumes: three) are an image, those before them a batch.
struct ImageArray {
  py::array array;
  KeptInPlace kept;
  ImageBatch images;
  std::vector<py::ssize_t> batch;  ///< the axes before those of an image
};

/// Throws TypeError for what is not a numpy array or holds other numbers, UsageError for one with
/// too few or empty image axes, or not C-contiguous.
ImageArray image_array(const py::object& object, bool volumes);

/// The shape of what is computed of a batch: its axes, then `last`.
std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last);

}  // namespace leafglyph::python
