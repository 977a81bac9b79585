// Which GPUs machine code was compiled for.
#pragma once

#include <string_view>

namespace leafglyph::gpu {

/// Whether code compiled for `architectures`, a list as in CMAKE_CUDA_ARCHITECTURES with commas
/// ("75-real,80-real,90"), runs on GPUs of compute capability major.minor. Machine code (all but
/// -virtual) runs on later GPUs of its major number, PTX (all but -real) on all later GPUs; with
/// the suffix f only on those of its major number, with a on its own capability alone. A list
/// without numbers ("OFF") says nothing; then true.
bool runs_on(std::string_view architectures, int major, int minor);

}  // namespace leafglyph::gpu
