#define LEAFGLYPH_KERNELS kKernels_avx2
#define LEAFGLYPH_KERNELS_NAME "AVX2"
#include "features/cpu_kernels_impl.h"
