// Pseudo-Zernike radial polynomials by the methods of the literature that support them.
#pragma once

#include <memory>

#include "tools/literature/cpu/radial_tables.h"

namespace leafglyph::published {

/// `method` must support pseudo-Zernike moments, and `order` must be 0 or more.
template <class T>
std::unique_ptr<RadialTable<T>> make_pseudo_radial_table(RadialMethod method, int order);

}  // namespace leafglyph::published
