#include "tools/cli/volume_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "features/base/errors.h"
#include "features/image_io/volume_file.h"

namespace leafglyph {
namespace {

SlicePlace slice_place(const std::string& text) {
  int position = 0;
  const char* last = text.data() + text.size();
  const bool has_axis = text.size() > 2 && text[0] >= 'x' && text[0] <= 'z' && text[1] == ':';
  const auto [end, error] = has_axis ? std::from_chars(text.data() + 2, last, position)
                                     : std::from_chars_result{text.data(), std::errc{}};
  if (!has_axis || error != std::errc{} || end != last) {
    throw UsageError("--slice '" + text + "' is not x:NUMBER, y:NUMBER or z:NUMBER");
  }
  return {static_cast<Axis>(text[0] - 'x'), position};
}

PlanePlace plane_place(const std::string& text) {
  PlanePlace plane;
  int used = 0;
  if (std::sscanf(text.c_str(), "%lf:%lf:%lf:%lf%n", &plane.normal[0], &plane.normal[1],
                  &plane.normal[2], &plane.offset, &used) != 4 ||
      static_cast<std::size_t>(used) != text.size()) {
    throw UsageError("--plane '" + text + "' is not NX:NY:NZ:OFFSET");
  }
  check_plane(plane.normal, plane.offset);
  return plane;
}

}  // namespace

VolumePlaces parse_places(const std::vector<std::string>& slices,
                          const std::vector<std::string>& planes) {
  VolumePlaces places;
  for (const std::string& slice : slices) places.slices.push_back(slice_place(slice));
  for (const std::string& plane : planes) places.planes.push_back(plane_place(plane));
  return places;
}

void check_places(const VolumePlaces& places, const std::array<int, 3>& lengths) {
  for (const SlicePlace& slice : places.slices) check_slice(lengths, slice.axis, slice.position);
}

void write_places(const VolumePlaces& places, const Volume& volume, double peak,
                  const std::filesystem::path& folder, const std::string& prefix) {
  for (const SlicePlace& slice : places.slices) {
    const std::string name = axis_name(slice.axis) + fmt::format("_{}", slice.position);
    write_picture(folder / (prefix + name + ".png"),
                  volume_slice(volume, slice.axis, slice.position), peak);
  }
  const int size = std::max({volume.width, volume.height, volume.depth, 256});
  for (std::size_t p = 0; p < places.planes.size(); ++p) {
    write_picture(folder / fmt::format("{}plane_{}.png", prefix, p + 1),
                  oblique_plane(volume, places.planes[p].normal, places.planes[p].offset, size),
                  peak);
  }
}

}  // namespace leafglyph
