// numpy arrays as images, without copies.
#pragma once

#include <pybind11/numpy.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "features/image/image.h"

namespace leafglyph::python {

namespace py = pybind11;

enum class Sample { kUint8, kUint16, kFloat, kDouble };

/// A view of an array: its last two axes (volumes: three) are an image, those before them a batch.
struct ImageArray {
  py::array array;  ///< keeps the values where they are
  const void* values = nullptr;
  Sample sample = Sample::kDouble;
  std::size_t count = 0;
  ArraySize size;
  std::vector<py::ssize_t> batch;  ///< the axes before those of an image

  std::span<const std::uint16_t> words() const;
  /// The whole of it; not for kUint16.
  ImageBatch images() const;
};

/// Throws TypeError for what is no numpy array or holds other numbers, UsageError for one with too
/// few or empty image axes, or not C-contiguous.
ImageArray image_array(const py::object& object, bool volumes);

/// Calls use(batch, first image) for the array: all at once, 16-bit integers in parts that are made
/// float, which holds them exactly. May be called without the GIL.
void for_each_batch(const ImageArray& images,
                    const std::function<void(const ImageBatch&, std::size_t)>& use);

/// The shape of what is computed of a batch: its axes, then `last`.
std::vector<py::ssize_t> result_shape(std::vector<py::ssize_t> batch,
                                      const std::vector<std::size_t>& last);

}  // namespace leafglyph::python
