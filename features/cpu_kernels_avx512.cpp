#define LEAFGLYPH_KERNELS kKernels_avx512
#define LEAFGLYPH_KERNELS_NAME "AVX-512"
#include "features/cpu_kernels_impl.h"
