// Pictures of a made-up character of four strokes, at any size and place, with grey edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// A stroke between two points, in units of the character's box, y down.
struct DrawnStroke {
  double x0, y0, x1, y1, width;
};

/// Without symmetry, so that mirrored or turned pictures differ.
inline std::vector<DrawnStroke> four_strokes() {
  return {{0.1, 0.2, 0.9, 0.15, 0.08},
          {0.3, 0.05, 0.25, 0.95, 0.08},
          {0.25, 0.55, 0.8, 0.5, 0.06},
          {0.55, 0.5, 0.9, 0.95, 0.1}};
}

/// Where the box of the character lies in a picture, in pixels.
struct DrawnPlace {
  int width, height;  // of the picture
  double x, y, side;  // of the box: its upper left corner, and its sides
};

inline double distance_to(const DrawnStroke& s, double x, double y) {
  const double dx = s.x1 - s.x0, dy = s.y1 - s.y0;
  const double t = std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
  return std::hypot(x - s.x0 - t * dx, y - s.y0 - t * dy);
}

/// How much of each pixel is stroke, by the distance of its centre from the edge.
inline Image<float> drawn_ink(const DrawnPlace& place,
                              const std::vector<DrawnStroke>& strokes = four_strokes()) {
  Image<float> ink(place.width, place.height);
  for (int row = 0; row < place.height; ++row) {
    for (int column = 0; column < place.width; ++column) {
      double most = 0;
      for (const DrawnStroke& s : strokes) {
        const double apart = distance_to(s, (column + 0.5 - place.x) / place.side,
                                         (row + 0.5 - place.y) / place.side);
        most = std::max(most, std::clamp(0.5 + (0.5 * s.width - apart) * place.side, 0.0, 1.0));
      }
      ink.at(row, column) = static_cast<float>(most);
    }
  }
  return ink;
}

/// The ink in these two grey values.
inline Image<std::uint8_t> drawn_grey(const Image<float>& ink, int paper, int stroke) {
  Image<std::uint8_t> grey(ink.width(), ink.height());
  std::transform(ink.data(), ink.data() + ink.size(), grey.data(), [&](float share) {
    return static_cast<std::uint8_t>(std::lround(paper + double{share} * (stroke - paper)));
  });
  return grey;
}

/// A character of about 44 pixels in a picture of 64.
inline Image<float> usual_ink() { return drawn_ink({64, 64, 10, 9, 44}); }

}  // namespace leafglyph
