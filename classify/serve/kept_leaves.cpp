#include "classify/serve/kept_leaves.h"

#include <algorithm>
#include <array>

#include "classify/http/page_limits.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/sha256.h"
#include "features/base/text.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {
namespace {

constexpr std::size_t kDigits = 16;
constexpr int kSmallSide = 64;  // enough to see that it is an image

struct Format {
  std::string_view extension;
  std::string_view begin;  // the first bytes of the file
};
constexpr std::array<Format, 7> kFormats = {{{".jpg", "\xFF\xD8"},
                                             {".png", "\x89PNG"},
                                             {".tif", "II*"},
                                             {".tif", "MM"},
                                             {".bmp", "BM"},
                                             {".webp", "RIFF"},
                                             {".heic", ""}}};

bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == U'/' ||
         character == U'\\';
}

}  // namespace

std::string species_folder(std::string_view name) {
  const auto refuse = [](const char* why) -> std::string { throw UsageError(why); };
  if (name.empty()) return refuse("the name of a species is empty");
  if (name.size() > kMaxSpeciesName) return refuse("the name of a species is too long");
  if (name.front() == '.' || name.front() == ' ' || name.back() == ' ') {
    return refuse("the name of a species begins with a dot or ends with a space");
  }
  if (std::ranges::any_of(decode_utf8(name), is_control)) {
    return refuse("the name of a species has a slash or a control character");
  }
  return std::string(name);
}

std::string KeptLeaves::keep(std::string_view species, std::string_view bytes) const {
  const std::string folder = species_folder(species);
  decode_picture(bytes, "the photograph", kSmallSide);
  const auto format = std::ranges::find_if(
      kFormats, [&](const Format& known) { return bytes.starts_with(known.begin); });
  const std::string name = sha256(bytes).substr(0, kDigits) + std::string(format->extension);
  make_folder(folder_);
  FileSeries(folder_ / folder).write(name, bytes);
  return folder + "/" + name;
}

std::vector<std::string> KeptLeaves::photographs() const {
  std::vector<std::string> photographs;
  if (!is_folder(folder_)) return photographs;
  for (const std::string& species : names_in_folder(folder_)) {
    if (!is_folder(folder_ / species)) continue;
    for (const std::string& file : names_in_folder(folder_ / species)) {
      if (is_image_name(file)) photographs.push_back(species + "/" + file);
    }
  }
  return photographs;
}

}  // namespace leafglyph
