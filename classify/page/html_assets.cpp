#include "classify/page/html_assets.h"

namespace leafglyph {

std::string_view page_icon() {
  return R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#1f6b45" d="M4 28C2 12 12 3 29 3c1 17-8 26-21 24l12-14L5 28z"/></svg>)svg";
}

std::string_view page_style() {
  return R"css(
:root {
  --paper: #faf9f5; --card: #ffffff; --ink: #1c2521; --soft: #55625b; --line: #dcdfd6;
  --accent: #1c6b45; --accent-soft: #e2efe6; --bad: #a93226; --bad-soft: #f8e5e1;
  --cell-right: 28, 107, 69; --cell-wrong: 190, 52, 36;
  --series-1: #0067a3; --series-2: #bf5300; --series-3: #007a58; --series-4: #a8578c;
  --series-5: #8a6a00; --series-6: #7a4a21; --series-7: #6f2c86; --series-8: #26717d;
  --reference: #5c635f;
  --serif: Charter, "Bitstream Charter", "Source Serif 4", Cambria, Georgia, serif;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #111613; --card: #19201c; --ink: #e5ebe7; --soft: #a4b1a9; --line: #2f3933;
    --accent: #7fcda1; --accent-soft: #1d3427; --bad: #f2968a; --bad-soft: #3d211d;
    --cell-right: 80, 176, 124; --cell-wrong: 236, 96, 78;
    --series-1: #5db1e6; --series-2: #f0914a; --series-3: #4cc79f; --series-4: #dd96c4;
    --series-5: #d5b040; --series-6: #c79a72; --series-7: #b98fd6; --series-8: #7fc4cf;
    --reference: #aab3ad;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.wrap { max-width: 1120px; margin: 0 auto; padding: 0 24px; }
h1, h2, h3 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
p, li, h1, h2, h3, figcaption, caption, summary { overflow-wrap: anywhere; }
h1 { font-size: clamp(2rem, 5vw, 3rem); margin: .1em 0 .3em; }
h2 { font-size: 1.6rem; margin: 0 0 .5em; }
h3 { font-size: 1.12rem; margin: 0 0 .4em; }
p + h3 { margin-top: 1.4em; }
p { margin: 0 0 1em; max-width: 72ch; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 12px; top: 12px; background: var(--card); padding: 8px 14px; z-index: 9; }
.masthead { padding: 44px 0 22px; border-top: 6px solid var(--accent); }
.eyebrow { margin: 0; color: var(--accent); font-size: .85rem; font-weight: 600;
  letter-spacing: .06em; text-transform: uppercase; }
.lead { font-size: 1.15rem; color: var(--soft); margin: 0; }
nav { position: sticky; top: 0; z-index: 5; background: var(--paper);
  border-bottom: 1px solid var(--line); }
nav ul { list-style: none; display: flex; gap: 4px; max-width: 1120px; margin: 0 auto;
  padding: 6px 16px; overflow-x: auto; scrollbar-width: none; }
nav a { display: block; padding: 7px 9px; border-radius: 6px; color: var(--ink);
  text-decoration: none; white-space: nowrap; font-size: .93rem; }
nav a:hover { background: var(--accent-soft); }
section { padding: 40px 0 12px; scroll-margin-top: 36px; }
section + section { border-top: 1px solid var(--line); }
.soft { color: var(--soft); }
.right { color: var(--accent); }
.wrong { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 18px 20px; }
.headline { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); gap: 20px;
  margin-bottom: 20px; }
.headline .value { font: 600 clamp(3rem, 8vw, 4.4rem)/1 var(--serif); color: var(--accent);
  margin: 0 0 12px; white-space: nowrap; }
.headline .value small { font-size: .5em; }
.headline p { margin: 0 0 .4em; }
.tracks { display: grid; gap: 14px; align-content: center; }
.track-name { display: flex; justify-content: space-between; gap: 4px 12px; flex-wrap: wrap;
  font-size: .95rem; }
.track-name span:last-child { color: var(--soft); font-variant-numeric: tabular-nums; }
.track { position: relative; height: 22px; border-bottom: 1px solid var(--line); }
.track i { position: absolute; display: block; }
.track .bar { top: 8px; height: 7px; border-radius: 4px; background: var(--accent-soft);
  border: 1px solid var(--accent); }
.track .split { top: 4px; width: 1px; height: 15px; background: var(--soft); opacity: .55; }
.track .dot { top: 4px; width: 15px; height: 15px; margin-left: -7px; border-radius: 50%;
  background: var(--accent); border: 2px solid var(--card); }
.track .dot.published { background: var(--card); border: 2px solid var(--reference); }
.track-ends { display: flex; justify-content: space-between; font-size: .82rem;
  color: var(--soft); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 12px;
  margin: 0 0 24px; }
.cards div { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 12px 16px; }
.cards dt { color: var(--soft); font-size: .88rem; }
.cards dd { margin: 0; font: 600 1.3rem/1.3 var(--serif); }
.cards dd small { display: block; font: .82rem/1.4 system-ui, sans-serif; color: var(--soft); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 20px;
  margin: 0 0 20px; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; }
figcaption { color: var(--soft); font-size: .9rem; }
.chart { background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 14px; margin-bottom: 14px; }
.chart svg { display: block; width: 100%; height: auto; }
.chart .narrow { display: none; }
.chart figcaption { padding: 4px 6px 0; max-width: 90ch; }
.plot-ink { fill: var(--ink); }
.plot-paper { fill: var(--card); }
.plot-note { fill: var(--soft); }
.plot-grid { stroke: var(--line); }
.plot-axis { stroke: var(--soft); }
.plot-reference { color: var(--reference); }
.plot-series-1 { color: var(--series-1); }
.plot-series-2 { color: var(--series-2); }
.plot-series-3 { color: var(--series-3); }
.plot-series-4 { color: var(--series-4); }
.plot-series-5 { color: var(--series-5); }
.plot-series-6 { color: var(--series-6); }
.plot-series-7 { color: var(--series-7); }
.plot-series-8 { color: var(--series-8); }
.matrix-frame { fill: none; stroke: var(--line); }
.matrix-line { stroke: var(--line); stroke-width: .5; }
.matrix-right { fill: rgb(var(--cell-right)); }
.matrix-wrong { fill: rgb(var(--cell-wrong)); }
.matrix-name { fill: var(--ink); font-size: 11px; }
.matrix-title { fill: var(--soft); font-size: 12px; }
.matrix-count { fill: var(--ink); font-size: 9px; text-anchor: middle; }
.scroll { overflow-x: auto; margin-bottom: 14px; border-radius: 12px;
  border: 1px solid var(--line); background: var(--card); }
.scroll > svg { display: block; margin: 0 auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); font-size: .9rem; padding: 10px 12px 4px; }
th, td { padding: 7px 12px; text-align: left; vertical-align: middle;
  border-bottom: 1px solid var(--line); }
tr:last-child > * { border-bottom: 0; }
thead th { font-size: .88rem; color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; }
td.number, th.number { text-align: right; white-space: nowrap; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 2px 0;
  cursor: pointer; }
th button::after { content: " \2195"; opacity: .5; }
th[aria-sort=ascending] button::after { content: " \2191"; opacity: 1; }
th[aria-sort=descending] button::after { content: " \2193"; opacity: 1; }
tbody th em { display: block; font-style: normal; color: var(--soft); font-size: .88rem; }
.species em { font-style: italic; }
.beside th:first-child { min-width: 230px; }
.species img, .species .no-picture { width: 56px; height: 42px; max-width: none; }
td.meter { min-width: 132px; }
.meter i { display: block; height: 5px; margin-top: 3px; border-radius: 3px;
  background: var(--line); overflow: hidden; }
.meter i b { display: block; height: 100%; background: var(--accent); }
img, .no-picture { display: block; object-fit: contain; background: #ffffff; border-radius: 6px;
  max-width: 100%; }
.no-picture { display: grid; place-items: center; background: var(--paper); color: var(--soft);
  font-size: .75rem; border: 1px dashed var(--line); }
.pairs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr));
  gap: 16px; margin-bottom: 16px; }
