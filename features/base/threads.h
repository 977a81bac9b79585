// The one place that sets how many threads LeafGlyph uses.
#pragma once

namespace leafglyph {

/// Sets the number of threads of OpenMP and of BLAS; 0 means all that the process may use.
/// Throws UsageError when negative, or above 64 and four times the number of processors.
void set_thread_count(int threads);

/// The number of threads that parallel sections use now.
int thread_count();

}  // namespace leafglyph
