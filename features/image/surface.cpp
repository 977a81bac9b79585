#include "features/image/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"
#include "features/image/volume.h"

namespace leafglyph {
namespace {

constexpr double kSmallPicture = 512.0;  // longer side of a small picture, in pixels
constexpr double kLargePicture = 4096.0;
constexpr double kStep = 0.5;     // between samples of a ray, in voxels
constexpr int kHalvings = 48;     // of a step: enough for the last digit of a position
constexpr double kAmbient = 0.2;  // brightness of parts that the light does not reach

std::array<int, 3> lengths_of(const Volume& volume) {
  return {volume.width, volume.height, volume.depth};
}

// The picture's axes and the direction to the eye, in voxel coordinates, whose y axis points down.
struct Camera {
  Vector3 right;
  Vector3 up;
  Vector3 eye;

  explicit Camera(const SurfaceView& view) {
    const double a = view.azimuth * std::numbers::pi / 180.0;
    const double e = view.elevation * std::numbers::pi / 180.0;
    right = {-std::sin(a), -std::cos(a), 0.0};
    up = {-std::sin(e) * std::cos(a), std::sin(e) * std::sin(a), std::cos(e)};
    eye = {std::cos(e) * std::cos(a), -std::cos(e) * std::sin(a), std::sin(e)};
  }
};

// The part of a ray inside the volume and the clipping planes.
struct Segment {
  double first = -std::numeric_limits<double>::infinity();
  double last = std::numeric_limits<double>::infinity();
  Vector3 normal{};  // of the plane through which the ray enters

  // Keeps the part of the ray from + t along that lies in the half space normal . p <= offset.
  void clip(const Vector3& plane, double offset, const Vector3& from, const Vector3& along) {
    const double speed = dot(plane, along);
    const double room = offset - dot(plane, from);
    if (speed == 0.0) {
      if (room < 0.0) last = -std::numeric_limits<double>::infinity();
    } else if (speed > 0.0) {
      last = std::min(last, room / speed);
    } else if (room / speed > first) {
      first = room / speed;
      normal = plane;
    }
  }
};

class RayCaster {
 public:
  RayCaster(const Volume& volume, const SurfaceView& view)
      : volume_(volume), view_(view), eye_(Camera(view).eye), along_(scaled(eye_, -1.0)) {}

  SurfaceHit cast(const Vector3& from) const {
    const Segment segment = segment_of(from);
    if (!(segment.first <= segment.last)) return {};
    const auto at = [&](double t) { return sum(from, scaled(along_, t)); };
    if (is_body(at(segment.first))) {
      return {SurfaceHit::Kind::kCut, at(segment.first), unit(segment.normal)};
    }
    double outside = segment.first;
    while (outside < segment.last) {
      double inside = std::min(outside + kStep, segment.last);
      if (!is_body(at(inside))) {
        outside = inside;
        continue;
      }
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = (outside + inside) / 2.0;
        (is_body(at(middle)) ? inside : outside) = middle;
      }
      const Vector3 point = at(inside);
      return {SurfaceHit::Kind::kSurface, point, outward(point)};
    }
    return {};
  }

 private:
  Segment segment_of(const Vector3& from) const {
    Segment segment;
    const auto lengths = lengths_of(volume_);
    for (std::size_t c = 0; c < 3; ++c) {
      Vector3 axis{};
      axis[c] = 1.0;
      segment.clip(axis, lengths[c] - 0.5, from, along_);
      axis[c] = -1.0;
      segment.clip(axis, 0.5, from, along_);
    }
    for (const ClipPlane& plane : view_.clips) {
      segment.clip(plane.normal, plane.offset, from, along_);
    }
    return segment;
  }

  bool is_body(const Vector3& p) const { return volume_value(volume_, p) >= view_.level; }

  // The unit normal against the gradient, from differences over two voxels; the direction to the
  // eye if the gradient is 0.
  Vector3 outward(const Vector3& p) const {
    Vector3 normal{};
    for (std::size_t c = 0; c < 3; ++c) {
      Vector3 before = p;
      Vector3 after = p;
      before[c] -= 1.0;
      after[c] += 1.0;
      normal[c] = volume_value(volume_, before) - volume_value(volume_, after);
    }
    return dot(normal, normal) > 0.0 ? unit(normal) : eye_;
  }

