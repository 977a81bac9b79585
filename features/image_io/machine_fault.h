// Which failures tell of the machine and not of the image at work.
#pragma once

namespace leafglyph {

/// For a catch clause that keeps the failure of one image and goes on with the next: throws on what
/// is being handled when no image is to blame. That is Interrupted, MachineError, std::bad_alloc,
/// OpenCV's own report of missing memory (as std::bad_alloc), and std::system_error of a shortage,
/// such as a thread that cannot be started.
void rethrow_fault_of_machine();

}  // namespace leafglyph
