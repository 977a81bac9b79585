// Stands for the whole back end in a build without CUDA. find_gpus() says so, select_gpus()
// therefore never names a GPU, and nothing else here is reached by a caller that asked it first.
#include "gpu/gpu_devices.h"

namespace leafglyph {

GpuInventory find_gpus() { return {{}, "this build has no CUDA"}; }

}  // namespace leafglyph
