// Limits of what `leafglyph serve` takes and answers.
#pragma once

#include <cstddef>

namespace leafglyph {

/// Parts of a form: photographs, and a few fields beside them.
inline constexpr std::size_t kMaxFormParts = 64;
/// Bytes of the head of a part, with the name of its file.
inline constexpr std::size_t kMaxFormHeadBytes = std::size_t{4} << 10;
/// Of the local page, where every order is drawn at once.
inline constexpr int kMaxServedOrder = 100;
/// Bytes of a file in an archive after unpacking; more is a zip bomb.
inline constexpr std::size_t kMaxArchivedBytes = std::size_t{64} << 20;
/// Photographs and bytes of a training.
inline constexpr std::size_t kMaxTrainingPhotographs = 20'000;
inline constexpr std::size_t kMaxTrainingBytes = std::size_t{8} << 30;
/// Photographs of a request.
inline constexpr std::size_t kMaxRequestPhotographs = 20;
/// Bytes of the name of a species, which becomes that of a folder.
inline constexpr std::size_t kMaxSpeciesName = 120;
/// Bytes of a photograph's name in a reply.
inline constexpr std::size_t kMaxPhotographName = 200;
/// Number of a part of a photograph that can be asked for.
inline constexpr int kMaxPart = 100;
/// Number of a drawn leaf of a species that can be asked for.
inline constexpr int kMaxDrawnLeaf = 99;
/// Look-alikes of a reply.
inline constexpr int kMaxServedLookalikes = 100;
/// Characters of a request that are drawn.
inline constexpr std::size_t kMaxDrawnCharacters = 150;
/// Characters of a lesson: 45,000 pairs.
inline constexpr std::size_t kMaxLessonCharacters = 300;
/// Strokes of a character, and bytes of the outline of one.
inline constexpr std::size_t kMaxStrokes = 64;
inline constexpr std::size_t kMaxStrokeBytes = 20'000;
/// Pairs of these that are listed.
inline constexpr std::size_t kMaxLessonPairs = 200;
/// Bytes of a lesson's text.
inline constexpr std::size_t kMaxLessonBytes = 20'000;
/// Bytes of the notes of a package for Anki.
inline constexpr std::size_t kMaxAnkiBytes = 1'000'000;

}  // namespace leafglyph
