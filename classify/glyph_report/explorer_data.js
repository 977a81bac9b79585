// The characters of the page: their drawings in each font, facts about them, and how to find them.
const leafglyphData = (() => {
  "use strict";
  const json = (id) => JSON.parse(document.getElementById(id).textContent);
  const data = json("data");
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const numbers = (text) => {
    const view = new DataView(bytes(text).buffer);
    return Array.from({length: view.byteLength / 2}, (_, i) => view.getUint16(2 * i, true));
  };
  const size = data.size, count = data.answers, grid = data.grid;
  const characters = Array.from(data.characters);
  const places = new Map(characters.map((character, place) => [character, place]));
  const codes = numbers(data.codes), neighbours = numbers(data.neighbours);
  const scores = numbers(data.scores), glyphs = bytes(data.glyphs);
  const glyphBytes = Math.ceil(size * size / 8);
  const byCode = new Map(codes.map((code, place) => [code, place]).filter(([code]) => code > 0));
  const isGb = byCode.size === characters.length;
  const hex = (number) => number.toString(16).toUpperCase().padStart(4, "0");
  const facts = data.facts.map(([readings, strokes, radical, frequency, meaning, usual]) =>
      ({readings, strokes, radical, frequency, meaning, usual}));
  const similar = (place) => Array.from({length: count}, (_, k) =>
      ({place: neighbours[place * count + k], score: scores[place * count + k] / 10000}));

  // The pixels used in the comparison.
  const bit = (place, pixel) =>
      (glyphs[place * glyphBytes + (pixel >> 3)] >> (7 - (pixel & 7))) & 1;
  const inkOf = (place) => Uint8Array.from({length: size * size}, (_, p) => 255 * bit(place, p));
  // Runs of ink, row by row, as one path.
  const pixelPath = (place) => {
    let path = "";
    const ink = (j, i) => bit(place, j * size + i);
    for (let j = 0; j < size; ++j) {
      for (let i = 0; i < size; ++i) {
        if (!ink(j, i)) continue;
        const first = i;
        while (i < size && ink(j, i)) ++i;
        path += `M${first} ${j}h${i - first}v1h${first - i}z`;
      }
    }
    return path;
  };
  // The outlines of a font. For each character: the number of contours; for each contour the number
  // of points (two bytes), then the points, one byte each for x and y.
  const outlinesOf = (text) => {
    const stored = bytes(text), paths = [];
    let at = 0;
    for (let place = 0; place < characters.length; ++place) {
      let path = "";
      for (let contours = stored[at++]; contours > 0; --contours) {
        const points = stored[at] + 256 * stored[at + 1];
        at += 2;
        for (let k = 0; k < points; ++k, at += 2)
          path += `${k === 0 ? "M" : "L"}${stored[at]} ${stored[at + 1]}`;
        path += "z";
      }
      paths.push(path);
    }
    return paths;
  };
  // Ways to draw: pixels first, then the fonts' outlines, which are unpacked on demand.
  const fonts = [{family: data.family, size, side: size, pixels: true, path: pixelPath},
                 ...data.fonts.map(({family, outlines}) => {
                   let paths = null;
                   return {family, side: grid, pixels: false,
                           path: (place) => (paths ??= outlinesOf(outlines))[place]};
                 })];

  // Formats readings: ji3 as jǐ. The mark goes on a, e, the o of ou, or the last vowel.
  const marks = ["", "\u0304", "\u0301", "\u030c", "\u0300", ""];
  const marked = (reading) => {
    const letters = reading.slice(0, -1), mark = marks[Number(reading.at(-1))];
    const at = [letters.search(/[aeê]/), letters.indexOf("ou"), letters.search(/[iouü](?!.*[iouü])/),
                letters.search(/[mn]/)].find((found) => found >= 0);
    return (letters.slice(0, at + 1) + mark + letters.slice(at + 1)).normalize("NFC");
  };
  const readings = (place) => facts[place].usual.map(marked).join(", ");
  // Characters with that reading (in any tone if none is given), the most frequent first.
  const withPinyin = (text) => {
    const plain = text.trim().toLowerCase().replace("u:", "ü").replace("v", "ü").normalize("NFD");
    const tone = marks.indexOf([...plain].find((letter) => marks.includes(letter)) ?? "-");
    const letters = [...plain].filter((letter) => !marks.includes(letter)).join("").normalize("NFC");
    const wanted = /^([a-zêü]+)([1-5])?$/.exec(letters);
    if (!wanted) return [];
    const number = wanted[2] ?? (tone > 0 ? String(tone) : "");
    return characters.map((_, place) => place)
        .filter((place) => facts[place].readings.some((reading) =>
            reading.slice(0, -1) === wanted[1] && (number === "" || reading.endsWith(number))))
        .sort((a, b) => facts[b].frequency - facts[a].frequency);
  };

  // GB 2312 in seven bits (3C3A) or eight (BCBA); both bytes of a code are of the same kind.
  const gbPlace = (number) => {
    const high = number & 0x8080;
    if (number > 0xFFFF) return undefined;
    return high === 0 || high === 0x8080 ? byCode.get(number & 0x7F7F) : undefined;
  };
  // The last character of the text that is in the set, or the one whose code it is. Many codes are
  // ambiguous: a bare one is Unicode, and GB 2312 only if that character is not in the set.
  const find = (text) => {
    const code = /^\s*(U\+\s*|GB\s*(?:2312\s*)?)?(?:0x)?([0-9a-f]{4,6})\s*$/i
        .exec(text.normalize("NFKC"));
    if (code) {
      const number = parseInt(code[2], 16), kind = (code[1] ?? "")[0]?.toUpperCase();
      const byUnicode = kind === "G" || number > 0x10FFFF ? undefined
          : places.get(String.fromCodePoint(number));
      return byUnicode ?? (kind === "U" ? undefined : gbPlace(number));
    }
    return Array.from(text).map((letter) => places.get(letter))
        .filter((place) => place !== undefined).pop();
  };
  // Every character of a text, once.
  const allOf = (text) => [...new Set(Array.from(text))].map((letter) => places.get(letter))
      .filter((place) => place !== undefined);

  return {
    characters, places, size, facts, fonts, similar, inkOf, readings, withPinyin, find, allOf,
    groups: data.groups.map(([members, score]) => ({members: allOf(members), score})),
    windows: glyphWindows(data.windows, size),
    language: pageLanguage(json("strings")),
    unicode: (place) => "U+" + hex(characters[place].codePointAt(0)),
    gb: (place) => codes[place] > 0 ? hex(codes[place]) : "",
    // Rows of GB 2312 if all characters have one, otherwise blocks of 256 code points of Unicode.
    rowOf: (place) => (isGb ? codes[place] : characters[place].codePointAt(0)) >> 8,
    rowName: (row) => isGb ? String(row - 32) : `U+${hex(row << 8)}`,
  };
})();
