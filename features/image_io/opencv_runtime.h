// Which failures of OpenCV are the machine's and not the image's, and its threads.
#pragma once

namespace leafglyph {

/// For a catch clause that keeps the failure of one image and goes on with the next: throws on what
/// is being handled when no image is to blame. That is Interrupted, MachineError, std::bad_alloc,
/// OpenCV's own report of missing memory (as std::bad_alloc), and std::system_error of a shortage,
/// such as a thread that cannot be started.
void rethrow_fault_of_machine();

/// From now on OpenCV computes on the thread that calls it. Images are shared among threads
/// already, as many as set_thread_count allows; OpenCV's own come beside these, do not heed that
/// setting, and wait for ever for one of them that the system did not start.
void keep_opencv_to_its_caller();

}  // namespace leafglyph
