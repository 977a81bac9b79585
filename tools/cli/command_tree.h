// The commands and options of the parser, for help, manual pages, completions and messages.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leafglyph {

/// The commands of a group; empty for a command.
std::vector<const CLI::App*> commands_of(const CLI::App& group);
std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands);

/// A group and everything below it; each group comes before its commands.
std::vector<const CLI::App*> all_below(const CLI::App& group);

/// "leafglyph leaf train".
std::string full_name(const CLI::App& command, const std::string& divider = " ");

/// The long names of all options, such as "--config", including "--help".
std::vector<std::string> option_names(const CLI::App& command);

/// The values of an option whose type lists them: {a,b}.
std::vector<std::string> choices_of(const CLI::Option& option);

/// A description up to its first semicolon, colon or end of sentence.
std::string first_clause(const std::string& description);

}  // namespace leafglyph
