// Views numpy arrays as images, without copying them.
#pragma once

#include <pybind11/numpy.h>

#include <complex>
#include <cstddef>
#include <vector>

#include "features/image/image.h"

namespace leafglyph::python {

namespace py = pybind11;

/// While it exists, no other thread can move the values of the array. It holds weak references,
/// because numpy refuses to resize an array that has one, even with refcheck=False. A buffer export
/// or a view of the array would not stop numpy.
class KeptInPlace {
 public:
  KeptInPlace() = default;
  explicit KeptInPlace(const py::array& array);

 private:
  py::list references_;  // to the array, and to the arrays that it is a view of
};

/// A view of an array. The last two axes (volumes: three) are an image, the axes before them a
/// batch.
struct ImageArray {
  py::array array;
  KeptInPlace kept;
  ImageBatch images;
  std::vector<py::ssize_t> batch;  ///< lengths of the axes before those of an image
};

/// Throws TypeError if the object is not a numpy array or its dtype is not supported, UsageError if
/// the array is not C-contiguous, or its image axes are too few, empty or longer than an int.
ImageArray image_array(const py::object& object, bool volumes);

/// The shape of a result for a batch: the axes of the batch, then `last`.
std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last);

}  // namespace leafglyph::python
