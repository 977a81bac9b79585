// Measured times of algorithms, as bench_algorithms prints them: what fitted_times() was fitted to,
// and what the choice of an algorithm is judged by.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/plan/cost.h"

namespace leafglyph {

/// What was computed.
struct TimedCell {
  Way way = Way::kMoments;
  PlanRequest request;
};

/// How long one algorithm took for it, in nanoseconds: the tables, and an image of
/// cell.request.images in one call.
struct MeasuredTime {
  std::string back_end;
  std::string algorithm;
  TimedCell cell;
  double plan = 0.0;
  double image = 0.0;

  double total() const { return Cost{plan, image}.of(cell.request.images); }
};

/// "zernike order 30, 256 x 256, float, 64 images, moments"
std::string describe(const TimedCell& cell);

/// The size with this side: a cube for the family on the ball.
ArraySize measured_size(const MomentSpec& spec, int side);

std::string measured_header();
std::string measured_line(const MeasuredTime& time);
/// Adds the measurement, and for 64 images of the CPU the same for 4,096, which come by 64.
void add_measured(MeasuredTime time, std::vector<MeasuredTime>& times);
/// Throws InputError for another table.
std::vector<MeasuredTime> read_measured(const std::filesystem::path& file);

/// The measurements of one cell on one back end, of which plans take one.
struct Race {
  std::vector<MeasuredTime> times;  ///< of every algorithm that was measured
  std::string_view chosen;          ///< by plans, for its request
  /// Time of the chosen one over that of the fastest; 0 if the chosen one was not measured.
  double ratio() const;
};

/// The cells in which several algorithms were measured.
std::vector<Race> races_of(std::span<const MeasuredTime> times);

/// What the algorithm that was measured does in the cell.
TransformWork work_of(const MeasuredTime& time);

}  // namespace leafglyph