.pairs > .scroll { margin: 0; align-self: start; }
.pair .sides { display: grid; grid-template-columns: 1fr 1fr; gap: 14px; }
.pair h3 { margin-bottom: .15em; }
.pair .pictures { display: grid; gap: 8px; }
.pair img, .pair .no-picture { width: 100%; height: auto; aspect-ratio: 4 / 3;
  border: 1px solid var(--line); }
.pair .side-name { font-size: .9rem; margin: 0 0 6px; }
.mistakes { display: grid; gap: 14px; margin-bottom: 16px; }
.mistake { display: grid; grid-template-columns: 190px minmax(0, 1fr); gap: 20px; }
.mistake.explained { margin-bottom: 22px; }
.mistake h3 { font-size: 1.05rem; }
.mistake p { margin: 0 0 .3em; font-size: .93rem; }
.query img, .query .no-picture { width: 100%; height: auto; aspect-ratio: 4 / 3;
  border: 2px solid var(--bad); }
.query.fine img, .query.fine .no-picture { border-color: var(--accent); }
.neighbours { list-style: none; display: grid; gap: 10px; margin: 8px 0 0; padding: 0;
  grid-template-columns: repeat(auto-fill, minmax(118px, 1fr)); }
.neighbours img, .neighbours .no-picture { width: 100%; height: auto; aspect-ratio: 4 / 3;
  border: 2px solid var(--bad); }
