// Reads numpy arrays as images.
#pragma once

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/image/image.h"
#include "tools/python/strided_images.h"

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

/// Throws TypeError for a masked array: which values its masked elements have is the caller's
/// choice. `what` names it.
void refuse_masked(const py::handle& array, const std::string& what);

/// An array of numbers as C-contiguous Numbers, converted if it must be. Throws TypeError for a
/// masked array and for what is not numbers.
template <class Number>
auto contiguous(const py::object& object, const std::string& what) {
  using Array = py::array_t<Number, py::array::c_style | py::array::forcecast>;
  refuse_masked(object, what);
  Array array = Array::ensure(object);
  if (!array) throw py::type_error(what + " must be an array of numbers");
  return array;
}

/// A new array with these values, C-contiguous. numpy's own copying lets go of the GIL, and a
/// thread that does not get it back, because Python ends, is ended in the middle of C++.
template <class Number>
py::array_t<Number> array_of(std::vector<py::ssize_t> shape, std::span<const Number> values) {
  py::array_t<Number> array(std::move(shape));
  std::ranges::copy(values, array.mutable_data());
  return array;
}

/// Images of one size, from a numpy array or from several. Nothing is copied before for_each_band
/// reads them.
class ImageArrays {
 public:
  const ArraySize& size() const { return arrays_.front().size; }
  std::size_t count() const { return count_; }
  /// Lengths of the axes before those of an image.
  const std::vector<py::ssize_t>& batch() const { return batch_; }
  /// The place of each image in the list that images_by_size() read.
  const std::vector<std::size_t>& places() const { return places_; }

  /// Image i of a list alone.
  ImageArrays only(std::size_t i) const;

  /// As for_each_band of strided_images.h; needs no GIL. An InputError of use() names the image.
  void for_each_band(const UseOfBand& use, const Reads& reads = reads_adjacent) const;

  /// Appends the images of an array; `place` and `name` are those of a list's image.
  void add(const py::array& array, const StridedImages& images);
  void add(const py::array& array, const StridedImages& image, std::size_t place, std::string name);

 private:
  std::vector<py::array> owners_;
  std::vector<KeptInPlace> kept_;
  std::vector<StridedImages> arrays_;
  std::size_t count_ = 0;
  std::vector<py::ssize_t> batch_;
  std::vector<std::size_t> places_;
  std::vector<std::string> names_;  // in errors; empty: core's own
};

/// The images of a list or tuple of them; nullopt for other objects, and for numbers and rows of
/// them, which are one image.
std::optional<py::list> list_of_images(const py::object& object);

/// Throws UsageError, as a question, for a batch whose images may be rows of colours. To be called
/// where the images are of an unexpected size.
void ask_about_colours(const ImageArrays& images);

/// An array whose last two axes (volumes: three) are an image and the axes before them a batch, or
/// a list of such images of one size; other objects as numpy.asarray converts them. Throws
/// TypeError if values are not real numbers, UsageError if axes are missing, empty or longer than
/// an int, or the sizes of a list's images differ.
ImageArrays image_arrays(const py::object& object, bool volumes);

/// The images (rows, columns) of a list by their sizes, in the order in which these first occur.
/// names[i] stands for image i in errors; without names it is "image i of the list". Throws as
/// image_arrays does.
std::vector<ImageArrays> images_by_size(const py::list& list,
                                        const std::vector<std::string>& names = {});

/// The shape of a result for a batch: the axes of the batch, then `last`.
std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last);

}  // namespace leafglyph::python
