(() => {
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

  // Runs of ink, row by row, as one path.
  const drawing = (place) => {
    let path = "";
    const ink = (j, i) => {
      const pixel = j * size + i;
      return (glyphs[place * glyphBytes + (pixel >> 3)] >> (7 - (pixel & 7))) & 1;
    };
    for (let j = 0; j < size; ++j) {
      for (let i = 0; i < size; ++i) {
        if (!ink(j, i)) continue;
        const first = i;
        while (i < size && ink(j, i)) ++i;
        path += `M${first} ${j}h${i - first}v1h${first - i}z`;
      }
    }
    return `<svg viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" aria-hidden="true">` +
        `<path fill="currentColor" d="${path}"></path></svg>`;
  };

  const button = (place, html, label) => {
    const made = document.createElement("button");
    made.type = "button";
    made.innerHTML = html;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => choose(place));
    return made;
  };

  let chosen = -1;
  const show = (place) => {
    chosen = place;
    const character = characters[place];
    element("message").textContent = "";
    element("wanted").value = character;
    element("chosen").innerHTML = drawing(place) +
        `<h3 lang="zh-Hans">${character}</h3><p>${unicode(place)}</p>` +
        (codes[place] > 0 ? `<p>GB2312 ${hex(codes[place])}</p>` : "");
    element("answers").replaceChildren(...Array.from({length: count}, (_, k) => {
      const other = neighbours[place * count + k], score = scores[place * count + k] / 10000;
      const item = document.createElement("li");
      item.append(button(other, drawing(other) +
          `<span class="caption"><b lang="zh-Hans">${characters[other]}</b>` +
          `<span>${score.toFixed(2)}</span></span>` +
          `<span class="meter"><i><b style="width:${100 * score}%"></b></i></span>`,
          `${characters[other]}, score ${score.toFixed(2)}`));
      return item;
    }));
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
    if (place !== undefined) {
      choose(place);
    } else if (complain) {
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
})();
