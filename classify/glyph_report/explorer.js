const leafglyphExplorer = (() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const numbers = (text) => {
    const view = new DataView(bytes(text).buffer);
    return Array.from({length: view.byteLength / 2}, (_, i) => view.getUint16(2 * i, true));
  };
  const size = data.size, count = data.answers;
  const characters = Array.from(data.characters);
  const places = new Map(characters.map((character, place) => [character, place]));
  const codes = numbers(data.codes), neighbours = numbers(data.neighbours);
  const scores = numbers(data.scores), glyphs = bytes(data.glyphs);
  const glyphBytes = Math.ceil(size * size / 8);
  const byCode = new Map(codes.map((code, place) => [code, place]).filter(([code]) => code > 0));
  // Rows of GB 2312, where all characters have one, or 256 code points of Unicode.
  const rowOf = byCode.size === characters.length ? (place) => codes[place] >> 8
      : (place) => characters[place].codePointAt(0) >> 8;
  const element = (id) => document.getElementById(id);
  const hex = (number) => number.toString(16).toUpperCase().padStart(4, "0");
  const unicode = (place) => "U+" + hex(characters[place].codePointAt(0));

  const facts = data.facts, windows = glyphWindows(data.windows, size);
  const bit = (place, pixel) =>
      (glyphs[place * glyphBytes + (pixel >> 3)] >> (7 - (pixel & 7))) & 1;
  const inkOf = (place) => Uint8Array.from({length: size * size}, (_, p) => 255 * bit(place, p));

  // Runs of ink, row by row, as one path.
  const pathOf = (place) => {
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
  const svg = (paths) => `<svg viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" ` +
      `aria-hidden="true">${paths}</svg>`;
  const drawing = (place) => svg(`<path fill="currentColor" d="${pathOf(place)}"></path>`);
  // Two characters in two colours; what they share has both.
  const overlay = (one, other) => svg(`<path class="one" d="${pathOf(one)}"></path>` +
      `<path class="other" d="${pathOf(other)}"></path>`);

  // Readings: ji3 as jǐ. The mark is on a, e, the o of ou, or the last vowel.
  const marks = ["", "\u0304", "\u0301", "\u030c", "\u0300", ""];
  const marked = (reading) => {
    const letters = reading.slice(0, -1), mark = marks[Number(reading.at(-1))];
    const at = [letters.search(/[aeê]/), letters.indexOf("ou"), letters.search(/[iouü](?!.*[iouü])/),
                letters.search(/[mn]/)].find((found) => found >= 0);
    return (letters.slice(0, at + 1) + mark + letters.slice(at + 1)).normalize("NFC");
  };
  // Characters that read so, in any tone where none is given, the more frequent first.
  const withPinyin = (text) => {
    const plain = text.trim().toLowerCase().replace("u:", "ü").replace("v", "ü").normalize("NFD");
    const tone = marks.indexOf([...plain].find((letter) => marks.includes(letter)) ?? "-");
    const letters = [...plain].filter((letter) => !marks.includes(letter)).join("").normalize("NFC");
    const wanted = /^([a-zêü]+)([1-5])?$/.exec(letters);
    if (!wanted) return [];
    const number = wanted[2] ?? (tone > 0 ? String(tone) : "");
    return characters.map((_, place) => place)
        .filter((place) => facts[place][0].some((reading) => reading.slice(0, -1) === wanted[1] &&
            (number === "" || reading.endsWith(number))))
        .sort((a, b) => facts[b][3] - facts[a][3]);
  };

  const button = (place, html, label) => {
    const made = document.createElement("button");
    made.type = "button";
    made.innerHTML = html;
    if (label !== undefined) made.setAttribute("aria-label", label);
    made.addEventListener("click", () => choose(place));
    return made;
  };

  const knownOf = (place) => {
    const [readings, strokes, radical, frequency, meaning] = facts[place];
    const lines = [readings.map(marked).join(", "),
                   strokes > 0 ? `${strokes} strokes, radical ${radical}` : "",
                   frequency > 0 ? `counted ${frequency} times` : "", meaning];
    return lines.filter((line) => line !== "").map((line) => {
      const made = document.createElement("p");
      made.textContent = line;
      return made;
    });
  };
  const say = (text) => { element("message").textContent = text; };
  // Buttons for some characters, such as those of a sentence.
  const chips = (places, label, list = "chips") => {
    element(`${list}-label`).textContent = places.length > 0 ? label : "";
    element(list).replaceChildren(...places.map((place) => {
      const item = document.createElement("li");
      const readings = facts[place][0].map(marked).join(", ");
      item.append(button(place, `<b lang="zh-Hans">${characters[place]}</b>`,
                         readings === "" ? characters[place] : `${characters[place]}, ${readings}`));
      return item;
    }));
  };

  let chosen = -1;
  const show = (place) => {
    chosen = place;
    const character = characters[place];
    say("");
    if (find(element("wanted").value) !== place) element("wanted").value = character;
    element("chosen").innerHTML = drawing(place) +
        `<h3 lang="zh-Hans">${character}</h3><p>${unicode(place)}</p>` +
        (codes[place] > 0 ? `<p>GB2312 ${hex(codes[place])}</p>` : "");
    element("chosen").append(...knownOf(place));
    element("answers").replaceChildren(...Array.from({length: count}, (_, k) => {
      const other = neighbours[place * count + k], score = scores[place * count + k] / 10000;
      const item = document.createElement("li");
      const compare = () => { element("overlay").innerHTML = overlay(place, other); };
      item.addEventListener("pointerenter", compare);
      item.addEventListener("focusin", compare);
      item.append(button(other, drawing(other) +
          `<span class="caption"><b lang="zh-Hans">${characters[other]}</b> ` +
          `<span>${score.toFixed(2)}</span></span>` +
          `<span class="meter"><i><b style="width:${100 * score}%"></b></i></span>`));
      return item;
    }));
    element("overlay").innerHTML = count > 0 ? overlay(place, neighbours[place * count]) : "";
    const row = rowOf(place);
    if (Number(element("row").value) !== row) fillRow(row);
    markCurrent();
  };
  const choose = (place) => {
    const address = "#" + encodeURIComponent(characters[place]);
    if (location.hash === address) show(place); else location.hash = address;
    element("chosen").scrollIntoView({block: "nearest"});
  };

  const markCurrent = () => {
    for (const cell of element("all").children) {
      cell.setAttribute("aria-current", String(Number(cell.dataset.place) === chosen));
    }
  };
  const fillRow = (row) => {
    element("row").value = row;
    const cells = [];
    codes.forEach((code, place) => {
      if (rowOf(place) !== row) return;
      const cell = button(place, drawing(place), characters[place]);
      cell.title = characters[place];
      cell.dataset.place = place;
      cells.push(cell);
    });
    element("all").replaceChildren(...cells);
    markCurrent();
  };
  const rows = new Map();
  codes.forEach((code, place) => { if (!rows.has(rowOf(place))) rows.set(rowOf(place), place); });
  for (const [row, first] of rows) {
    const option = document.createElement("option");
    option.value = row;
    const name = byCode.size === characters.length ? row - 32 : `U+${hex(row << 8)}`;
    option.textContent = `${name}: ${characters[first]} ...`;
    element("row").append(option);
  }
  element("row").addEventListener("change", () => fillRow(Number(element("row").value)));

  // GB 2312 in seven bits (3C3A) or in eight (BCBA); both bytes of a code are of one kind.
  const gbPlace = (number) => {
    const high = number & 0x8080;
    if (number > 0xFFFF) return undefined;
    return high === 0 || high === 0x8080 ? byCode.get(number & 0x7F7F) : undefined;
  };
  // The last character that is in the set, or a code. Many codes are both: a bare one is Unicode,
  // as everybody writes it, and GB 2312 only where that is not in the set.
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
  const ask = (complain) => {
    const text = element("wanted").value, place = find(text);
    const known = [...new Set(Array.from(text))].map((letter) => places.get(letter))
        .filter((found) => found !== undefined);
    const read = place === undefined ? withPinyin(text) : [];
    if (place !== undefined) {
      choose(place);
      chips(known.length > 1 ? known : [], "In this text");
    } else if (read.length > 0) {
      chips(read, `Read ${text.trim()}`);
      if (complain) choose(read[0]);
    } else {
      chips([], "");
      if (!complain) return;
      element("message").textContent = text.trim() === "" ? "Type a character first." :
          `“${text}” holds no character of this page.`;
    }
  };
  element("ask").addEventListener("submit", (event) => { event.preventDefault(); ask(true); });
  let composing = false;
  element("wanted").addEventListener("compositionstart", () => { composing = true; });
  element("wanted").addEventListener("compositionend", () => { composing = false; ask(false); });
  element("wanted").addEventListener("input", () => { if (!composing) ask(false); });
  element("wanted").addEventListener("focus", () => element("wanted").select());
  element("random").addEventListener("click",
      () => choose(Math.floor(Math.random() * characters.length)));

  const follow = () => {
    let text = "";
    try { text = decodeURIComponent(location.hash.slice(1)); } catch { text = ""; }
    const place = places.get(text);
    if (place !== undefined) show(place);
    return place !== undefined;
  };
  addEventListener("hashchange", follow);
  if (!follow()) show(places.get("\u5df1") ?? 0);
  return {element, characters, size, inkOf, windows, chips};
})();
