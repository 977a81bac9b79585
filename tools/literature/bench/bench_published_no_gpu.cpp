#include "features/base/errors.h"
#include "tools/literature/bench/bench_published.h"

namespace leafglyph {
namespace {

[[noreturn]] void refuse() { throw Error("CUDA was not built in"); }

}  // namespace

void bench_published_gpu(PublishedFigures&) { refuse(); }
void bench_published_factorial(PublishedFigures&) { refuse(); }
void bench_published_deng(PublishedFigures&) { refuse(); }
void bench_published_jacobi(PublishedFigures&) { refuse(); }
void bench_published_bessel(PublishedFigures&) { refuse(); }
void bench_published_kintner(PublishedFigures&) { refuse(); }

}  // namespace leafglyph
