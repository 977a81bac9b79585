#define LEAFGLYPH_PAIRWISE_KERNELS kPairwise_avx512
#include "features/pairwise_kernels_impl.h"
