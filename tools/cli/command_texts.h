// What is written about the commands: the line for one that is wrong, manual pages, completion.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace leafglyph {

/// To be called when every command is there: numbers are read whole, and an option's name is never
/// taken for the value of the option before it.
void check_values(CLI::App& app);

/// "'trian' is not a command of leafglyph leaf", and what may have been meant.
std::string unknown_command(const CLI::App& group, const std::string& name);

/// What is wrong with the command line, what may have been meant, and where to look it up.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

/// What the numbers mean that the command ends with.
inline constexpr const char* kExitCodes =
    "0 done, 1 failed, 2 usage, 3 input missing or unreadable, 4 model or file damaged or of "
    "another format, 5 some inputs of many failed, 130 interrupted";

/// The page of a command or group in section 1, as troff; its name is full_name with hyphens.
std::string manual_page(const CLI::App& command, const std::string& version);

/// Commands, options, and the values of those options that name them; where a file is meant, files.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace leafglyph
