// Pictures that Python gives: paths, and arrays of grey values.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph::python {

/// A file, or grey values that are copied out of their array before the GIL is released.
using Given = std::variant<std::filesystem::path, Image<std::uint8_t>>;

struct GivenPictures {
  std::vector<Given> all;
  std::vector<std::string> names;  ///< for messages
};

/// A list of them; `what` is the word for one: "photograph". Throws TypeError for anything else,
/// UsageError for an array that is not of uint8 and of two axes.
GivenPictures given_pictures(const pybind11::iterable& items, const std::string& what);

/// The picture of a character or a page: read, or as it was given. Throws what read_photograph
/// throws.
Photograph photograph_of(const Given& given);

}  // namespace leafglyph::python
