// What a request asks for: the path and the query of its target.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace leafglyph {

struct RequestTarget {
  std::string path;
  std::multimap<std::string, std::string> query;  ///< ?name=value
};

/// The target with %XX decoded, in the query also + (RFC 3986, HTML forms). A % without two
/// hexadecimal digits stays as it is. A name without = has an empty value.
RequestTarget decoded_target(std::string_view target);

}  // namespace leafglyph
