// Leaves: photographs in, species out.
import {text, number, translated, onLanguage} from "./text.js";
import {ask, send, query, byId, element, Refused} from "./api.js";

const kAtOnce = 2;
const backgrounds = ["auto", "light", "dark"];
let models = [], keptFolder = "";
let photographs = [];  // {file, url, state, reply, error, background, kept}
let running = 0;

const model = () => models.find((one) => one.name === byId("leaf-model").value) ?? models[0];
const percent = (share) => number(100 * share) + " %";

const loadModels = async () => {
  ({models, kept: keptFolder} = await ask("models"));
  byId("no-model").hidden = models.length > 0;
  byId("leaf-ask").hidden = models.length === 0;
  byId("model-choice").hidden = models.length < 2;
  byId("leaf-model").replaceChildren(
      ...models.map((one) => element("option", {value: one.name, textContent: one.name})));
  listSpecies();
};
const listSpecies = () => byId("species-names").replaceChildren(
    ...(model()?.species ?? []).map((one) => element("option", {value: one.name})));

const work = () => {
  while (running < kAtOnce) {
    const next = photographs.find((one) => one.state === "waiting");
    if (!next) break;
    identify(next);
  }
  progress();
};
const identify = async (one) => {
  ++running;
  one.state = "working";
  try {
    const values = {model: one.model, name: one.file.name, background: one.background,
                    part: one.part};
    one.reply = (await send("leaf/identify?" + query(values), one.file)).leaves[0];
    one.error = one.reply.prediction.error;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    one.error = error;
    one.reply = null;
  } finally {
    --running;
  }
  one.state = "done";
  draw(one);
  work();
  if (photographs.every((other) => other.state === "done")) together();
};

