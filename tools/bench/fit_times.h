// Fits the times of fitted_times() to measurements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/bench/measured_times.h"

namespace leafglyph {

/// The source of features/plan/fitted_times.cpp, for tables of measurements, each of one machine.
/// First each algorithm's times are fitted to its own measurements, twice as much being as wrong as
/// half; then all together are moved a little where plans would take an algorithm that needs much
/// longer than the fastest.
std::string fitted_source(std::span<const std::vector<MeasuredTime>> tables);

}  // namespace leafglyph
