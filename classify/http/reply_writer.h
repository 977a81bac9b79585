// Replies as they are sent.
#pragma once

#include <string>
#include <string_view>

#include "classify/http/http_message.h"

namespace leafglyph {

/// Status line and headers, with the empty line. `keep_alive` says how long the connection is kept
/// (the header Keep-Alive); empty: it ends. A header of the reply replaces the default with its
/// name. Throws std::logic_error for a header with a line break.
std::string reply_head(const HttpReply& reply, const std::string& keep_alive);

/// A piece of a body of unknown length (Transfer-Encoding: chunked); an empty piece ends it.
std::string chunk(std::string_view piece);

}  // namespace leafglyph
