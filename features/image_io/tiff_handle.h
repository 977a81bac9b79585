// libtiff's handles for its reader and writer. Nothing is printed.
#pragma once

#include <tiffio.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <string>

namespace leafglyph::detail {

struct TiffCloser {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffHandle = std::unique_ptr<TIFF, TiffCloser>;

struct TiffOptionsFreer {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};
using TiffOptions = std::unique_ptr<TIFFOpenOptions, TiffOptionsFreer>;

/// Options for opening a file. The first error is stored in `message`, which must outlive the
/// handle.
inline TiffOptions quiet_tiff_options(std::string& message) {
  // A handler that returns non-zero keeps libtiff from printing the message itself.
  constexpr auto kKeepFirst = [](TIFF*, void* user_data, const char*, const char* format,
                                 std::va_list arguments) {
    auto& kept = *static_cast<std::string*>(user_data);
    if (kept.empty()) {
      std::array<char, 200> text;
      std::vsnprintf(text.data(), text.size(), format, arguments);
      kept = text.data();
    }
    return 1;
  };
  constexpr auto kIgnore = [](TIFF*, void*, const char*, const char*, std::va_list) { return 1; };
  TiffOptions options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), kKeepFirst, &message);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), kIgnore, nullptr);
  return options;
}

/// Reads an open file. The first error is stored in `message`, which must outlive the handle. Null
/// if the file is none of TIFF.
inline TiffHandle open_tiff(std::FILE* file, const char* name, std::string& message) {
  const TiffOptions options = quiet_tiff_options(message);
  // libtiff closes the descriptor that it is given. "m": read instead of mapping, so that a file
  // that cannot be read to its end causes an error and not a signal.
  const int descriptor = ::dup(::fileno(file));
  TiffHandle tiff(TIFFFdOpenExt(descriptor, name, "rm", options.get()));
  if (!tiff && descriptor >= 0) ::close(descriptor);
  return tiff;
}

}  // namespace leafglyph::detail
