#include "classify/character/character_pictures.h"

#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "datasets/glyph/character_code.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/text.h"
#include "features/base/threads.h"
#include "features/glyph/ink.h"

namespace leafglyph {
namespace {

char32_t character_of(const std::filesystem::path& folder) {
  const std::string name = folder.filename().string();
  try {
    const std::u32string characters = characters_from(name);
    if (characters.size() == 1) return characters.front();
  } catch (const UsageError&) {  // not UTF-8
  }
  throw InputError(folder.string() +
                   ": is not named by a character; pictures are in folders such as 永 or U+6C38");
}

// A line for a picture that cannot be used.
std::string with_name(const std::string& reason, const std::string& name) {
  return reason.starts_with(name) ? reason : name + ": " + reason;
}

ReadInks inks_of(std::size_t count, const std::function<std::string(std::size_t)>& name,
                 const std::function<Image<float>(std::size_t)>& ink) {
  std::vector<Image<float>> inks(count);
  std::vector<std::string> failures(count);
  parallel_for(count, [&](std::size_t i) {
    try {
      inks[i] = ink(i);
    } catch (const InputError& error) {
      failures[i] = with_name(error.what(), name(i));
    } catch (const FormatError& error) {
      failures[i] = error.what();
    }
  });
  ReadInks read;
  for (std::size_t i = 0; i < count; ++i) {
    if (failures[i].empty()) {
      read.inks.push_back(std::move(inks[i]));
      read.files.push_back(i);
    } else {
      read.errors.push_back(std::move(failures[i]));
    }
  }
  return read;
}

}  // namespace

CharacterPictures load_character_folders(std::span<const std::string> folders) {
  CharacterPictures all;
  for (const std::string& folder : folders) {
    LeafDataset found = load_class_folders(folder);
    std::ranges::move(found.warnings, std::back_inserter(all.warnings));
    for (const LeafSample& sample : found.samples) {
      const std::filesystem::path of_character = sample.file.parent_path();
      all.pictures.push_back({sample.file.string(), last_name(of_character.parent_path()),
                              character_of(of_character)});
    }
  }
  return all;
}

std::size_t count_styles(std::span<const CharacterPicture> pictures) {
  std::set<std::string> styles;
  for (const CharacterPicture& picture : pictures) styles.insert(picture.style);
  return styles.size();
}

PhotographRequest character_request() {
  PhotographRequest request;
  request.ground = Ground::kContrast;
  return request;
}

ReadInks read_inks(std::span<const std::string> files) {
  return inks_of(
      files.size(), [&](std::size_t i) { return files[i]; },
      [&](std::size_t i) { return ink_of(read_photograph(files[i], character_request())); });
}

ReadInks read_inks(std::span<const CharacterPicture> pictures) {
  return inks_of(
      pictures.size(), [&](std::size_t i) { return pictures[i].file; },
      [&](std::size_t i) {
        const CharacterPicture& picture = pictures[i];
        return picture.grey.empty() ? ink_of(read_photograph(picture.file, character_request()))
                                    : ink_of(picture.grey);
      });
}

}  // namespace leafglyph
