// Characters: look-alikes of typed, pasted or drawn characters, or of a reading, shown side by side,
// overlaid, and on sheets to print.
import {text, number, onLanguage} from "./text.js";
import {ask, send, query, byId, element, Refused} from "./api.js";
import {isReady, onRecognised, recognise} from "./pictures.js";

const kTop = 20, kLesson = 60, kDrawn = 12, kPaperInk = "#202020";
const kOutlineSide = 1000;  // of the paths of the server
let sets = [], wider = null;  // wider: the set in which the characters were found instead
let chips = [], pinyin = null, facts = null, chosen = null, answers = [], other = null, pairs = null, failure = null;
const drawn = new Map();  // character -> one drawing per font, {family, path} or {family, size, ink}

const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const fetchDrawings = async (characters) => {
  const missing = [...new Set(characters)].filter((character) => !drawn.has(character));
  if (missing.length === 0) return;
  const {fonts: all} = await send("glyph/drawings?" + query({set: set()}), missing.join(""));
  // Bitmaps, which are compared, are only shown where there is nothing better.
  const outlines = all.filter((font) => font.outlines), fonts = outlines.length > 0 ? outlines : all;
  missing.forEach((character, place) => drawn.set(character, fonts.map((font) => font.outlines
      ? {family: font.family, path: font.outlines[place]}
      : {family: font.family, size: font.size, ink: bytes(font.ink[place])})));
  const families = fonts.map((font) => font.family);
  if (families.join() !== fontsShown.join()) listFonts(families, fonts);
};
// The set of characters that is searched; "" is that of the server's configuration.
const set = () => wider ?? byId("glyph-set").value;
// Large glyphs are drawn in the chosen font: at first a Kai ti, from which children copy strokes.
let fontsShown = [];
const listFonts = (families, fonts) => {
  fontsShown = families;
  const kai = fonts.findIndex((font) => font.outlines && /kai|楷/i.test(font.family));
  const first = kai >= 0 ? kai : Math.max(0, fonts.findIndex((font) => font.outlines));
  byId("glyph-font").replaceChildren(...families.map((family, place) =>
      element("option", {value: place, textContent: family, selected: place === first})));
  byId("glyph-font-part").hidden = families.length < 2;
};
const shownFont = () => Number(byId("glyph-font").value || 0);

const colours = () => {
  const style = getComputedStyle(document.documentElement);
  const probe = (name) => {
    const canvas = element("canvas", {width: 1, height: 1}), pen = canvas.getContext("2d");
    pen.fillStyle = style.getPropertyValue(name).trim();
    pen.fillRect(0, 0, 1, 1);
    return pen.getImageData(0, 0, 1, 1).data;
  };
  return {ink: probe("--ink"), first: probe("--series-1"), second: probe("--series-2")};
};
// Layers of ink, each in its own colour; where two overlap, both are visible.
const paint = (canvas, layers) => {
  const size = Math.max(...layers.map((layer) => layer.drawing.size));
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d"), picture = pen.createImageData(size, size);
  for (let i = 0; i < size * size; ++i) {
    let alpha = 0, mixed = [0, 0, 0];
    for (const {drawing, colour} of layers) {
      const ink = (drawing.ink[i] ?? 0) / 255;
      mixed = mixed.map((value, c) => value + ink * colour[c]);
      alpha += ink;
    }
    for (let c = 0; c < 3; ++c) picture.data[4 * i + c] = alpha ? mixed[c] / alpha : 0;
    picture.data[4 * i + 3] = 255 * Math.min(1, alpha);
  }
  pen.putImageData(picture, 0, 0);
  return canvas;
};
const shades = (name) => `rgb(${[...colours()[name]].slice(0, 3).join(" ")})`;
// Outlines of one or two characters, each in its own colour; where two overlap, both are visible.
const outlined = (paths, named) => element("svg", {class: "glyph",
    viewBox: `0 0 ${kOutlineSide} ${kOutlineSide}`, ...named},
    paths.map(({path, colour}) => element("path", {d: path, fill: colour,
                                                   "fill-opacity": paths.length > 1 ? .6 : 1})));
