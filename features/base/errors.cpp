#include "features/base/errors.h"

#include <cerrno>

#include "features/base/utf8.h"

namespace leafglyph {

Error::Error(const std::string& message, ExitCode code)
    : std::runtime_error(printable(message)), code_(code) {}

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS ||
         error == EAGAIN;
}

}  // namespace leafglyph
