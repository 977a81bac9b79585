#include "datasets/glyph/outline_contours.h"

#include <ft2build.h>

#include <array>

#include FT_OUTLINE_H

namespace leafglyph {
namespace {

constexpr int kCurveLines = 6;

// Collects what FT_Outline_Decompose reports; FreeType's y points up.
class Contours {
 public:
  explicit Contours(double side) : side_(side) {}

  void move(const FT_Vector& to) {
    contours_.emplace_back();
    line(point(to));
  }
  void line(const FT_Vector& to) { line(point(to)); }
  template <std::size_t N>
  void curve(const std::array<const FT_Vector*, N>& controls) {
    std::array<GlyphPoint, N + 1> given = {contours_.back().back()};
    for (std::size_t k = 0; k < N; ++k) given[k + 1] = point(*controls[k]);
    for (int step = 1; step <= kCurveLines; ++step) {
      const auto t = static_cast<float>(step) / kCurveLines;
      std::array<GlyphPoint, N + 1> points = given;  // de Casteljau
      for (std::size_t left = N; left > 0; --left) {
        for (std::size_t k = 0; k < left; ++k) {
          points[k] = {points[k].x + t * (points[k + 1].x - points[k].x),
                       points[k].y + t * (points[k + 1].y - points[k].y)};
        }
      }
      line(points.front());
    }
  }
  std::vector<GlyphContour> take() && { return std::move(contours_); }

 private:
  GlyphPoint point(const FT_Vector& at) const {
    return {static_cast<float>(static_cast<double>(at.x) / side_),
            static_cast<float>(1.0 - static_cast<double>(at.y) / side_)};
  }
  void line(const GlyphPoint& to) { contours_.back().push_back(to); }

  double side_;
  std::vector<GlyphContour> contours_;
};

Contours& contours(void* user) { return *static_cast<Contours*>(user); }

int move_to(const FT_Vector* to, void* user) {
  contours(user).move(*to);
  return 0;
}
int line_to(const FT_Vector* to, void* user) {
  contours(user).line(*to);
  return 0;
}
int conic_to(const FT_Vector* control, const FT_Vector* to, void* user) {
  contours(user).curve(std::array{control, to});
  return 0;
}
int cubic_to(const FT_Vector* first, const FT_Vector* second, const FT_Vector* to, void* user) {
  contours(user).curve(std::array{first, second, to});
  return 0;
}

}  // namespace

std::vector<GlyphContour> outline_contours(FT_Outline_& outline, double side) {
  Contours found(side);
  const FT_Outline_Funcs functions = {move_to,    line_to, conic_to, cubic_to, /*shift=*/0,
                                      /*delta=*/0};
  FT_Outline_Decompose(&outline, &functions, &found);
  return std::move(found).take();
}

}  // namespace leafglyph
