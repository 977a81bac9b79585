#include "tools/python/arrays.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph::python {
namespace {

std::string text_of(const py::handle& thing) { return py::str(thing).cast<std::string>(); }

std::string shape_text(const py::array& array) { return text_of(array.attr("shape")); }

NumberType number_type(const py::dtype& dtype, const std::string& what) {
  struct Number {
    char kind;
    py::ssize_t bytes;
    NumberType type;
  };
  static constexpr std::array kNumbers = {
      Number{'b', 1, NumberType::kUint8},
      Number{'i', 1, NumberType::kInt8},
      Number{'i', 2, NumberType::kInt16},
      Number{'i', 4, NumberType::kInt32},
      Number{'i', 8, NumberType::kInt64},
      Number{'u', 1, NumberType::kUint8},
      Number{'u', 2, NumberType::kUint16},
      Number{'u', 4, NumberType::kUint32},
      Number{'u', 8, NumberType::kUint64},
      Number{'f', 2, NumberType::kHalf},
      Number{'f', 4, NumberType::kFloat},
      Number{'f', 8, NumberType::kDouble},
      Number{'f', sizeof(long double), NumberType::kLongDouble}};
  const auto* const found =
      std::find_if(kNumbers.begin(), kNumbers.end(), [&](const Number& number) {
        return number.kind == dtype.kind() && number.bytes == dtype.itemsize();
      });
  if (found != kNumbers.end()) return found->type;
  throw py::type_error(what + " of dtype " + text_of(dtype) +
                       (dtype.kind() == 'c' ? "; take the moments of .real and .imag, which add up"
                                            : "; use a dtype of real numbers"));
}

std::string type_name(const py::handle& object) {
  return text_of(py::type::of(object).attr("__name__"));
}

// Whether numpy would make an array of things that are not numbers.
bool is_text_or_none(const py::handle& object) {
  return object.is_none() || py::isinstance<py::str>(object) || py::isinstance<py::bytes>(object) ||
         py::hasattr(object, "__fspath__");
}

// numpy's own array of the object: an array as it is, numbers of other objects (nested lists, PIL
// images, data frames) converted as numpy does.
py::array array_from(const py::handle& object, const std::string& what) {
  refuse_masked(object, what);
  if (py::isinstance<py::array>(object)) return py::reinterpret_borrow<py::array>(object);
  const std::string wrong = what + " must be an array of numbers, not " + type_name(object);
  if (is_text_or_none(object)) throw py::type_error(wrong + "; read a file first");
  try {
    return py::module_::import("numpy").attr("asarray")(object);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError) && !error.matches(PyExc_TypeError)) throw;
    throw py::type_error(wrong + " of rows of different lengths");
  }
}

int axis_length(const py::array& array, py::ssize_t axis) {
  const py::ssize_t length = array.shape(axis);
  if (length < 1 || length > std::numeric_limits<int>::max()) {
    throw UsageError("an array of shape " + shape_text(array) + " has no images of 1 to 2^31 - 1 " +
                     "values along each axis");
  }
  return static_cast<int>(length);
}

// A view of the array; `what` names it in errors.
StridedImages strided(const py::array& array, bool volumes, const std::string& what) {
  StridedImages images;
  images.type = number_type(array.dtype(), what);
  images.swapped = !array.dtype().attr("isnative").cast<bool>();
  const py::ssize_t axes = volumes ? 3 : 2;
  const py::ssize_t first = array.ndim() - axes;
  if (first < 0) {
    throw UsageError("an array of shape " + shape_text(array) + " has no " +
                     (volumes ? "slices, rows and columns" : "rows and columns"));
  }
  images.size =
      ArraySize(axis_length(array, first + axes - 1), axis_length(array, first + axes - 2),
                volumes ? axis_length(array, first) : 0);
  images.count = 1;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    images.axes.push_back({array.shape(axis), array.strides(axis)});
    if (axis < first) images.count *= static_cast<std::size_t>(array.shape(axis));
  }
  images.values = static_cast<const std::byte*>(array.data());
  return images;
}

struct ListedImage {
  py::array array;
  StridedImages image;
  std::string name;
};

ListedImage listed_image(const py::list& list, std::size_t place, bool volumes,
                         const std::vector<std::string>& names) {
  std::string name =
      names.empty() ? "image " + std::to_string(place) + " of the list" : names[place];
  ListedImage listed{array_from(list[place], name), {}, name};
  listed.image = strided(listed.array, volumes, name);
  if (listed.array.ndim() != (volumes ? 3 : 2)) {
    throw UsageError(name + " has the shape " + shape_text(listed.array) +
                     "; a list holds single images");
  }
  return listed;
}

}  // namespace

