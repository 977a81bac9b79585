// The regions of a label image as images of their own.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

namespace leafglyph::python {

struct Regions {
  pybind11::list images;           ///< float64 arrays (rows, columns)
  std::vector<std::string> names;  ///< "label 7", for errors
};

/// For each label above 0, in ascending order, the smallest rectangle around its pixels, cut from
/// the image, with 0 at the pixels of other labels. Throws TypeError if the image is not a numpy
/// array or the labels are not integers or bool, UsageError if they differ in shape or are
/// not (rows, columns).
Regions regions_of(const pybind11::object& image, const pybind11::object& labels);

}  // namespace leafglyph::python
