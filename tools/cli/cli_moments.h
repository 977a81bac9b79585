// Commands of the group `moments` that have a file of their own.
#pragma once

#include "tools/cli/cli.h"

namespace leafglyph {

void add_draw_command(CLI::App& moments, CommandLine& line);
void add_reconstruct_command(CLI::App& moments, CommandLine& line);
void add_tables_command(CLI::App& moments, CommandLine& line);

}  // namespace leafglyph