void refuse_masked(const py::handle& array, const std::string& what) {
  if (py::isinstance(array, py::module_::import("numpy.ma").attr("MaskedArray"))) {
    throw py::type_error(what + " of type MaskedArray; .filled(VALUE) chooses its masked values");
  }
}

KeptInPlace::KeptInPlace(const py::array& array) {
  for (py::object one = array; py::isinstance<py::array>(one); one = one.attr("base")) {
    references_.append(py::weakref(one));
  }
}

void ImageArrays::add(const py::array& array, const StridedImages& images) {
  owners_.push_back(array);
  kept_.emplace_back(array);
  arrays_.push_back(images);
  count_ += images.count;
  const auto axes = array.ndim() - (images.size.is_volume() ? 3 : 2);
  batch_.assign(array.shape(), array.shape() + axes);
}

void ImageArrays::add(const py::array& array, const StridedImages& image, std::size_t place,
                      std::string name) {
  add(array, image);
  batch_.assign(1, static_cast<py::ssize_t>(count_));
  places_.push_back(place);
  names_.push_back(std::move(name));
}

ImageArrays ImageArrays::only(std::size_t i) const {
  ImageArrays one;
  one.add(owners_[i], arrays_[i], places_[i], names_[i]);
  return one;
}

void ImageArrays::for_each_band(const UseOfBand& use, const Reads& reads) const {
  const auto use_named = [&](const ImageBatch& band, std::size_t first) {
    // A plan names the images of a whole batch itself.
    if (names_.empty() && band.count == count_) return use(band, first);
    try {
      use(band, first);
    } catch (const InputError&) {
      for (std::size_t i = 0; i < band.count; ++i) {
        const std::size_t image = first + i;
        try {
          use(band.slice(i, 1), image);
        } catch (const InputError& error) {
          throw InputError((names_.empty() ? "image " + std::to_string(image) + " of the batch"
                                           : names_[image]) +
                           ": " + error.what());
        }
      }
      throw;
    }
  };
  python::for_each_band(arrays_, use_named, reads);
}

std::optional<py::list> list_of_images(const py::object& object) {
  if (!py::isinstance<py::list>(object) && !py::isinstance<py::tuple>(object)) return std::nullopt;
  py::list list(object);
  if (list.empty() || is_text_or_none(list[0])) return list;
  const auto dimensions = py::module_::import("numpy").attr("ndim");
  // Numbers, and rows of them, are one image.
  const bool rows = !py::isinstance<py::array>(list[0]) && !py::hasattr(list[0], "__array__") &&
                    !py::hasattr(list[0], "__array_interface__");
  if (rows && dimensions(list[0]).cast<int>() < 2) return std::nullopt;
  return list;
}

void ask_about_colours(const ImageArrays& images) {
  const ArraySize& size = images.size();
  if (size.is_volume() || (size.width != 3 && size.width != 4) || size.height <= 4) return;
  if (images.batch().empty()) return;
  throw UsageError("images of " + leafglyph::describe(size) +
                   ": is the last axis that of colours? Take one, such as images[..., 0], or their "
                   "mean");
}

ImageArrays image_arrays(const py::object& object, bool volumes) {
  ImageArrays images;
  const std::optional<py::list> several = list_of_images(object);
  if (!several) {
    const py::array array = array_from(object, "images");
    images.add(array, strided(array, volumes, "images"));
    return images;
  }
  const py::list& list = *several;
  if (list.empty()) throw UsageError("a list of 0 images has no size; pass an array instead");
  for (std::size_t place = 0; place < list.size(); ++place) {
    ListedImage listed = listed_image(list, place, volumes, {});
    if (place > 0 && listed.image.size != images.size()) {
      throw UsageError(listed.name + " has " + leafglyph::describe(listed.image.size) +
                       " pixels, the first has " + leafglyph::describe(images.size()));
    }
    images.add(listed.array, listed.image, place, std::move(listed.name));
  }
  return images;
}

std::vector<ImageArrays> images_by_size(const py::list& list,
                                        const std::vector<std::string>& names) {
  std::vector<ImageArrays> groups;
  for (std::size_t place = 0; place < list.size(); ++place) {
    ListedImage listed = listed_image(list, place, /*volumes=*/false, names);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const ImageArrays& images) {
      return images.size() == listed.image.size;
    });
    if (group == groups.end()) group = groups.emplace(groups.end());
    group->add(listed.array, listed.image, place, std::move(listed.name));
  }
  return groups;
}

std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last) {
  for (const std::size_t length : last) batch.push_back(static_cast<py::ssize_t>(length));
  return batch;
}

}  // namespace leafglyph::python
