#include "features/image_io/opencv_threads.h"

#include <opencv2/core/utility.hpp>

namespace leafglyph {

void keep_opencv_to_its_caller() { cv::setNumThreads(1); }

}  // namespace leafglyph
