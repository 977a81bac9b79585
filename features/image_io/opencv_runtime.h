// Distinguishes failures of the machine in OpenCV from failures of the image, and limits OpenCV's
// threads.
#pragma once

namespace leafglyph {

/// For a catch clause that records the failure of one image and continues with the next. Rethrows
/// the exception being handled if no image caused it: Interrupted, MachineError, std::bad_alloc,
/// OpenCV's own report of missing memory (as std::bad_alloc), and std::system_error for a shortage,
/// such as a thread that cannot be started.
void rethrow_fault_of_machine();

/// From now on OpenCV computes on the thread that calls it. Images are already distributed over as
/// many threads as set_thread_count allows. OpenCV's own threads would come on top of these and
/// ignore that setting, and OpenCV would wait forever for a thread that the system did not start.
void keep_opencv_to_its_caller();

}  // namespace leafglyph
