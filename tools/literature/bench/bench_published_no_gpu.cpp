#include "features/base/errors.h"
#include "tools/literature/bench/bench_published.h"

namespace leafglyph {

void bench_published_gpu(PublishedFigures&) { throw Error("CUDA was not built in"); }
void bench_published_deng(PublishedFigures&) { throw Error("CUDA was not built in"); }
void bench_published_jacobi(PublishedFigures&) { throw Error("CUDA was not built in"); }

}  // namespace leafglyph