const isDrawn = (drawing) => drawing !== undefined && (drawing.path ?? drawing.ink).length > 0;
// `ink`: a colour for paper, where there is no dark scheme.
const glyph = (character, font, label, ink = null) => {
  const drawing = drawn.get(character)?.[font];
  if (!isDrawn(drawing))
    return element("span", {className: "glyph missing", textContent: character, lang: "zh-Hans"});
  const named = label ? {role: "img", "aria-label": label} : {"aria-hidden": "true"};
  if (drawing.path) return outlined([{path: drawing.path, colour: ink ?? "currentColor"}], named);
  return paint(element("canvas", {className: "glyph", ...named}),
               [{drawing, colour: ink ? [32, 32, 32] : colours().ink}]);
};
const overlaid = (one, two, font, label) => {
  const named = {role: "img", "aria-label": label};
  const drawings = [drawn.get(one)[font], drawn.get(two)?.[font]];
  if (!drawings.every(isDrawn)) return "";
  if (drawings[0].path)
    return outlined(drawings.map(({path}, place) => ({path, colour: shades(place ? "second" : "first")})), named);
  const {first, second} = colours();
  return paint(element("canvas", {className: "glyph", ...named}),
               [{drawing: drawings[0], colour: first}, {drawing: drawings[1], colour: second}]);
};

// Sends one request after another, in order. Otherwise a slow earlier reply would overwrite a
// later one.
let pending = 0, turn = Promise.resolve();
const guarded = (work) => {
  ++pending;
  byId("glyph-status").textContent = text("glyph.working");
  const done = turn.then(async () => {
    try {
      failure = null;
      await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      failure = error;
    } finally {
      --pending;
      draw();
    }
  });
  turn = done.catch(() => {});
  return done;
};

// No answer to an earlier question stays on the page.
const forget = () => {
  if (wider !== null) drawn.clear();
  wider = null;
  chips = [];
  pinyin = facts = other = null;
  answers = [];
  chosen = null;
};
const look = () => guarded(async () => {
  const given = byId("glyph-text").value.trim();
  if (!given) return;
  forget();
  let found = await send("glyph/characters?" + query({set: set()}), given);
  if (found.characters.length === 0 && found.set) {
    // The set lacks the characters: another one answers.
    wider = found.set;
    drawn.clear();
    found = await send("glyph/characters?" + query({set: wider}), given);
  }
  if (found.characters.length === 0) throw new Refused("no_character", "");
  chips = found.characters;
  pinyin = found.read ? given : null;
  await choose(chips[0]);
});
const choose = async (character) => {
  const list = byId("glyph-list").checked ? byId("glyph-lesson").value : "";
  const reply = await send("glyph/similar?" + query({character, top: kTop, set: set(),
      frequency: byId("glyph-frequency").value}), list);
  await fetchDrawings([...chips.slice(0, kLesson), character,
                       ...reply.similar.map((one) => one.character)]);
  chosen = reply.character;
  answers = reply.similar;
  facts = reply;
  other = answers[0]?.character ?? null;
};
const findPairs = () => guarded(async () => {
  pairs = (await send("glyph/pairs?" + query({set: set()}), byId("glyph-lesson").value)).pairs;
  await fetchDrawings(pairs.slice(0, kLesson).flatMap((pair) => pair.characters));
});

// The first view: the most similar of these that the set has.
const kClassic = "己已未末土士日曰人入大太干千ソンシツ";
const showBest = () => guarded(async () => {
  forget();
  const [best] = (await send("glyph/pairs?" + query({set: set()}), kClassic)).pairs;
  if (best) await showPair(best);
});
const chipButton = (character) => element("button", {
  type: "button", className: "chip", lang: "zh-Hans", textContent: character,
  "aria-pressed": String(character === chosen), on: {click: () => guarded(() => choose(character))}});

// The look-alikes of what was recognised, if the fonts draw it.
onRecognised((character) => guarded(async () => {
  const found = await send("glyph/characters?" + query({set: set()}), character);
  if (found.characters.length === 0) return;
  forget();
  await choose(character);
}));

