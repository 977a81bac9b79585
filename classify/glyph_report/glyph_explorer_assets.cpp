#include "classify/glyph_report/glyph_explorer_assets.h"

namespace leafglyph {

std::string_view explorer_body() {
  return R"html(
<noscript><p>This page needs JavaScript, which your browser has switched off.</p></noscript>
<form class="ask" id="ask" role="search">
<label for="wanted">Character</label>
<input id="wanted" type="text" autocomplete="off" lang="zh-Hans" aria-describedby="hint">
<button type="submit">Show</button>
<button type="button" id="random">Any one</button>
</form>
<p id="hint" class="soft">A simplified character, or its code: U+5DF1, or GB2312 3C3A.</p>
<p id="message" class="wrong" role="status"></p>
<div class="explorer">
<div class="card chosen" id="chosen" aria-live="polite"></div>
<ol class="answers" id="answers"></ol>
</div>
)html";
}

std::string_view explorer_table() {
  return R"html(
<p class="pick"><label for="row">Row of GB 2312</label> <select id="row"></select></p>
<div class="all" id="all"></div>
)html";
}

std::string_view explorer_about() {
  return R"html(
<p>Characters are compared by Zernike moments in overlapping round windows. A window may move by a
pixel to its best fit, and a window that coincides counts for nothing whatever the others do. So two
characters are near when most of their parts coincide, as they do where one stroke or one component
makes the difference. Mirrored and turned shapes are not near.</p>
<p>The score says how near that is in this set. It is
1 &minus; log(1 + r) / log(1 + all others), where r is the number of other characters that an average
character has as near as that: 1 for the same glyph, 0 for the farthest pair, and in a set of 6,763
for example 0.92 where one other is as near, 0.73 where ten are, and 0.48 where a hundred are.</p>
)html";
}

std::string_view explorer_style() {
  return R"css(
.ask { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; margin: 0 0 6px; }
.ask input { font: 1.6rem/1.2 var(--serif); width: 7.5em; padding: 4px 12px; color: inherit;
  background: var(--card); border: 1px solid var(--soft); border-radius: 8px; }
.ask button, #row { font: inherit; color: inherit; background: var(--card); padding: 9px 16px;
  border: 1px solid var(--soft); border-radius: 8px; cursor: pointer; }
.ask button[type=submit] { background: var(--accent); color: var(--card); border-color: var(--accent); }
#message { min-height: 1.6em; margin: 0 0 8px; }
.pick { margin: 0 0 12px; }
.explorer { display: grid; grid-template-columns: 260px minmax(0, 1fr); gap: 24px;
  align-items: start; }
.chosen svg { display: block; width: 100%; height: auto; }
.chosen h3 { font-size: 2.2rem; margin: 10px 0 0; }
.chosen p { margin: 0; color: var(--soft); font-size: .93rem; }
.answers { list-style: none; display: grid; gap: 12px; margin: 0; padding: 0;
  grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); }
.answers button, .all button { font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 10px; cursor: pointer; }
.answers button { width: 100%; padding: 10px; text-align: left; }
.answers button:hover, .all button:hover { border-color: var(--accent);
  background: var(--accent-soft); }
.answers svg, .all svg { display: block; width: 100%; height: auto; }
.answers .caption { display: flex; justify-content: space-between; align-items: baseline;
  margin-top: 6px; font-variant-numeric: tabular-nums; }
.answers .caption b { font-weight: 500; font-size: 1.2rem; }
.answers .meter { margin-top: 4px; }
.meter i { display: block; height: 5px; border-radius: 3px; background: var(--line);
  overflow: hidden; }
.meter b { display: block; height: 100%; background: var(--accent); }
.all { display: grid; gap: 6px; grid-template-columns: repeat(auto-fill, minmax(48px, 1fr)); }
.all button { padding: 6px; }
.all button[aria-current=true] { border: 2px solid var(--accent); }
@media (max-width: 720px) {
  .explorer { grid-template-columns: minmax(0, 1fr); }
  .chosen { display: grid; grid-template-columns: 110px 1fr; gap: 4px 18px; }
  .chosen svg { grid-row: span 3; }
  .chosen h3 { margin: 0; align-self: end; }
  .answers { grid-template-columns: repeat(auto-fill, minmax(92px, 1fr)); }
}
)css";
}

std::string_view explorer_script() {
  return R"js(
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
  const byCode = new Map(codes.map((code, place) => [code, place]));
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
        `<p>GB2312 ${hex(codes[place])}</p>`;
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
    const row = codes[place] >> 8;
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
      if (code >> 8 !== row) return;
      const cell = button(place, drawing(place), characters[place]);
      cell.title = characters[place];
      cell.dataset.place = place;
      cells.push(cell);
    });
    element("all").replaceChildren(...cells);
    markCurrent();
  };
  const rows = new Map();
  codes.forEach((code, place) => { if (!rows.has(code >> 8)) rows.set(code >> 8, place); });
  for (const [row, first] of rows) {
    const option = document.createElement("option");
    option.value = row;
    option.textContent = `${row - 32}: ${characters[first]} ...`;
    element("row").append(option);
  }
  element("row").addEventListener("change", () => fillRow(Number(element("row").value)));

  // GB 2312 in seven bits (3C3A) or in eight (BCBA); both bytes of a code are of one kind.
  const gbPlace = (number) => {
    const high = number & 0x8080;
    return high === 0 || high === 0x8080 ? byCode.get(number & 0x7F7F) : undefined;
  };
  // The last character that is in the set, or a code. Many codes are both: a bare one is Unicode,
  // as everybody writes it, and GB 2312 only where that is not in the set.
  const find = (text) => {
    const code = /^\s*(U\+|GB\s*2312\s*)?(?:0x)?([0-9a-f]{4})\s*$/i.exec(text.normalize("NFKC"));
    if (code) {
      const number = parseInt(code[2], 16), kind = (code[1] ?? "")[0]?.toUpperCase();
      const byUnicode = kind === "G" ? undefined : places.get(String.fromCodePoint(number));
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
          `“${text}” holds no character of this set, which has the simplified ones of GB 2312.`;
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
)js";
}

}  // namespace leafglyph
