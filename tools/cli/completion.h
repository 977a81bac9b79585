// Scripts that complete the command's words in shells.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace leafglyph {

/// Commands, options, and the values of those options that name them; where a file is meant, files.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace leafglyph
