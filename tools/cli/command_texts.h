// Texts about the commands: usage errors, manual pages, completion.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace leafglyph {

/// Makes all options stricter: a number must be valid to its last character, and the name of an
/// option is never taken as the value of the option before it. Call this after all commands have
/// been added.
void check_values(CLI::App& app);

/// "'trian' is not a command of leafglyph leaf", with a suggestion.
std::string unknown_command(const CLI::App& group, const std::string& name);

/// What is wrong with the command line, a suggestion, and where to look it up.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

/// The text with lines of at most `columns` characters, as far as words allow. What follows
/// two blanks or more goes on below itself, unless that is too far to the right.
std::string wrapped(const std::string& text, int columns);

/// The meaning of the exit codes.
inline constexpr const char* kExitCodes =
    "0 done, 1 failed, 2 usage, 3 input missing or unreadable, 4 model or file damaged or of "
    "another format, 5 some inputs of many failed, 130 interrupted";

/// The manual page (section 1) of a command or group, as troff. The page is named after full_name,
/// with hyphens instead of spaces.
std::string manual_page(const CLI::App& command, const std::string& version);

/// Completes commands, options, the values of options that list them, and files for options that
/// take files.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace leafglyph