// The drawing on the pad; only the newest one is looked up: by the recogniser, or, while that is made,
// as the nearest of the chosen set.
let mayBe = [], side = null, reading = false, redrawn = false, made = null;
const readPad = async () => {
  if (await isReady()) {
    const said = await recognise(await pad.picture(), kDrawn);
    return said.candidates.map((one) => one.character);
  }
  made ??= pad.picture().then((picture) => recognise(picture)).then(() => pad.again(), () => {});
  side ??= (await ask("glyph/fonts?" + query({set: byId("glyph-set").value}))).size;
  const near = await send("glyph/drawn?" + query({top: kDrawn, set: byId("glyph-set").value}), pad.ink(side));
  return near.similar.map((one) => one.character);
};
const pad = drawingPad(byId("pad"), async () => {
  redrawn = true;
  if (reading) return;
  reading = true;
  let fault = null;
  try {
    while (redrawn) {
      redrawn = false;
      mayBe = pad.isEmpty() ? [] : await readPad();
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fault = error;
  } finally {
    reading = false;
  }
  failure = fault;
  draw();
});
const level = ({hsk}) => !hsk ? "" : text("glyph.hsk", {level: hsk < 7 ? hsk : text("glyph.hsk_last")});
const readings = ({usual}) => usual.join(", ");
const known = (of) => [of.unicode + (of.gb2312 ? " · GB2312 " + of.gb2312 : ""),
    readings(of), of.strokes ? text("glyph.strokes", of) : "", level(of), of.meaning ?? ""];
const answerItem = (answer) => element("li", {}, element("button", {
  type: "button", className: "alike", "aria-pressed": String(answer.character === other),
  on: {click: () => {
    other = answer.character;
    draw();
    byId("glyph-answers").querySelector("[aria-pressed=true]")?.focus();
  }}},
  glyph(answer.character, shownFont()),
  element("span", {className: "caption"}, element("b", {lang: "zh-Hans", textContent: answer.character}),
          " ", element("span", {textContent: number(answer.score, 2)})),
  element("span", {className: "taught", textContent: [readings(answer), level(answer)].filter(Boolean).join(" · ")})));
const comparison = () => {
  if (!chosen || !other) return [];
  return drawn.get(chosen).map((drawing, font) => element("tr", {},
      element("th", {scope: "row", textContent: drawing.family}),
      [chosen, other].map((character) => element("td", {}, glyph(character, font,
          text("glyph.in_font", {character, font: drawing.family})))),
      element("td", {}, overlaid(chosen, other, font,
          text("glyph.over", {first: chosen, second: other, font: drawing.family})))));
};
const showPair = async ({characters}) => {
  if (!chips.includes(characters[0])) chips = [characters[0]];
  await choose(characters[0]);
  await fetchDrawings(characters);
  other = characters[1];
};
const pairItem = (pair) => element("li", {}, element("button", {
  type: "button", className: "alike", on: {click: () => guarded(() => showPair(pair))}},
  element("span", {className: "two"}, pair.characters.map((character) => glyph(character, shownFont()))),
  element("span", {className: "caption"},
          element("b", {lang: "zh-Hans", textContent: pair.characters.join(" ")}),
          " ", element("span", {textContent: number(pair.score, 2)}))));

// Every character of the text with those that it is confused with.
const practised = async (top) => {
  const replies = [];
  for (const character of chips.slice(0, kLesson))
    replies.push(await send("glyph/similar?" + query({character, top, set: set(),
        frequency: byId("glyph-frequency").value}), ""));
  return replies;
};
// The order of strokes, where the server has a folder of it: a small box for each stroke, with those
// before it.
let hasOrder = false;
const orders = new Map();  // character -> outlines of its strokes
const fetchOrders = async (characters) => {
  if (!hasOrder) return;
  for (const character of characters) {
    if (orders.has(character)) continue;
    orders.set(character, (await ask("glyph/strokes?" + query({character}))).strokes);
  }
};
const orderOf = (character) => {
  const strokes = orders.get(character) ?? [];
  return strokes.length === 0 ? null : element("div", {className: "order", role: "img",
      "aria-label": text("sheet.order", {character})}, strokes.map((_, last) =>
      element("svg", {viewBox: "0 0 1024 1024"}, element("g", {transform: "matrix(1 0 0 -1 0 900)"},
          strokes.slice(0, last + 1).map((path, place) => element("path", {d: path,
              class: place === last ? "now" : "before"}))))));
};
let sheetReplies = [];
const drawSheet = () => {
  byId("worksheet-part").hidden = sheetReplies.length === 0;
  const head = byId("sheet-title").value.trim();
  const about = new Map(sheetReplies.map((reply) => [reply.character, reply]));
  const lines = sheetReplies.map((reply) =>
      [reply.character, ...reply.similar.map((one) => one.character)]);
  const note = (character) => {
    const reply = about.get(character);
    const said = [readings(reply), reply.strokes ? text("sheet.strokes", reply) : "", level(reply)];
    return element("span", {}, said.filter(Boolean).join(" · "), orderOf(character));
  };
  byId("worksheet").className = "worksheet " + byId("sheet-grid").value;
  byId("worksheet").replaceChildren(
      element("div", {className: "sheet-head"}, element("b", {textContent: head}),
              element("span", {textContent: text("sheet.name")}), element("span", {textContent: text("sheet.date")})),
      ...practice.sheet(lines, (character) => glyph(character, shownFont(), character, kPaperInk),
                        {note, traced: 5}));
};
const worksheet = () => guarded(async () => {
  sheetReplies = await practised(3);
  await fetchDrawings(sheetReplies.flatMap((reply) =>
      [reply.character, ...reply.similar.map((one) => one.character)]));
  await fetchOrders(sheetReplies.map((reply) => reply.character));
  drawSheet();
  byId("worksheet-part").scrollIntoView({block: "nearest"});
});
// The size of the paper is part of a style sheet.
let paperRule = null;
const choosePaper = () => {
  const [sheet] = document.styleSheets;
  if (paperRule !== null) sheet.deleteRule(paperRule);
  paperRule = sheet.insertRule(`@page { size: ${byId("sheet-paper").value}; margin: 14mm; }`, sheet.cssRules.length);
};
const anki = () => guarded(async () => {
  const notes = (await practised(10)).map((reply) => ({
    character: reply.character,
    lines: [...known(reply).slice(1), text("anki.alike", {characters: reply.similar.map((one) =>
        [one.character, ...one.usual].join(" ")).join(", ")})]}));
  practice.save("characters.apkg", "application/apkg",
      await ask("glyph/anki", {method: "POST", body: JSON.stringify({deck: "LeafGlyph", notes})},
                (reply) => reply.blob()));
});

const draw = () => {
  byId("glyph-status").textContent =
      failure ? failure.sentence : pending > 0 ? text("glyph.working") : "";
  byId("glyph-status").classList.toggle("wrong", failure !== null);
  const several = chips.length > 1 || pinyin !== null;
  byId("glyph-chips-label").textContent = !several ? ""
      : pinyin === null ? text("glyph.in_text") : text("glyph.read", {pinyin});
  byId("glyph-chips").replaceChildren(...(several ? chips.map(chipButton) : []));
  byId("drawn-label").textContent = mayBe.length > 0 ? text("pad.may_be") : "";
  byId("drawn").replaceChildren(...mayBe.map(chipButton));
  byId("glyph-wider").textContent = wider === null ? "" : text("glyph.wider", {set: text("set." + wider)});
  byId("glyph-found").hidden = !chosen;
  byId("practice").hidden = chips.length === 0;
  byId("glyph-fonts").hidden = !chosen || !other;
  byId("glyph-pairs").replaceChildren(...(pairs ?? []).slice(0, kLesson).map(pairItem));
  if (!chosen) return;
  byId("glyph-chosen").replaceChildren(glyph(chosen, shownFont(), chosen));
  byId("glyph-name").textContent = chosen;
  const [codes, ...others] = known(facts);
  byId("glyph-codes").textContent = codes;
  byId("glyph-facts").textContent = others.filter(Boolean).join(" · ");
  byId("glyph-answers").replaceChildren(...answers.map(answerItem));
  byId("glyph-first").textContent = chosen;
  byId("glyph-second").textContent = other ?? "";
  byId("glyph-table").replaceChildren(...comparison());
};

byId("glyph-ask").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
const again = () => {
  drawn.clear();
  side = null;
  if (byId("glyph-text").value.trim()) look();
  else showBest();
};
byId("glyph-set").addEventListener("change", again);
byId("glyph-frequency").addEventListener("change", () => chosen && guarded(() => choose(chosen)));
byId("glyph-font").addEventListener("change", () => {
  draw();
  if (sheetReplies.length > 0) drawSheet();
});
for (const id of ["sheet-title", "sheet-grid"]) byId(id).addEventListener("input", drawSheet);
byId("sheet-paper").addEventListener("change", choosePaper);
byId("glyph-list").addEventListener("change", () => chosen && guarded(() => choose(chosen)));
byId("pad-undo").addEventListener("click", pad.undo);
byId("pad-clear").addEventListener("click", pad.clear);
byId("glyph-find-pairs").addEventListener("click", findPairs);
byId("worksheet-make").addEventListener("click", worksheet);
byId("anki").addEventListener("click", anki);
byId("worksheet-print").addEventListener("click", () => {
  choosePaper();
  print();
});
const listSets = () => {
  const before = byId("glyph-set").value;
  byId("glyph-set").replaceChildren(...["", ...sets].map((name) => element("option", {value: name,
      textContent: text("set." + (name || "configured")), selected: name === before})));
};
const start = async () => {
  ({sets, strokes: hasOrder} = await ask("glyph/sets"));
  listSets();
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
onLanguage(() => {
  listSets();
  draw();
  if (sheetReplies.length > 0) drawSheet();
});
// Tables of characters are only loaded for those who look at characters.
let seen = false;
const firstView = () => {
  if (seen || location.hash !== "#characters") return;
  seen = true;
  if (chosen === null && !byId("glyph-text").value) showBest();
};
addEventListener("hashchange", firstView);
start();
firstView();
