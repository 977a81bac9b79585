#define LEAFGLYPH_PAIRWISE_KERNELS kPairwise_avx2
#include "features/pairwise_kernels_impl.h"
