#define LEAFGLYPH_KERNELS kKernels_x86_64
#define LEAFGLYPH_KERNELS_NAME "x86-64"
#include "features/cpu_kernels_impl.h"
