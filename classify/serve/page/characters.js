// Characters: look-alikes of typed, pasted or drawn characters, or of a reading, shown side by side,
// overlaid, and on sheets to print.
import {text, number, onLanguage} from "./text.js";
import {ask, send, query, byId, element, Refused} from "./api.js";

const kTop = 20, kLesson = 60, kDrawn = 12, kPaperInk = [32, 32, 32];
let chips = [], pinyin = null, facts = null, chosen = null, answers = [], other = null, pairs = null, failure = null;
const drawn = new Map();  // character -> one drawing per font, {family, size, ink}

const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
const fetchDrawings = async (characters) => {
  const missing = [...new Set(characters)].filter((character) => !drawn.has(character));
  if (missing.length === 0) return;
  const {fonts} = await send("glyph/drawings", missing.join(""));
  missing.forEach((character, place) => drawn.set(character, fonts.map((font) => (
      {family: font.family, size: font.size, ink: bytes(font.ink[place])}))));
};

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
const glyph = (character, font, label, colour = colours().ink) => {
  const drawing = drawn.get(character)?.[font];
  if (!drawing || drawing.ink.length === 0)
    return element("span", {className: "glyph missing", textContent: character, lang: "zh-Hans"});
  const named = label ? {role: "img", "aria-label": label} : {"aria-hidden": "true"};
  return paint(element("canvas", {className: "glyph", ...named}),
               [{drawing, colour}]);
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

const look = () => guarded(async () => {
  const given = byId("glyph-text").value.trim();
  if (!given) return;
  const found = await send("glyph/characters", given);
  chips = found.characters;
  pinyin = found.read ? given : null;
  if (chips.length === 0) throw new Refused("no_character", "");
  await choose(chips.length === 1 || !chips.includes(chosen) ? chips[0] : chosen);
});
const choose = async (character) => {
  const list = byId("glyph-list").checked ? byId("glyph-lesson").value : "";
  const reply = await send("glyph/similar?" + query({character, top: kTop}), list);
  await fetchDrawings([...chips.slice(0, kLesson), character,
                       ...reply.similar.map((one) => one.character)]);
  chosen = reply.character;
  answers = reply.similar;
  facts = reply;
  other = answers[0]?.character ?? null;
};
const findPairs = () => guarded(async () => {
  pairs = (await send("glyph/pairs", byId("glyph-lesson").value)).pairs;
  await fetchDrawings(pairs.slice(0, kLesson).flatMap((pair) => pair.characters));
});

const chipButton = (character) => element("button", {
  type: "button", className: "chip", lang: "zh-Hans", textContent: character,
  "aria-pressed": String(character === chosen), on: {click: () => guarded(() => choose(character))}});

// The drawing on the pad; only the newest one is looked up.
let mayBe = [], side = null, reading = false, redrawn = false;
const pad = drawingPad(byId("pad"), async () => {
  redrawn = true;
  if (reading) return;
  reading = true;
  let fault = null;
  try {
    side ??= (await ask("glyph/fonts")).size;
    while (redrawn) {
      redrawn = false;
      mayBe = pad.isEmpty() ? [] : (await send("glyph/drawn?" + query({top: kDrawn}),
          pad.ink(side))).similar.map((one) => one.character);
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
const known = (of) => [of.unicode + (of.gb2312 ? " · GB2312 " + of.gb2312 : ""),
    (of.pinyin ?? []).join(", "), of.strokes ? text("glyph.strokes", of) : "", of.meaning ?? ""];
const answerItem = (answer) => element("li", {}, element("button", {
  type: "button", className: "alike", "aria-pressed": String(answer.character === other),
  on: {click: () => {
    other = answer.character;
    draw();
    byId("glyph-answers").querySelector("[aria-pressed=true]")?.focus();
  }}},
  glyph(answer.character, 0),
  element("span", {className: "caption"}, element("b", {lang: "zh-Hans", textContent: answer.character}),
          " ", element("span", {textContent: number(answer.score, 2)}))));
const comparison = () => {
  if (!chosen || !other) return [];
  const {first, second} = colours();
  return drawn.get(chosen).map((drawing, font) => {
    const over = drawn.get(other)[font];
    const both = paint(element("canvas", {className: "glyph", role: "img",
        "aria-label": text("glyph.over", {first: chosen, second: other, font: drawing.family})}),
        [{drawing, colour: first}, {drawing: over, colour: second}]);
    return element("tr", {}, element("th", {scope: "row", textContent: drawing.family}),
        element("td", {}, glyph(chosen, font, text("glyph.in_font", {character: chosen, font: drawing.family}))),
        element("td", {}, glyph(other, font, text("glyph.in_font", {character: other, font: drawing.family}))),
        element("td", {}, both));
  });
};
const pairItem = (pair) => element("li", {}, element("button", {
  type: "button", className: "alike",
  on: {click: () => guarded(async () => {
    if (!chips.includes(pair.characters[0])) chips = [pair.characters[0]];
    await choose(pair.characters[0]);
    await fetchDrawings(pair.characters);
    other = pair.characters[1];
  })}},
  element("span", {className: "two"}, pair.characters.map((character) => glyph(character, 0))),
  element("span", {className: "caption"},
          element("b", {lang: "zh-Hans", textContent: pair.characters.join(" ")}),
          " ", element("span", {textContent: number(pair.score, 2)}))));

// Every character of the text with those that it is confused with.
const practised = async (top) => {
  const replies = [];
  for (const character of chips.slice(0, kLesson))
    replies.push(await send("glyph/similar?" + query({character, top}), ""));
  return replies;
};
const worksheet = () => guarded(async () => {
  const lines = (await practised(3)).map((reply) =>
      [reply.character, ...reply.similar.map((one) => one.character)]);
  await fetchDrawings(lines.flat());
  byId("worksheet").replaceChildren(...practice.sheet(lines, (character) =>
      glyph(character, 0, character, kPaperInk)));
  byId("worksheet-part").hidden = lines.length === 0;
});
const anki = () => guarded(async () => {
  const notes = (await practised(10)).map((reply) => ({
    character: reply.character,
    lines: [...known(reply).slice(1), text("anki.alike", {characters: reply.similar.map((one) =>
        [one.character, ...(one.pinyin ?? [])].join(" ")).join(", ")})]}));
  practice.save("characters.txt", "text/plain", practice.anki(notes));
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
  byId("glyph-found").hidden = !chosen;
  byId("practice").hidden = chips.length === 0;
  byId("glyph-pairs").replaceChildren(...(pairs ?? []).slice(0, kLesson).map(pairItem));
  if (!chosen) return;
  byId("glyph-chosen").replaceChildren(glyph(chosen, 0, chosen));
  byId("glyph-name").textContent = chosen;
  const [codes, ...others] = known(facts);
  byId("glyph-codes").textContent = codes;
  byId("glyph-facts").textContent = others.filter(Boolean).join(" · ");
  byId("glyph-answers").replaceChildren(...answers.map(answerItem));
  byId("glyph-fonts").hidden = !other;
  byId("glyph-first").textContent = chosen;
  byId("glyph-second").textContent = other ?? "";
  byId("glyph-table").replaceChildren(...comparison());
};

byId("glyph-ask").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
byId("glyph-list").addEventListener("change", () => chosen && guarded(() => choose(chosen)));
byId("pad-undo").addEventListener("click", pad.undo);
byId("pad-clear").addEventListener("click", pad.clear);
byId("glyph-find-pairs").addEventListener("click", findPairs);
byId("worksheet-make").addEventListener("click", worksheet);
byId("anki").addEventListener("click", anki);
byId("worksheet-print").addEventListener("click", () => print());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
onLanguage(draw);
