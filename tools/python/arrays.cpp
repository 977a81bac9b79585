#include "tools/python/arrays.h"

#include <algorithm>
#include <limits>
#include <string>

#include "features/base/errors.h"
#include "features/base/parallel_for.h"

namespace leafglyph::python {
namespace {

constexpr std::size_t kPartBytes = std::size_t{8} << 20;

std::string text_of(const py::handle& thing) { return py::str(thing).cast<std::string>(); }

Sample sample_of(const py::array& array) {
  const py::dtype type = array.dtype();
  const bool native = type.attr("isnative").cast<bool>();
  const char kind = type.kind();
  const auto bytes = type.itemsize();
  if (native && (kind == 'u' || kind == 'b') && bytes == 1) return Sample::kUint8;
  if (native && kind == 'u' && bytes == 2) return Sample::kUint16;
  if (native && kind == 'f' && bytes == 4) return Sample::kFloat;
  if (native && kind == 'f' && bytes == 8) return Sample::kDouble;
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

std::span<const std::uint16_t> ImageArray::words() const {
  return {static_cast<const std::uint16_t*>(values), count * size.elements()};
}

ImageBatch ImageArray::images() const {
  ImageBatch batch;
  batch.pixels = values;
  batch.type = sample == Sample::kUint8   ? PixelType::kUint8
               : sample == Sample::kFloat ? PixelType::kFloat
                                          : PixelType::kDouble;
  batch.count = count;
  batch.size = size;
  return batch;
}

ImageArray image_array(const py::object& object, bool volumes) {
  if (!py::isinstance<py::array>(object)) {
    throw py::type_error("images are a numpy array, not " +
                         text_of(py::type::of(object).attr("__name__")));
  }
  ImageArray images;
  images.array = py::reinterpret_borrow<py::array>(object);
  images.sample = sample_of(images.array);
  const py::ssize_t axes = volumes ? 3 : 2;
  const py::ssize_t first = images.array.ndim() - axes;
  if (first < 0) {
    throw UsageError("an array of shape " + shape_text(images.array) + " has no " +
                     (volumes ? "slices, rows and columns" : "rows and columns"));
  }
  images.size = ArraySize(axis_length(images.array, first + axes - 1),
                          axis_length(images.array, first + axes - 2),
                          volumes ? axis_length(images.array, first) : 0);
  images.count = 1;
  for (py::ssize_t axis = 0; axis < first; ++axis) {
    images.batch.push_back(images.array.shape(axis));
    images.count *= static_cast<std::size_t>(images.array.shape(axis));
  }
  if ((images.array.flags() & py::array::c_style) == 0) {
    throw UsageError("an array of shape " + shape_text(images.array) +
                     " is not C-contiguous; use numpy.ascontiguousarray");
  }
  images.values = images.array.data();
  return images;
}

void for_each_batch(const ImageArray& images,
                    const std::function<void(const ImageBatch&, std::size_t)>& use) {
  if (images.count == 0) return;
  if (images.sample != Sample::kUint16) {
    use(images.images(), 0);
    return;
  }
  const std::size_t pixels = images.size.elements();
  const std::size_t part = std::max<std::size_t>(1, kPartBytes / (pixels * sizeof(float)));
  std::vector<float> floats(std::min(part, images.count) * pixels);
  for (std::size_t first = 0; first < images.count; first += part) {
    const std::size_t count = std::min(part, images.count - first);
    parallel_for(count, [&](std::size_t i) {
      const auto words = images.words().subspan((first + i) * pixels, pixels);
      std::copy(words.begin(), words.end(), floats.data() + i * pixels);
    });
    use(ImageBatch(std::span<const float>(floats).first(count * pixels), count, images.size),
        first);
  }
}

std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last) {
  for (const std::size_t length : last) batch.push_back(static_cast<py::ssize_t>(length));
  return batch;
}

}  // namespace leafglyph::python
