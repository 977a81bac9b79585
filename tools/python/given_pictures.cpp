#include "tools/python/given_pictures.h"

#include <pybind11/stl/filesystem.h>

#include "classify/character/character_pictures.h"
#include "features/base/errors.h"
#include "tools/python/arrays.h"

namespace leafglyph::python {
namespace {

Given picture_from(const py::handle& item, const std::string& what) {
  if (!py::isinstance<py::array>(item)) {
    try {
      return item.cast<std::filesystem::path>();
    } catch (const py::cast_error&) {
      throw py::type_error("a " + what + " must be a path or an array of grey values, not " +
                           py::str(py::type::of(item).attr("__name__")).cast<std::string>());
    }
  }
  const ImageArrays array =
      image_arrays(py::reinterpret_borrow<py::object>(item), /*volumes=*/false);
  std::vector<std::uint8_t> grey;
  array.for_each_band([&](const ImageBatch& band, std::size_t) {
    if (band.type != PixelType::kUint8 || !array.batch().empty()) {
      throw UsageError("a " + what + " must be a uint8 array (rows, columns)");
    }
    const auto* bytes = static_cast<const std::uint8_t*>(band.pixels);
    grey.assign(bytes, bytes + array.size().elements());
  });
  return Image<std::uint8_t>(array.size().width, array.size().height, std::move(grey));
}

}  // namespace

GivenPictures given_pictures(const py::iterable& items, const std::string& what) {
  if (py::isinstance<py::str>(items)) {
    throw py::type_error(what + "s must be a list; put a single path in brackets");
  }
  GivenPictures pictures;
  for (const py::handle item : items) {
    pictures.all.push_back(picture_from(item, what));
    const auto* file = std::get_if<std::filesystem::path>(&pictures.all.back());
    pictures.names.push_back(file != nullptr ? file->string()
                                             : what + " " + std::to_string(pictures.names.size()));
  }
  return pictures;
}

Photograph photograph_of(const Given& given) {
  if (const auto* file = std::get_if<std::filesystem::path>(&given))
    return read_photograph(*file, character_request());
  return Photograph{std::get<Image<std::uint8_t>>(given)};
}

}  // namespace leafglyph::python
