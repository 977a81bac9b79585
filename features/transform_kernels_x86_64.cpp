#define LEAFGLYPH_TRANSFORMS kTransforms_x86_64
#define LEAFGLYPH_TRANSFORMS_NAME "x86-64"
#define LEAFGLYPH_LANES 2
#define LEAFGLYPH_CELLS 7
#include "features/transform_kernels_impl.h"
