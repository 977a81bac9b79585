#define LEAFGLYPH_TRANSFORMS kTransforms_avx2
#define LEAFGLYPH_TRANSFORMS_NAME "AVX2"
#define LEAFGLYPH_LANES 4
#define LEAFGLYPH_CELLS 7
#include "features/transform_kernels_impl.h"
