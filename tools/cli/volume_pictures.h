// Slices, planes and surfaces of a volume: parses their options and writes the pictures.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "features/image/surface.h"

namespace leafglyph {

/// The values of the options, as given.
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

  /// Planes and surfaces need the whole volume; slices do not.
  bool need_volume() const { return !planes.empty() || surface.has_value(); }
  bool empty() const { return slices.empty() && !need_volume(); }
};

/// Parses the options. Throws UsageError for a value that does not have the form above, for a plane
/// that misses the cube, and for clips or a changed view without a surface.
VolumePlaces parse_places(const PlaceOptions& options);

/// Throws UsageError if a slice lies outside a volume of these lengths (x, y, z), or if the clips
/// remove the whole volume.
void check_places(const VolumePlaces& places, const std::array<int, 3>& lengths);

/// Where pictures are written. Their names are the prefix and, for example, x_3.png; `peak` is the
/// value drawn white.
struct PictureFolder {
  std::filesystem::path path;
  std::string prefix;
  double peak = 255.0;
};

using SliceSource = std::function<Image<double>(const SlicePlace&)>;
void write_slices(const VolumePlaces& places, const SliceSource& slice_of,
                  const PictureFolder& folder);

/// Writes the slices, planes (plane_1.png) and the surface (surface.png) of a volume. Prints how
/// many pixels of the picture the surface and the cut faces cover.
void write_places(const VolumePlaces& places, const Volume& volume, const PictureFolder& folder);

}  // namespace leafglyph
