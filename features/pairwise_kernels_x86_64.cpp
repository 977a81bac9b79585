#define LEAFGLYPH_PAIRWISE_KERNELS kPairwise_x86_64
#include "features/pairwise_kernels_impl.h"
