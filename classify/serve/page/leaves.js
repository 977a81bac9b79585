// Leaves: photographs in, species out; several photographs as a grid.
import {text, translated, onLanguage} from "./text.js";
import {ask, send, query, byId, element, Refused} from "./api.js";
import {card, nameElement, nameOf, photo, reasonOf, wordChip, wordOf} from "./leaf_card.js";
import {endRecord, makeRecord} from "./record.js";
import {among, choose, likelihood, model, models, named, onModels, reload, shelve, speciesElement, speciesName, words} from "./shelf.js";

const kAtOnce = 2;
const kWords = ["sure", "likely", "doubtful", "unknown", "plain", "none"];
const kMostLeaves = 30;    // of one photograph that are identified
const kSheet = "two-leaves";  // a bad photograph for the command alone: the page identifies every leaf
const kDrawn = "drawn leaves", kDrawnSpecies = 8, kFirstNew = 6;  // the model to try, and leaves for it
const kMostPictured = 12;  // species shown before the first photograph
let photographs = [];  // {file, url, state, answers: [{reply, error}], shown, background, kept, ...}
let running = 0, made = 0;
let filter = "";  // a word; "": all photographs

// What the server says of the photograph, or of one of its parts.
const answerOf = async (one, name, part) => {
  try {
    const values = {model: one.model, name, background: one.background, part,
                    one_leaf: one.counts === "one" && part === undefined ? 1 : undefined};
    const reply = (await send("leaf/identify?" + query(values), one.file)).leaves[0];
    return {reply, error: reply.prediction.error};
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return {reply: null, error};
  }
};
// From the top, as the command numbers them.
const fromTheTop = (parts) => parts.map(({outline}, part) =>
    ({part, top: Math.min(...outline.map((point) => point[1])),
      left: Math.min(...outline.map((point) => point[0]))}))
    .slice(0, kMostLeaves).sort((a, b) => a.top - b.top || a.left - b.left);
const identify = async (one) => {
  ++running;
  one.state = "working";
  try {
    const whole = await answerOf(one, one.file.name);
    const parts = whole.reply && !whole.error ? fromTheTop(whole.reply.parts) : [];
    one.parts = parts.length;
    // What the user said, or else what was found.
    const isOne = one.counts ? one.counts === "one" : whole.reply?.near_leaflets !== undefined;
    if (parts.length < 2 || isOne) {
      one.answers = [whole];
    } else {
      const answers = [];
      for (const [place, {part}] of parts.entries())
        answers.push(await answerOf(one, `${one.file.name} #${place + 1}`, part));
      one.answers = answers;
    }
  } finally {
    --running;
  }
  one.state = "done";
  draw(one);
  work();
  if (photographs.every((other) => other.state === "done")) together();
};
const work = () => {
  while (running < kAtOnce) {
    const next = photographs.find((one) => one.state === "waiting");
    if (!next) break;
    identify(next);
  }
  progress();
};

