// The files of the prior that LeafGlyph comes with, which tools/leaf_prior writes.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view leaf_prior_facts();   ///< JSON: how the leaves were drawn and prepared
std::string_view leaf_prior_matrix();  ///< matrix_of as .npy

}  // namespace leafglyph
