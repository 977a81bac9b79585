// Pages for man(1).
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace leafglyph {

/// What the numbers mean that the command ends with.
inline constexpr const char* kExitCodes =
    "0 done, 1 failed, 2 usage, 3 input missing or unreadable, 4 model or file damaged or of "
    "another format, 5 some inputs of many failed, 130 interrupted";

/// The page of a command or group in section 1, as troff; its name is full_name with hyphens.
std::string manual_page(const CLI::App& command, const std::string& version);

}  // namespace leafglyph