// Several photographs of one plant also get a joint prediction.
const kMostTogether = 20;
let plant = null;
const together = async () => {
  plant = null;
  const usable = photographs.filter((one) => one.answers.length === 1 && wordOf(one.answers[0]) !== "none")
      .slice(0, kMostTogether);
  if (byId("one-plant").checked && usable.length > 1) {
    const form = new FormData();
    for (const one of usable) form.append("photograph", one.file, one.file.name);
    try {
      const reply = await send("leaf/identify?" + query({model: usable[0].model, together: 1}), form);
      plant = {...reply.plant, model: usable[0].model};
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  drawPlant();
};
const drawPlant = () => {
  byId("plant").hidden = plant === null;
  if (plant === null) return;
  const prediction = plant.known ? speciesElement("span", plant.prediction, named(plant.model)) : text("leaves.unknown");
  const leaves = plant.leaves.length;
  const from = plant.probability === undefined ? text("plant.votes", {leaves})
      : text("plant.from", {leaves, share: likelihood(plant.probability)});
  byId("plant").replaceChildren(
      element("h2", {}, words("plant.title", {}, {prediction})),
      element("p", {}, plant.word ? element("span", {className: "word " + plant.word,
          textContent: text("word." + plant.word)}) : "", " ", from),
      plant.contradicting.length === 0 ? "" : element("p", {className: "wrong", textContent:
          text("plant.contradicted", {count: plant.contradicting.length, leaves})}));
};

// The words of a photograph's leaves, each once.
const wordsOf = (one) => new Set(one.answers.map(wordOf));
const drawFilter = () => {
  const counts = kWords.map((word) => ({word, count: photographs.filter((one) => wordsOf(one).has(word)).length}))
      .filter(({count}) => count > 0);
  if (filter !== "" && !counts.some(({word}) => word === filter)) filter = "";
  byId("leaf-filter").hidden = photographs.length < 2 || counts.length < 2;
  const entry = (word, label, count) => element("button", {type: "button", "aria-pressed": word === filter ? "true" : "false",
      textContent: `${label} (${count})`, on: {click: () => {
        filter = word;
        drawFilter();
      }}});
  byId("leaf-filter").replaceChildren(entry("", text("leaves.all"), photographs.length),
      ...counts.map(({word, count}) => entry(word, text("filter." + word), count)));
  for (const one of photographs) one.place.hidden = filter !== "" && !wordsOf(one).has(filter);
};
// The photographs as they were given, or by the species or the probability of their first leaf; those
// without one last.
const order = {
  given: () => 0,
  species: (a, b) => rank(a) - rank(b) || nameOf(a.answers[0], a).localeCompare(nameOf(b.answers[0], b)),
  probability: (a, b) => probability(b) - probability(a),
};
const rank = (one) => {
  const word = one.answers.length === 0 ? "none" : wordOf(one.answers[0]);
  return word === "none" ? 2 : word === "unknown" ? 1 : 0;
};
const probability = (one) => {
  const {known, probability: share} = rank(one) === 2 ? {} : one.answers[0].reply.prediction;
  return known ? share ?? 0 : -rank(one);
};
const ordered = () => photographs.filter((one) => one.answers.length > 0).sort(order[byId("leaf-order").value])
    .concat(photographs.filter((one) => one.answers.length === 0));
const arrange = () => {
  const places = ordered().map((one) => one.place), list = byId("leaf-results");
  byId("leaf-order-part").hidden = photographs.length < 2;
  if (places.some((place, at) => list.children[at] !== place)) list.replaceChildren(...places);
};
const progress = () => {
  const ended = photographs.filter((one) => one.state === "done"), done = ended.length;
  const answered = ended.filter((one) => one.answers.some((answer) => wordOf(answer) !== "none")).length;
  const bar = byId("leaf-progress");
  bar.hidden = done === photographs.length;
  bar.max = Math.max(1, photographs.length);
  bar.value = done;
  byId("leaf-tools").hidden = done === 0;
  byId("no-model-folder").hidden = photographs.length > 0;
  byId("leaf-known").hidden = photographs.length > 0 || !model();
  byId("leaf-examples").hidden = photographs.length > 0 || examples.length === 0;
  byId("leaf-status").textContent = photographs.length === 0 ? "" :
      text(bar.hidden ? "leaves.all_done" : "leaves.some_done", {done, answered, all: photographs.length});
  drawFilter();
  arrange();
};

// One line: "ginkgo", or "4 leaves: ginkgo, peach".
const line = (one) => {
  if (one.answers.length === 0) return [text("leaves.working")];
  if (one.answers.length === 1) return [nameElement("span", one.answers[0], one)];
  const first = new Map(one.answers.map((answer) => [nameOf(answer, one), answer]));
  return words("leaves.line_of_sheet", {count: one.answers.length},
               {names: among([...first.values()].map((answer) => nameElement("span", answer, one)))});
};
const chipsOf = (one) => [...wordsOf(one)].map((word) =>
    wordChip(one.answers.find((answer) => wordOf(answer) === word)));
const failedAlone = (one) => one.answers.length === 1 && wordOf(one.answers[0]) === "none";
const tile = (one) => element("article", {className: "card tile", on: {click: () => toggle(one, true)}},
    photo(one, one.answers.length > 1 ? -1 : 0),
    element("button", {type: "button", "aria-expanded": "false"},
        element("b", {}, line(one)), " ", chipsOf(one),
        failedAlone(one) ? element("span", {className: "wrong", textContent: reasonOf(one.answers[0], one)}) : null,
        element("span", {className: "soft", textContent: one.file.name})));
const toggle = (one, open) => {
  one.expanded = open;
  draw(one);
  one.place.querySelector("button").focus();
};
const draw = (one) => {
  if (!photographs.includes(one)) return;
  const alone = photographs.length === 1;
  const open = alone || one.expanded;
  one.place.classList.toggle("open", open);
  if (!open) {
    one.place.replaceChildren(tile(one));
    return;
  }
  const close = element("p", {className: "buttons"}, element("button", {type: "button", className: "close",
      "aria-expanded": "true", textContent: text("leaves.close"), on: {click: () => toggle(one, false)}}));
  one.place.replaceChildren(...(alone ? [] : [close]), card(one));
};

const add = (files) => {
  const before = photographs.length;
  for (const file of files) {
    const one = {file, id: made++, url: URL.createObjectURL(file), state: "waiting", model: model()?.name,
                 answers: [], shown: 0, expanded: false, open: new Set(), place: element("li")};
    one.draw = () => draw(one);
    one.show = (place) => {
      one.shown = place;
      draw(one);
      one.place.querySelectorAll(".leaf-list button")[place]?.focus();
    };
    one.record = () => makeRecord([one]);
    one.again = (background) => {
      Object.assign(one, {background, state: "waiting", shown: 0});
      work();
    };
    one.count = (counts) => {
      Object.assign(one, {counts, state: "waiting", shown: 0});
      work();
    };
    photographs.push(one);
    byId("leaf-results").append(one.place);
    draw(one);
  }
  if (before === 1) draw(photographs[0]);
  work();
};
const csv = () => {
  const tables = ordered().flatMap((one) => one.answers).filter((answer) => answer.reply)
      .map((answer) => answer.reply.table);
  if (tables.length > 0)
    practice.save("leaves.csv", "text/csv", tables[0].head + tables.map((table) => table.line).join(""));
};
const clear = () => {
  for (const one of photographs) URL.revokeObjectURL(one.url);
  photographs = [];
  endRecord();
  plant = null;
  drawPlant();
  byId("leaf-results").replaceChildren();
  progress();
};

// How to photograph leaves, before the first photograph.
let examples = [];
const drawExamples = () => {
  byId("leaf-examples").hidden = photographs.length > 0 || examples.length === 0;
  byId("leaf-examples-list").replaceChildren(...examples.map(({name, good, text: shown}, number) =>
      name === kSheet ? "" : element("li", {},
          element("img", {src: "/api/v1/leaf/example?" + query({number}), alt: "", loading: "lazy"}),
          element("span", {}, element("b", {className: good ? "right" : "wrong",
                                            textContent: text(good ? "example.good" : "example.bad")}),
                  " ", translated(shown)))));
};
// A drawn leaf that the model to try has not learned, another each time; for other models the picture of
// a training leaf; as if it were a photograph.
let samples = 0;
const samplePath = ({species, name}) => {
  if (name !== kDrawn) {
    return "picture?" + query({model: name, leaf: species.find((one) => one.pictured !== undefined).pictured});
  }
  const number = samples++;
  return "drawn?" + query({species: 3 * number % kDrawnSpecies, leaf: kFirstNew + number % kDrawnSpecies});
};
const sample = async () => {
  const reply = await fetch("/api/v1/leaf/" + samplePath(model()));
  if (reply.ok) add([new File([await reply.blob()], text("leaves.sample_name"), {type: "image/jpeg"})]);
};
// A model of drawn leaves, and a leaf for it, with one click.
const tryIt = async () => {
  byId("leaf-try").disabled = true;
  byId("try-status").textContent = text("try.making");
  try {
    shelve(await send("models/drawn"));
    choose(kDrawn);
    await sample();
    byId("try-status").textContent = "";
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    byId("try-status").textContent = error.sentence;
  }
  byId("leaf-try").disabled = false;
};
// What the chosen model knows.
const drawModels = () => {
  const chosen = model();
  byId("no-model").hidden = chosen !== undefined && !chosen.drawn;
  byId("no-model-text").textContent = text(chosen ? "leaves.drawn_model" : "leaves.no_model");
  byId("leaf-try").hidden = models().some((one) => one.name === kDrawn);
  byId("leaf-ask").hidden = chosen === undefined;
  byId("model-choice").hidden = models().length < 2;
  byId("leaf-model").replaceChildren(
      ...models().map((one) => element("option", {value: one.name, textContent: one.name,
                                                  selected: one === chosen})));
  const species = chosen?.species ?? [];
  byId("species-names").replaceChildren(...species.map((one) => element("option", {value: speciesName(one.name, chosen)})));
  byId("leaf-known").hidden = photographs.length > 0 || !chosen;
  byId("leaf-known-title").textContent = chosen ? text("leaves.known", {model: chosen.name, count: species.length}) : "";
  const pictured = species.filter((one) => one.pictured !== undefined).slice(0, kMostPictured);
  byId("leaf-sample").hidden = pictured.length === 0;
  byId("leaf-known-species").replaceChildren(...pictured.map((one) => element("li", {},
      element("img", {src: "/api/v1/leaf/picture?" + query({model: chosen.name, leaf: one.pictured}), alt: "",
                      loading: "lazy"}),
      speciesElement("span", one.name, chosen))));
};

const drop = byId("leaf-drop");
for (const id of ["leaf-files", "leaf-camera"]) {
  byId(id).addEventListener("change", (event) => {
    add(event.target.files);
    event.target.value = "";
  });
}
const takes = () => !byId("leaves").hidden && models().length > 0;
// Photographs may be dropped anywhere; otherwise the browser would open them instead of the page.
addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
addEventListener("dragleave", () => drop.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (takes()) add(event.dataTransfer.files);
});
addEventListener("paste", (event) => {
  if (takes()) add(event.clipboardData.files);
});
addEventListener("kept", reload);
byId("leaf-order").addEventListener("change", arrange);
byId("leaf-model").addEventListener("change", (event) => choose(event.target.value));
byId("one-plant").addEventListener("change", () => {
  if (photographs.every((one) => one.state === "done")) together();
});
byId("leaf-sample").addEventListener("click", sample);
byId("leaf-try").addEventListener("click", tryIt);
byId("leaf-csv").addEventListener("click", csv);
byId("leaf-clear").addEventListener("click", clear);
byId("leaf-record").addEventListener("click", () => makeRecord(ordered().filter((one) => !one.place.hidden)));
onModels(drawModels);
onLanguage(() => {
  for (const one of photographs) draw(one);
  drawModels();
  drawExamples();
  drawPlant();
  progress();
});
ask("leaf/examples").then((reply) => {
  examples = reply.examples;
  drawExamples();
});
