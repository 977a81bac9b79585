#define LEAFGLYPH_TRANSFORMS kTransforms_avx512
#define LEAFGLYPH_TRANSFORMS_NAME "AVX-512"
#define LEAFGLYPH_LANES 8
#define LEAFGLYPH_CELLS 14
#include "features/transform_kernels_impl.h"
