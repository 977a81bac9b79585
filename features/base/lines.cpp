#include "features/base/lines.h"

#include <streambuf>

#include "features/base/errors.h"

namespace leafglyph {

// Reads from the buffer, because a stream keeps the exceptions of its buffer to itself.
bool next_line(std::istream& stream, std::string& line, std::string_view text, std::size_t most) {
  using Traits = std::streambuf::traits_type;
  std::streambuf& bytes = *stream.rdbuf();
  line.clear();
  while (true) {
    const Traits::int_type next = bytes.sbumpc();
    if (Traits::eq_int_type(next, Traits::eof())) return !line.empty();
    const char byte = Traits::to_char_type(next);
    if (byte == '\n') return true;
    if (line.size() == most) {
      throw InputError(std::string(text) + ": has a line of more than " + std::to_string(most) +
                       " bytes, the most that is read of one");
    }
    line += byte;
  }
}

}  // namespace leafglyph
