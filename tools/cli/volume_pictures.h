// Slices, planes and surfaces of a volume, from the command line to pictures.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "features/image/surface.h"

namespace leafglyph {

/// The values of the options.
struct PlaceOptions {
  std::vector<std::string> slices;  ///< "z:20"
  std::vector<std::string> planes;  ///< "NX:NY:NZ:OFFSET"
  std::optional<double> surface;    ///< level
  std::vector<std::string> clips;   ///< "A:B:C:D"
  std::string view = "-60:30";      ///< "AZIMUTH:ELEVATION"
};

struct SlicePlace {
  Axis axis = Axis::kX;
  int position = 0;
};

struct PlanePlace {
  std::array<double, 3> normal{};
  double offset = 0.0;
};

struct VolumePlaces {
  std::vector<SlicePlace> slices;
  std::vector<PlanePlace> planes;
  std::optional<SurfaceView> surface;

  /// Planes and surfaces need the whole volume; slices alone do not.
  bool need_volume() const { return !planes.empty() || surface.has_value(); }
  bool empty() const { return slices.empty() && !need_volume(); }
};

/// Throws UsageError for anything not in the form above, for a plane that misses the cube, and for
/// clips or another view without a surface.
VolumePlaces parse_places(const PlaceOptions& options);

/// Throws UsageError when a slice is not in a volume of these lengths (x, y, z), or clips remove
/// all of it.
void check_places(const VolumePlaces& places, const std::array<int, 3>& lengths);

/// The target of the pictures: names such as x_3.png after the prefix; `peak` is white.
struct PictureFolder {
  std::filesystem::path path;
  std::string prefix;
  double peak = 255.0;
};

using SliceSource = std::function<Image<double>(const SlicePlace&)>;
void write_slices(const VolumePlaces& places, const SliceSource& slice_of,
                  const PictureFolder& folder);

/// The slices, planes (plane_1.png) and the surface (surface.png) of a volume. Prints the share of
/// the picture that the surface and the cut faces cover.
void write_places(const VolumePlaces& places, const Volume& volume, const PictureFolder& folder);

}  // namespace leafglyph