.neighbours .same img, .neighbours .same .no-picture { border-color: var(--accent); }
.neighbours .plain img, .neighbours .plain .no-picture { border-color: var(--line); }
.neighbours span { display: block; font-size: .82rem; line-height: 1.35; margin-top: 3px;
  overflow-wrap: anywhere; }
.filter { margin: 0 0 12px; }
.filter input { font: inherit; color: inherit; background: var(--card); padding: 7px 12px;
  border: 1px solid var(--soft); border-radius: 8px; width: min(100%, 320px); }
[hidden] { display: none !important; }
details { margin: 0 0 14px; }
summary { cursor: pointer; padding: 6px 0; color: var(--accent); }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 12px; margin: 0 0 14px;
  padding: 16px; overflow-x: auto; font: .85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
.times td:last-child { width: 45%; }
.times i { display: block; height: 12px; border-radius: 3px; background: var(--accent);
  min-width: 1px; }
@media (max-width: 720px) {
  .wrap { padding: 0 16px; }
  .masthead { padding: 28px 0 16px; }
  section { padding: 28px 0 8px; }
  .headline, .mistake { grid-template-columns: minmax(0, 1fr); }
  .mistake .query { max-width: 240px; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: 10px; }
  .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .chart { padding: 8px 4px; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  .card { padding: 14px; }
  th, td { padding: 6px 8px; }
  .neighbours { grid-template-columns: repeat(auto-fill, minmax(92px, 1fr)); }
}
@media print {
  :root { --paper: #ffffff; }
  nav, .filter, .skip { display: none; }
  body { font-size: 10pt; }
  section { padding: 14pt 0 4pt; }
  .card, .chart, .mistake, .pair, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .chart { max-width: 15cm; }
  .cards { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  .pairs { grid-template-columns: 1fr 1fr; }
  .mistake { grid-template-columns: 4cm minmax(0, 1fr); }
  .neighbours { grid-template-columns: repeat(5, minmax(0, 1fr)); }
  .scroll { overflow: visible; border: 0; }
  .scroll > svg { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
)css";
}

std::string_view page_script() {
  return R"js(
"use strict";
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const value = (row, column) => {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
  };
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort === "ascending" ||
        (!head.ariaSort && head.classList.contains("number"));
      for (const other of heads) other.removeAttribute("aria-sort");
      head.ariaSort = down ? "descending" : "ascending";
      const sign = down ? -1 : 1;
      const rows = [...body.rows].sort((a, b) => {
        const x = value(a, column), y = value(b, column);
        return sign * (typeof x === "number" ? x - y : x.localeCompare(y));
      });
      body.append(...rows);
    });
  });
}
for (const box of document.querySelectorAll(".filter")) {
  const input = box.querySelector("input");
  const items = document.querySelectorAll(input.dataset.filter);
  box.hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
  });
}
)js";
}

}  // namespace leafglyph
