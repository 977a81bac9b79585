// Slices and planes of a volume, as the command line names them and as pictures.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "features/image/volume.h"

namespace leafglyph {

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
};

/// Reads slices "z:20" and planes "NX:NY:NZ:OFFSET". Throws UsageError on anything else and on a
/// plane that misses the cube.
VolumePlaces parse_places(const std::vector<std::string>& slices,
                          const std::vector<std::string>& planes);

/// Throws UsageError when a slice is not in a volume of these lengths (x, y, z).
void check_places(const VolumePlaces& places, const std::array<int, 3>& lengths);

/// Writes x_3.png, plane_1.png and so on, their names after `prefix`; `peak` is white.
void write_places(const VolumePlaces& places, const Volume& volume, double peak,
                  const std::filesystem::path& folder, const std::string& prefix);

}  // namespace leafglyph