// Several photographs of one plant also get a joint prediction.
const kMostTogether = 20;
let plant = null;
const together = async () => {
  plant = null;
  const usable = photographs.filter((one) => one.reply && !one.error).slice(0, kMostTogether);
  if (byId("one-plant").checked && usable.length > 1) {
    const form = new FormData();
    for (const one of usable) form.append("photograph", one.file, one.file.name);
    try {
      plant = (await send("leaf/identify?" + query({model: usable[0].model, together: 1}), form)).plant;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }
  drawPlant();
};
const drawPlant = () => {
  byId("plant").hidden = plant === null;
  if (plant === null) return;
  const prediction = plant.known ? plant.prediction : text("leaves.unknown");
  const leaves = plant.leaves.length;
  const from = plant.probability === undefined ? text("plant.votes", {leaves})
      : text("plant.from", {leaves, share: percent(plant.probability)});
  byId("plant").replaceChildren(
      element("h2", {textContent: text("plant.title", {prediction})}),
      element("p", {}, plant.word ? element("span", {className: "word " + plant.word,
          textContent: text("word." + plant.word)}) : "", " ", from),
      plant.contradicting.length === 0 ? "" : element("p", {textContent:
          text("plant.contradicted", {count: plant.contradicting.length, leaves})}));
};

const progress = () => {
  const ended = photographs.filter((one) => one.state === "done"), done = ended.length;
  const answered = ended.filter((one) => !one.error).length;
  const bar = byId("leaf-progress");
  bar.hidden = done === photographs.length;
  bar.max = Math.max(1, photographs.length);
  bar.value = done;
  byId("leaf-tools").hidden = done === 0;
  byId("leaf-status").textContent = photographs.length === 0 ? "" :
      text(bar.hidden ? "leaves.all_done" : "leaves.some_done", {done, answered, all: photographs.length});
};

const add = (files) => {
  const chosen = [...files];
  for (const file of chosen) {
    const one = {file, url: URL.createObjectURL(file), state: "waiting", model: model()?.name,
                 place: element("li")};
    photographs.push(one);
    byId("leaf-results").append(one.place);
    draw(one);
  }
  work();
};

const points = (outline) => outline.map((point) => point.join(",")).join(" ");
// Browsers cannot show every format that the server reads; it sends a picture of those files.
const preview = async (one) => {
  if (one.previewed) return;
  one.previewed = true;
  const reply = await fetch("/api/v1/leaf/preview", {method: "POST", body: one.file})
      .catch(() => null);
  URL.revokeObjectURL(one.url);
  one.url = reply?.ok ? URL.createObjectURL(await reply.blob()) : null;
  draw(one);
};
const photo = (one) => {
  const alt = text("leaves.photo_of", {name: one.file.name});
  const figure = element("div", {className: "photo"}, one.url === null
      ? element("div", {className: "no-picture", textContent: text("leaves.no_picture")})
      : element("img", {src: one.url, alt, on: {error: () => preview(one)}}));
  const outline = one.reply?.outline ?? [];
  if (outline.length === 0) return figure;
  const drawing = element("svg", {viewBox: "0 0 1 1", preserveAspectRatio: "none",
                                  "aria-hidden": "true"});
  drawing.append(element("polygon", {points: points(outline)}),
                 element("polygon", {points: points(outline), class: "line"}));
  // A click on another part of the photograph, or the list below, selects that part.
  const parts = one.reply.parts;
  parts.forEach((part, place) => {
    if (parts.length < 2 || place === (one.part ?? 0)) return;
    drawing.append(element("polygon", {points: points(part.outline), class: "part",
                                       on: {click: () => again(one, {part: place})}}));
  });
  figure.append(drawing);
  return figure;
};

const sentence = (reply) => {
  const {prediction} = reply, first = reply.species[0];
  const share = prediction.probability === undefined ? "" : percent(prediction.probability);
  if (!prediction.known) return text("prediction.unknown", {species: first.name});
  return prediction.word ? text("prediction." + prediction.word, {species: first.name, share})
                     : text("prediction.plain", {species: first.name});
};
const speciesItem = (species, place, modelName) => element("li", {},
    element("div", {},
        element("b", {textContent: `${place + 1}. ${species.name}`}),
        species.scientific_name ? element("em", {textContent: species.scientific_name}) : null,
        element("span", {className: "soft", textContent:
            text("leaves.votes", {votes: species.votes, distance: number(species.distance, 3)})})),
    element("div", {className: "pictures"}, species.leaves.filter((leaf) => leaf.picture).map((leaf) =>
        element("img", {src: "/api/v1/leaf/picture?" + query({model: modelName, leaf: leaf.leaf}),
                        alt: text("leaves.training_leaf", {name: leaf.name}), loading: "lazy"}))));
const reasonText = (reason) => {
  if (reason.kind === "warning") return translated(reason.text);
  const values = {...reason};
  if ("share" in values) values.share = percent(values.share);
  if ("times" in values) values.times = number(values.times, 1);
  return text("reason." + reason.kind, values);
};
const reasonList = (reasons, title) => reasons.length === 0 ? null : element("div", {},
    element("h3", {textContent: title}),
    element("ul", {}, reasons.map((reason) => element("li", {textContent: reasonText(reason)}))));

// Corrections: another outline, and the true species.
const corrections = (one, number_) => {
  const id = "background-" + number_;
  const choice = element("select", {id, on: {change: () => again(one, {background: choice.value, part: undefined})}},
      backgrounds.map((name) => element("option", {value: name === "auto" ? "" : name,
          textContent: text("background." + name), selected: name === (one.background || "auto")})));
  return element("p", {className: "correct"},
      element("label", {for: id, textContent: text("leaves.background")}), choice,
      ...partChoice(one, number_));
};
const partChoice = (one, number_) => {
  const parts = one.reply?.parts ?? [], id = "part-" + number_;
  if (parts.length < 2) return [];
  const choice = element("select", {id, on: {change: () =>
      again(one, {part: choice.value === "0" ? undefined : Number(choice.value)})}},
      parts.map((part, place) => element("option", {value: place, selected: place === (one.part ?? 0),
          textContent: place === 0 ? text("leaves.largest")
              : text("leaves.parts", {number: place + 1, all: parts.length})})));
  return [element("label", {for: id, textContent: text("leaves.part_label")}), choice];
};
const again = (one, change) => {
  Object.assign(one, change, {state: "waiting"});
  work();
};
const really = (one, number_) => {
  const id = "really-" + number_;
  const input = element("input", {type: "text", id, list: "species-names", autocomplete: "off",
                                  maxLength: 60, value: one.species ?? ""});
  const keep = async (event) => {
    event.preventDefault();
    one.species = input.value.trim();
    if (!one.species) return;
    try {
      const reply = await send("leaf/keep?" + query({species: one.species}), one.file);
      one.kept = {file: reply.kept, folder: reply.folder};
      one.keptError = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      one.keptError = error;
    }
    draw(one);
    byId(id)?.focus();
  };
  const message = one.keptError ? one.keptError.sentence
      : one.kept ? text("leaves.kept", one.kept) : "";
  return element("form", {className: "correct", on: {submit: keep}},
      element("label", {for: id, textContent: text("leaves.really")}), input,
      element("button", {type: "submit", textContent: text("leaves.keep")}),
      element("span", {role: "status", className: one.keptError ? "wrong" : "right",
                       textContent: message}));
};

const body = (one, number_) => {
  if (one.state !== "done")
    return element("div", {}, element("h2", {textContent: one.file.name}),
                   element("p", {className: "soft", textContent: text("leaves.working")}));
  if (one.error) {
    const reason = one.error instanceof Refused ? one.error.sentence : translated(one.error);
    const isNamed = reason.includes(one.file.name);
    return element("div", {}, element("h2", {textContent: text("leaves.no_prediction")}),
                   element("p", {className: "wrong", textContent: reason}),
                   isNamed ? null : element("p", {className: "soft", textContent: one.file.name}),
                   one.reply ? corrections(one, number_) : null);
  }
  const {prediction, species, reasons} = one.reply;
  const word = prediction.word ?? (prediction.known ? "likely" : "unknown");
  return element("div", {},
      element("h2", {textContent: prediction.known ? species[0].name : text("leaves.unknown")}),
      element("p", {}, prediction.word ? element("span", {className: "word " + word,
          textContent: text("word." + word)}) : "", " ", sentence(one.reply)),
      element("p", {className: "soft", textContent: one.file.name}),
      element("h3", {textContent: text("leaves.nearest")}),
      element("ol", {className: "nearest"},
              species.map((item, place) => speciesItem(item, place, one.model))),
      element("div", {className: "reasons"},
              reasonList(reasons.filter((reason) => reason.for), text("leaves.speaks_for")),
              reasonList(reasons.filter((reason) => !reason.for), text("leaves.speaks_against"))),
      element("h3", {textContent: text("leaves.wrong")}),
      corrections(one, number_), really(one, number_));
};
const draw = (one) => {
  if (!photographs.includes(one)) return;
  one.place.replaceChildren(element("article", {className: "card result"}, photo(one),
                                    body(one, photographs.indexOf(one))));
};

const csv = () => {
  const tables = photographs.filter((one) => one.reply).map((one) => one.reply.table);
  if (tables.length > 0)
    practice.save("leaves.csv", "text/csv", tables[0].head + tables.map((table) => table.line).join(""));
};
const clear = () => {
  for (const one of photographs) URL.revokeObjectURL(one.url);
  photographs = [];
  plant = null;
  drawPlant();
  byId("leaf-results").replaceChildren();
  progress();
};

const drop = byId("leaf-drop");
for (const id of ["leaf-files", "leaf-camera"]) {
  byId(id).addEventListener("change", (event) => {
    add(event.target.files);
    event.target.value = "";
  });
}
// Photographs may be dropped anywhere; otherwise the browser would open them instead of the page.
addEventListener("dragover", (event) => {
  event.preventDefault();
  drop.classList.add("over");
});
addEventListener("dragleave", () => drop.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  if (!byId("leaves").hidden && models.length > 0) add(event.dataTransfer.files);
});
addEventListener("paste", (event) => {
  if (!byId("leaves").hidden && models.length > 0) add(event.clipboardData.files);
});
byId("leaf-model").addEventListener("change", listSpecies);
addEventListener("models", loadModels);  // after a training
byId("one-plant").addEventListener("change", () => {
  if (photographs.every((one) => one.state === "done")) together();
});
byId("leaf-csv").addEventListener("click", csv);
byId("leaf-clear").addEventListener("click", clear);
onLanguage(() => {
  for (const one of photographs) draw(one);
  drawPlant();
  progress();
});
loadModels();
