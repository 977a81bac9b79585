// The rows of the families on the square and the cube.
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/moments/axis_tables.h"
#include "features/moments/discrete_polynomials.h"
#include "features/moments/family.h"
#include "features/moments/jacobi_polynomials.h"
#include "features/moments/moment_spec.h"
#include "features/moments/triangle_places.h"

namespace leafglyph {
namespace {

// Legendre and Jacobi: p_n(x) p_m(y) for n + m <= T, by n + m.

bool has_product(int n, int m) { return n >= 0 && m >= 0; }
int total_degree(const MomentIndex& index) { return index.n + index.m; }
std::size_t square_position(int n, int m) { return triangle_position(n + m, m); }
std::vector<MomentIndex> square_indices(int order) {
  std::vector<MomentIndex> indices;
  for (int total = 0; total <= order; ++total) {
    for (int m = 0; m <= total; ++m) indices.push_back({total - m, m});
  }
  return indices;
}

AxisTables jacobi_axis(const MomentSpec& spec, int length, Axis axis) {
  // y is up, and the first row of an image is at the top.
  return jacobi_axis_tables(spec.weight, length, spec.order, spec.method, spec.points,
                            /*downwards=*/axis == Axis::kY);
}

constexpr FamilyRow on_the_square(std::string_view name, std::string_view letter, bool weighted) {
  return {
      .name = name,
      .letter = letter,
      .weighted = weighted,
      .parameters = weighted ? "ALPHA:BETA" : "",
      .highest_order = kMaxJacobiOrder,
      .has_exact = true,
      .default_method = Method::kExact,
      .has = has_product,
      .count = triangle_count,
      .indices = square_indices,
      .position = square_position,
      .order_of = total_degree,
      .axis = jacobi_axis,
      .validate_weight = weighted ? static_cast<void (*)(const JacobiWeight&)>(validate) : nullptr};
}

// Tchebichef and Krawtchouk: those of Legendre, of columns and rows counted from 0.

AxisTables same_tables(std::vector<double> values) { return {values, std::move(values)}; }

AxisTables tchebichef_axis(const MomentSpec& spec, int length, Axis /*axis*/) {
  return same_tables(tchebichef_values(length, spec.order));
}

AxisTables krawtchouk_axis(const MomentSpec& spec, int length, Axis axis) {
  const double p = axis == Axis::kY ? spec.weight.beta : spec.weight.alpha;
  return same_tables(krawtchouk_values(p, length, spec.order));
}

void validate_krawtchouk(const JacobiWeight& weight) {
  const auto supports = [](double p) { return p > 0.0 && p < 1.0; };
  if (supports(weight.alpha) && supports(weight.beta)) return;
  throw UsageError("Krawtchouk moments with p = " + number_text(weight.alpha) + " and " +
                   number_text(weight.beta) + "; both must be above 0 and below 1");
}

constexpr FamilyRow on_pixels(std::string_view name, std::string_view letter,
                              AxisTables (*axis)(const MomentSpec& spec, int length, Axis axis)) {
  FamilyRow row = on_the_square(name, letter, /*weighted=*/false);
  row.discrete = true;
  row.axis = axis;
  return row;
}

constexpr FamilyRow krawtchouk() {
  FamilyRow row = on_pixels("krawtchouk", "Q", krawtchouk_axis);
  row.weighted = true;
  row.parameters = "PX:PY";
  row.usual_weight = JacobiWeight{0.5, 0.5};
  row.validate_weight = validate_krawtchouk;
  return row;
}

}  // namespace

constinit const FamilyRow kLegendreRow = on_the_square("legendre", "L", /*weighted=*/false);
constinit const FamilyRow kJacobiRow = on_the_square("jacobi", "J", /*weighted=*/true);
constinit const FamilyRow kTchebichefRow = on_pixels("tchebichef", "T", tchebichef_axis);
constinit const FamilyRow kKrawtchoukRow = krawtchouk();

}  // namespace leafglyph
