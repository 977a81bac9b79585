#include "classify/page/html_text.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <limits>

#include "features/base/errors.h"
#include "features/base/utf8.h"

namespace leafglyph {
namespace {

const char* reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char* known = reference(text.front());
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (known != nullptr) {
      result += known;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string base64(std::string_view bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 4 * 3) {
    throw UsageError(fmt::format("a page cannot hold {} bytes as base64", bytes.size()));
  }
  std::string result((bytes.size() + 2) / 3 * 4, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(result.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return result;
}

std::string data_uri(std::string_view type, std::string_view bytes) {
  return "data:" + std::string(type) + ";base64," + base64(bytes);
}

}  // namespace leafglyph
