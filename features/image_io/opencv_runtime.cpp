#include "features/image_io/opencv_runtime.h"

#include <exception>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <system_error>

#include "features/base/errors.h"

namespace leafglyph {

void rethrow_fault_of_machine() {
  try {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const MachineError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::system_error& error) {
    if (is_shortage(error.code().value())) throw;
  } catch (const cv::Exception& error) {
    if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
  } catch (const std::exception&) {  // the image caused it
    return;
  }
}

void keep_opencv_to_its_caller() { cv::setNumThreads(1); }

}  // namespace leafglyph
