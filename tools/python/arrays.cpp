#include "tools/python/arrays.h"

#include <limits>
#include <string>

#include "features/base/errors.h"

namespace leafglyph::python {
namespace {

std::string text_of(const py::handle& thing) { return py::str(thing).cast<std::string>(); }

PixelType pixel_type(const py::array& array) {
  const py::dtype type = array.dtype();
  const bool native = type.attr("isnative").cast<bool>();
  const char kind = type.kind();
  const auto bytes = type.itemsize();
  if (native && (kind == 'u' || kind == 'b') && bytes == 1) return PixelType::kUint8;
  if (native && kind == 'u' && bytes == 2) return PixelType::kUint16;
  if (native && kind == 'f' && bytes == 4) return PixelType::kFloat;
  if (native && kind == 'f' && bytes == 8) return PixelType::kDouble;
  throw py::type_error("images of dtype " + text_of(type) +
                       "; use bool, uint8, uint16, float32 or float64 in the machine's byte order");
}

std::string shape_text(const py::array& array) { return text_of(array.attr("shape")); }

int axis_length(const py::array& array, py::ssize_t axis) {
  const py::ssize_t length = array.shape(axis);
  if (length < 1 || length > std::numeric_limits<int>::max()) {
    throw UsageError("an array of shape " + shape_text(array) + " has no images of 1 to 2^31 - 1 " +
                     "values along each axis");
  }
  return static_cast<int>(length);
}

}  // namespace

KeptInPlace::KeptInPlace(const py::array& array) {
  for (py::object one = array; py::isinstance<py::array>(one); one = one.attr("base")) {
    references_.append(py::weakref(one));
  }
}

ImageArray image_array(const py::object& object, bool volumes) {
  if (!py::isinstance<py::array>(object)) {
    throw py::type_error("images must be a numpy array, not " +
                         text_of(py::type::of(object).attr("__name__")));
  }
  ImageArray images;
  images.array = py::reinterpret_borrow<py::array>(object);
  const py::array& array = images.array;
  images.kept = KeptInPlace(array);
  ImageBatch& batch = images.images;
  batch.type = pixel_type(array);
  const py::ssize_t axes = volumes ? 3 : 2;
  const py::ssize_t first = array.ndim() - axes;
  if (first < 0) {
    throw UsageError("an array of shape " + shape_text(array) + " has no " +
                     (volumes ? "slices, rows and columns" : "rows and columns"));
  }
  batch.size = ArraySize(axis_length(array, first + axes - 1), axis_length(array, first + axes - 2),
                         volumes ? axis_length(array, first) : 0);
  batch.count = 1;
  for (py::ssize_t axis = 0; axis < first; ++axis) {
    images.batch.push_back(array.shape(axis));
    batch.count *= static_cast<std::size_t>(array.shape(axis));
  }
  if ((array.flags() & py::array::c_style) == 0) {
    throw UsageError("an array of shape " + shape_text(array) +
                     " is not C-contiguous; use numpy.ascontiguousarray");
  }
  batch.pixels = array.data();
  return images;
}

std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last) {
  for (const std::size_t length : last) batch.push_back(static_cast<py::ssize_t>(length));
  return batch;
}

}  // namespace leafglyph::python
