// One helpful line for a command line that is wrong.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace leafglyph {

/// To be called when every command is there: numbers are read whole, and an option's name is never
/// taken for the value of the option before it.
void check_values(CLI::App& app);

/// "'trian' is no command of leafglyph leaf", and what may have been meant.
std::string unknown_command(const CLI::App& group, const std::string& name);

/// What is wrong with the command line, what may have been meant, and where to look it up.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

}  // namespace leafglyph