  const Volume& volume_;
  const SurfaceView& view_;
  Vector3 eye_;
  Vector3 along_;
};

void check_clip(const ClipPlane& plane, const std::array<int, 3>& lengths) {
  const Vector3& normal = plane.normal;
  if (!(dot(normal, normal) > 0.0) || !std::isfinite(dot(normal, normal)) ||
      !std::isfinite(plane.offset)) {
    throw UsageError("a clipping plane's normal and offset must be finite and the normal not 0");
  }
  double least = 0.0;  // minimum of a x + b y + c z in the volume
  for (std::size_t c = 0; c < 3; ++c) {
    least += normal[c] > 0.0 ? -0.5 * normal[c] : (lengths[c] - 0.5) * normal[c];
  }
  if (least > plane.offset) {
    throw UsageError("clipping at the offset " + number_text(plane.offset) +
                     " leaves nothing of the volume; with this normal use " + number_text(least) +
                     " or more");
  }
}

}  // namespace

void validate(const SurfaceView& view, const std::array<int, 3>& lengths) {
  if (!std::isfinite(view.level) || !std::isfinite(view.azimuth)) {
    throw UsageError("the level and the azimuth of a surface must be finite numbers");
  }
  if (!(std::abs(view.elevation) <= 90.0)) {
    throw UsageError("elevation " + number_text(view.elevation) + "; use -90 to 90 degrees");
  }
  for (const ClipPlane& plane : view.clips) check_clip(plane, lengths);
}

Image<SurfaceHit> cast_rays(const Volume& volume, const SurfaceView& view) {
  const auto lengths = lengths_of(volume);
  validate(view, lengths);
  const Camera camera(view);
  Vector3 middle{};
  double width = 0.0;
  double height = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    middle[c] = (lengths[c] - 1) / 2.0;
    width += std::abs(camera.right[c]) * lengths[c];
    height += std::abs(camera.up[c]) * lengths[c];
  }
  const double longer = std::max(width, height);
  const double zoom = std::clamp(longer, kSmallPicture, kLargePicture) / longer;
  // Rounding must not turn 512 pixels into 513.
  const auto pixels = [&](double side) { return static_cast<int>(std::ceil(side * zoom - 1e-9)); };
  Image<SurfaceHit> hits(pixels(width), pixels(height));
  const RayCaster caster(volume, view);
  parallel_for(static_cast<std::size_t>(hits.height()), [&](std::size_t line) {
    const int row = static_cast<int>(line);
    const double v = (hits.height() - 1 - 2.0 * row) / (2.0 * zoom);
    for (int column = 0; column < hits.width(); ++column) {
      const double u = (2.0 * column + 1 - hits.width()) / (2.0 * zoom);
      hits.at(row, column) =
          caster.cast(sum(middle, sum(scaled(camera.right, u), scaled(camera.up, v))));
    }
  });
  return hits;
}

Image<double> shade(const Image<SurfaceHit>& hits, const Volume& volume, const SurfaceView& view,
                    double peak) {
  const Camera camera(view);
  const Vector3 light =
      unit(sum(camera.eye, sum(scaled(camera.up, 0.5), scaled(camera.right, -0.5))));
  Image<double> picture(hits.width(), hits.height());
  for (std::size_t p = 0; p < hits.size(); ++p) {
    const SurfaceHit& hit = hits.pixels()[p];
    double& grey = picture.pixels()[p];
    if (hit.kind == SurfaceHit::Kind::kSurface) {
      grey = peak * (kAmbient + (1.0 - kAmbient) * std::max(0.0, dot(hit.normal, light)));
    } else if (hit.kind == SurfaceHit::Kind::kCut) {
      grey = std::clamp(volume_value(volume, hit.point), 0.0, peak);
    }
  }
  return picture;
}

}  // namespace leafglyph
