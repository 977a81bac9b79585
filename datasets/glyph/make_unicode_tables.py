#!/usr/bin/env python3
"""Writes the tables declared in unicode_blocks.h as C++, from the files of the Unicode character
database and of Unihan (Debian: unicode-data).

Usage: make_unicode_tables.py FOLDER OUTPUT.cpp
"""
import bz2
import re
import sys
import unicodedata
from pathlib import Path

TONES = {"\u0304": "1", "\u0301": "2", "\u030c": "3", "\u0300": "4"}
VARIANTS = {"kSimplifiedVariant": "simplified", "kTraditionalVariant": "traditional",
            "kSemanticVariant": "other", "kSpecializedSemanticVariant": "other",
            "kZVariant": "other"}
PIECE = 8000  # bytes per string literal


def unihan(folder, name):
    """(character, property, value) of one of Unihan's files."""
    for line in bz2.open(folder / f"Unihan_{name}.txt.bz2", "rt", encoding="utf-8"):
        if line.startswith("U+"):
            code, key, value = line.rstrip("\n").split("\t", 2)
            yield chr(int(code[2:], 16)), key, value


def numbered(syllable):
    """jǐ as ji3; a syllable without a mark has the neutral tone 5."""
    tone = "5"
    letters = ""
    for letter in unicodedata.normalize("NFD", syllable):
        tone, letters = (TONES[letter], letters) if letter in TONES else (tone, letters + letter)
    return unicodedata.normalize("NFC", letters) + tone


def readings(values):
    """Readings in use, the most common first; only kMandarin includes rare characters."""
    found = values.get("kMandarin", "").split()
    found += re.findall(r"([^ (]+)\(\d+\)", values.get("kHanyuPinlu", ""))
    for key in ("kXHC1983", "kTGHZ2013"):
        for entry in values.get(key, "").split():
            found += entry.split(":")[1].split(",")
    return list(dict.fromkeys(numbered(syllable) for syllable in found))


def usual(values):
    """Readings to teach: those of at least one of a hundred occurrences in a corpus that a dictionary
    lists, the most frequent first; without a corpus that of kMandarin. The neutral tone of a syllable
    that is mostly said with another tone is a matter of words, not of the character."""
    counted = re.findall(r"([^ (]+)\((\d+)\)", values.get("kHanyuPinlu", ""))
    counts = {numbered(syllable): int(count) for syllable, count in counted}
    listed = set(readings({key: value for key, value in values.items() if key != "kHanyuPinlu"}))
    total, found = sum(counts.values()), []
    for reading, count in sorted(counts.items(), key=lambda one: -one[1]):
        toned = reading[-1] == "5" and any(one[:-1] == reading[:-1] for one in found)
        if 100 * count >= total and reading in listed and not toned:
            found.append(reading)
    return found or readings({"kMandarin": values.get("kMandarin", "")})[:1]


def phonetic(values, others):
    """Phonetic classes of a character and of its traditional forms, as most simplified characters
    have none of their own."""
    found = values.get("kPhonetic", "").split()
    for other in others:
        found += other.get("kPhonetic", "").split()
    return " ".join(dict.fromkeys(re.match("[0-9]+A?", entry)[0] for entry in found))


def record(character, values, known):
    radical, _, rest = values.get("kRSUnicode", "0.0").split()[0].partition(".")
    variants = {"simplified": "", "traditional": "", "other": ""}
    for key, kind in VARIANTS.items():
        for code in re.findall(r"U\+([0-9A-F]+)", values.get(key, "")):
            other = chr(int(code, 16))
            if other != character and other not in variants[kind]:
                variants[kind] += other
    count = sum(int(n) for n in re.findall(r"\((\d+)\)", values.get("kHanyuPinlu", "")))
    return [f"{ord(character):X}", " ".join(readings(values)), " ".join(usual(values)),
            values.get("kTotalStrokes", "0").split()[0], radical.rstrip("'"), str(count),
            values.get("kTGH", "2013:0").split(":")[1], str(int("kJoyoKanji" in values)),
            values.get("kCangjie", ""),
            values.get("kFourCornerCode", "").split(".")[0].split(" ")[0],
            phonetic(values, [known.get(other, {}) for other in variants["traditional"]]),
            variants["simplified"], variants["traditional"], variants["other"],
            values.get("kDefinition", "")]


def characters(folder):
    values = {}
    for name in ("Readings", "DictionaryLikeData", "Variants", "IRGSources", "OtherMappings"):
        for character, key, value in unihan(folder, name):
            values.setdefault(character, {})[key] = value
    text = ""
    for character in sorted(values):
        if values[character].keys() & {"kMandarin", "kDefinition", *VARIANTS}:
            text += "\t".join(record(character, values[character], values)) + "\n"
    return text


def blocks(folder):
    lines = re.findall(r"^([0-9A-F]+)\.\.([0-9A-F]+); (.+)$",
                       (folder / "Blocks.txt").read_text("utf-8"), re.M)
    return "".join(f"{first}\t{last}\t{name}\n" for first, last, name in lines)


def equivalents(folder):
    """Characters and radicals that Unicode has twice, with the one that is used."""
    found = {}
    for line in (folder / "UnicodeData.txt").read_text("utf-8").splitlines():
        fields = line.split(";")
        code, decomposed = int(fields[0], 16), fields[5].split()
        if decomposed and decomposed[0] in ("<compat>", "<narrow>", "<vertical>"):
            decomposed = decomposed[1:]
        is_one = 0x2E80 <= code <= 0x2FDF or 0xF900 <= code <= 0xFAFF or code >= 0x2F800
        if len(decomposed) == 1 and (is_one and code <= 0x2FA1F or 0xFF66 <= code <= 0xFF9D):
            found[code] = int(decomposed[0], 16)
    for first, last, other in re.findall(r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*([0-9A-F]+)",
                                         (folder / "EquivalentUnifiedIdeograph.txt").read_text(
                                             "utf-8"), re.M):
        for code in range(int(first, 16), int(last or first, 16) + 1):
            found.setdefault(code, int(other, 16))
    return "".join(f"{code:X}\t{found[code]:X}\n" for code in sorted(found))


def function(name, text):
    data = text.encode("utf-8")
    pieces = []
    while data:
        cut = min(PIECE, len(data))
        while cut < len(data) and data[cut] & 0xC0 == 0x80:  # no character is split
            cut -= 1
        pieces.append('R"~(' + data[:cut].decode("utf-8") + ')~"')
        data = data[cut:]
    literals = "\n".join(pieces)
    return (f"std::string_view {name}() {{\n  static constexpr char kText[] =\n{literals};\n"
            "  return {kText, sizeof kText - 1};\n}\n")


def main():
    folder, output = Path(sys.argv[1]), Path(sys.argv[2])
    output.write_text('#include "datasets/glyph/unicode_blocks.h"\n\nnamespace leafglyph {\n\n' +
                      function("unicode_characters", characters(folder)) + "\n" +
                      function("unicode_equivalents", equivalents(folder)) + "\n" +
                      function("unicode_block_names", blocks(folder)) +
                      "\n}  // namespace leafglyph\n", "utf-8")


if __name__ == "__main__":
    main()
