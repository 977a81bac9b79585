#include "tools/python/regions.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "features/base/errors.h"
#include "features/image/image.h"
#include "tools/python/arrays.h"

namespace leafglyph::python {
namespace {

using Labels = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

Labels labels_from(const py::object& object) {
  if (!py::isinstance<py::array>(object)) throw py::type_error("labels must be a numpy array");
  refuse_masked(object, "labels");
  const auto array = py::reinterpret_borrow<py::array>(object);
  const char kind = array.dtype().kind();
  if (kind != 'b' && kind != 'i' && kind != 'u') {
    throw py::type_error("labels of dtype " + py::str(array.dtype()).cast<std::string>() +
                         "; use integers or bool");
  }
  return Labels(array);
}

std::map<std::int64_t, MaskBox> boxes_of(const std::int64_t* labels, const ArraySize& size) {
  std::map<std::int64_t, MaskBox> boxes;
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column) {
      const std::int64_t label = *labels++;
      if (label <= 0) continue;
      const auto [place, added] = boxes.try_emplace(label, MaskBox{column, row, column, row});
      MaskBox& box = place->second;
      box.left = std::min(box.left, column);
      box.right = std::max(box.right, column);
      box.bottom = row;
    }
  }
  return boxes;
}

}  // namespace

Regions regions_of(const py::object& image, const py::object& labels) {
  const ImageArrays images = image_arrays(image, /*volumes=*/false);
  const ArraySize& size = images.size();
  const Labels numbers = labels_from(labels);
  if (!images.batch().empty() || numbers.ndim() != 2 || numbers.shape(0) != size.height ||
      numbers.shape(1) != size.width) {
    throw UsageError("labels of shape " + py::str(numbers.attr("shape")).cast<std::string>() +
                     " need one image (rows, columns) of the same shape");
  }
  std::vector<double> values;
  images.for_each_band([&](const ImageBatch& band, std::size_t) {
    with_pixels(band.type, band.pixels,
                [&](const auto* pixels) { values.assign(pixels, pixels + size.elements()); });
  });
  Regions regions;
  const std::int64_t* const of_pixel = numbers.data();
  for (const auto& [label, box] : boxes_of(of_pixel, size)) {
    py::array_t<double> region({box.height(), box.width()});
    double* out = region.mutable_data();
    for (int row = box.top; row <= box.bottom; ++row) {
      for (int column = box.left; column <= box.right; ++column) {
        const std::size_t p = static_cast<std::size_t>(row) * static_cast<std::size_t>(size.width) +
                              static_cast<std::size_t>(column);
        *out++ = of_pixel[p] == label ? values[p] : 0.0;
      }
    }
    regions.images.append(region);
    regions.names.push_back("label " + std::to_string(label));
  }
  return regions;
}

}  // namespace leafglyph::python
