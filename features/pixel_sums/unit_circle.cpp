#include "features/pixel_sums/unit_circle.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "features/base/errors.h"
#include "features/base/number_text.h"
#include "features/pixel_sums/enclosing_circle.h"

namespace leafglyph {
namespace {

UnitCircle around_object(std::span<const double> image, const ArraySize& size) {
  std::vector<GridPoint> ends;  // of each row; what lies between them lies in their hull
  const auto width = static_cast<std::size_t>(size.width);
  for (int row = 0; row < size.height; ++row) {
    const auto pixels = image.subspan(static_cast<std::size_t>(row) * width, width);
    const auto is_object = [](double value) { return value != 0.0; };
    const auto first = std::find_if(pixels.begin(), pixels.end(), is_object);
    if (first == pixels.end()) continue;
    const auto last = std::find_if(pixels.rbegin(), pixels.rend(), is_object);
    ends.push_back({static_cast<int>(first - pixels.begin()), row});
    ends.push_back({static_cast<int>(pixels.rend() - last) - 1, row});
  }
  const UnitCircle circle = ends.empty() ? UnitCircle{} : smallest_circle(ends);
  if (circle.radius == 0.0) {
    throw InputError(
        "the image has fewer than two pixels that are not 0, and no circle around them");
  }
  return circle;
}

void place_at_centroid(std::span<const double> image, const ArraySize& size, UnitCircle& circle) {
  double sum = 0.0;
  double sum_x = 0.0;
  double sum_y = 0.0;
  std::size_t pixel = 0;
  for (int row = 0; row < size.height; ++row) {
    for (int column = 0; column < size.width; ++column, ++pixel) {
      const double value = image[pixel];
      sum += value;
      sum_x += value * column;
      sum_y += value * row;
    }
  }
  if (!(sum > 0.0)) {
    throw InputError("the image's values add up to " + number_text(sum) +
                     ", and it has no centroid; give a centre");
  }
  circle.x = sum_x / sum;
  circle.y = sum_y / sum;
}

}  // namespace

UnitCircle unit_circle(const ConventionSpec& spec, std::span<const double> image,
                       const ArraySize& size) {
  UnitCircle circle = spec.given;
  std::optional<UnitCircle> enclosing;
  if (spec.centre == CentreRule::kEnclosing || spec.radius == RadiusRule::kEnclosing) {
    enclosing = around_object(image, size);
  }
  switch (spec.centre) {
    case CentreRule::kImage:
      circle.x = (size.width - 1) / 2.0;
      circle.y = (size.height - 1) / 2.0;
      break;
    case CentreRule::kCentroid:
      place_at_centroid(image, size, circle);
      break;
    case CentreRule::kEnclosing:
      circle.x = enclosing->x;
      circle.y = enclosing->y;
      break;
    case CentreRule::kGiven:
      break;
  }
  switch (spec.radius) {
    case RadiusRule::kInscribed:
      circle.radius = std::max(size.width, size.height) / 2.0;
      break;
    case RadiusRule::kShorter:
      circle.radius = std::min(size.width, size.height);
      break;
    case RadiusRule::kEnclosing:
      circle.radius = enclosing->radius;
      break;
    case RadiusRule::kGiven:
      break;
  }
  return circle;
}

}  // namespace leafglyph
