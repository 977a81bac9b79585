// OpenCV's threads.
#pragma once

namespace leafglyph {

/// From now on OpenCV computes on the thread that calls it. Images are shared among threads
/// already, as many as set_thread_count allows; OpenCV's own come beside these, do not heed that
/// setting, and wait for ever for one of them that the system did not start.
void keep_opencv_to_its_caller();

}  // namespace leafglyph
