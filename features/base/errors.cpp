#include "features/base/errors.h"

#include "features/base/utf8.h"

namespace leafglyph {

Error::Error(const std::string& message, ExitCode code)
    : std::runtime_error(printable(message)), code_(code) {}

}  // namespace leafglyph
