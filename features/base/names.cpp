#include "features/base/names.h"

#include <string>

#include "features/base/errors.h"
#include "features/base/near_name.h"

namespace leafglyph {

void throw_unknown_name(std::string_view what, std::string_view name,
                        std::span<const std::string_view> known) {
  std::string message = std::string(what) + " '" + std::string(name) + "' is unknown; use ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) message += i + 1 < known.size() ? ", " : " or ";
    message += known[i];
  }
  throw UsageError(message + did_you_mean(name, known));
}

}  // namespace leafglyph
