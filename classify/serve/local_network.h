// This computer in the local network.
#pragma once

#include <string>
#include <vector>

namespace leafglyph {

/// The IPv4 address by which other computers of the network reach this one: of the interfaces that
/// are up, those of containers and virtual machines last. Throws Error when there is none.
std::string local_address();

/// The names by which this computer may be called: "mybox", "mybox.local"; lower case.
std::vector<std::string> own_names();

}  // namespace leafglyph
