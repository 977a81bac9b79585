#include "features/base/foreign_text.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// The text as UTF-8; nothing if the encoding is unknown here, or the bytes are not of it.
std::optional<std::string> converted(std::string_view bytes, const char* from) {
  const iconv_t handle = iconv_open("UTF-8", from);
  if (handle == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  char* next = const_cast<char*>(bytes.data());  // NOLINT: iconv does not write there
  std::size_t left = bytes.size();
  bool converts = true;
  while (left > 0 && converts) {
    char* out = part.data();
    std::size_t room = part.size();
    // A call ends when the room is full, too; it has then made some of the text.
    iconv(handle, &next, &left, &out, &room);
    converts = room < part.size();
    text.append(part.data(), part.size() - room);
  }
  iconv_close(handle);
  return left == 0 ? std::optional(std::move(text)) : std::nullopt;
}

enum class ByteOrder { kLittle, kBig };

// By the mark, or by the zeros that stand in every second byte of Latin letters.
std::optional<ByteOrder> utf16_order(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe")) return ByteOrder::kLittle;
  if (bytes.starts_with("\xfe\xff")) return ByteOrder::kBig;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < bytes.size(); ++i) zeros[i % 2] += bytes[i] == '\0';
  constexpr std::size_t kFewest = 10;  // of the characters, in per cent
  const std::size_t most = std::max(zeros[0], zeros[1]);
  if (std::min(zeros[0], zeros[1]) > 0 || 200 * most < kFewest * bytes.size() || most == 0) {
    return std::nullopt;
  }
  return zeros[0] > 0 ? ByteOrder::kBig : ByteOrder::kLittle;
}

// Nine of ten pairs of high bytes have both bytes where GB 2312 has its characters, and most of
// them are of its first level, which are nearly all of Chinese text; or there are only whole pairs,
// none of which stands beside a Latin letter, as the accents of Latin-1 do.
bool looks_like_chinese(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
  };
  const auto is_letter = [&](std::size_t i) {
    return std::isalpha(static_cast<int>(byte(i))) != 0;
  };
  std::size_t pairs = 0, both_high = 0, common = 0, beside_letters = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (byte(i) < 0x80) continue;
    ++pairs;
    both_high += byte(i + 1) >= 0xa1;
    common += byte(i + 1) >= 0xa1 &&
              ((byte(i) >= 0xb0 && byte(i) <= 0xd7) || (byte(i) >= 0xa1 && byte(i) <= 0xa3));
    beside_letters += (i > 0 && byte(i - 1) < 0x80 && is_letter(i - 1)) || is_letter(i + 2);
    ++i;
  }
  if (pairs == 0) return false;
  const bool are_usual = 10 * both_high >= 9 * pairs && 10 * common >= 6 * pairs;
  return are_usual || (both_high == pairs && beside_letters == 0);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void end_lines_in_lf(std::string& text) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[to++] = text[i] == '\r' ? '\n' : text[i];
  }
  text.resize(to);
}

}  // namespace

ForeignText foreign_text(std::string bytes, const std::string& file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  ForeignText foreign;
  if (const auto order = utf16_order(bytes)) {
    auto text = converted(bytes, *order == ByteOrder::kBig ? "UTF-16BE" : "UTF-16LE");
    if (!text) throw InputError(file + ": is damaged UTF-16; save it as UTF-8");
    foreign.text = *std::move(text);
  } else if (!is_utf8(bytes)) {
    auto text = looks_like_chinese(bytes) ? converted(bytes, "GB18030") : std::nullopt;
    foreign.note = file + (text ? ": read as GB 18030"
                                : ": has bytes that are not UTF-8, which are shown as \\xNN");
    foreign.text = text ? *std::move(text) : std::move(bytes);
  } else {
    foreign.text = std::move(bytes);
  }
  if (foreign.text.starts_with(kByteOrderMark)) foreign.text.erase(0, kByteOrderMark.size());
  end_lines_in_lf(foreign.text);
  return foreign;
}

}  // namespace leafglyph
