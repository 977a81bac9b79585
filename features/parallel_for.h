// A loop whose rounds may throw, spread over the threads of threads.h.
#pragma once

#include <cstddef>
#include <functional>

namespace leafglyph {

/// Runs job(0) to job(count - 1), each on one thread, in any order. Once a job has thrown no
/// further one is begun; of those that threw, the exception of the lowest number is thrown. A
/// single job runs outside of a parallel section, so that it may have one of its own.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& job);

}  // namespace leafglyph
