// One photograph in full: its leaves with outlines, the prediction, the evidence, corrections.
import {text, number, translated} from "./text.js";
import {send, query, element, Refused} from "./api.js";
import {likelihood, named, percent, speciesCalled, speciesElement, speciesName, words} from "./shelf.js";

const backgrounds = ["auto", "light", "dark"];

const points = (outline) => outline.map((point) => point.join(",")).join(" ");
// Browsers cannot show every format that the server reads; it sends a picture of those files.
const preview = async (one) => {
  if (one.previewed) return;
  one.previewed = true;
  const reply = await fetch("/api/v1/leaf/preview", {method: "POST", body: one.file})
      .catch(() => null);
  URL.revokeObjectURL(one.url);
  one.url = reply?.ok ? URL.createObjectURL(await reply.blob()) : null;
  one.draw();
};
// Whether its parts were taken as leaflets of one leaf.
const isOneOfParts = (one) => one.parts > 1 && one.answers.length === 1;
const outlines = (one, chosen) => {
  if (!one.answers.some((answer) => answer.reply?.outline.length > 0)) return null;
  const drawing = element("svg", {viewBox: "0 0 1 1", preserveAspectRatio: "none",
                                  "aria-hidden": "true"});
  one.answers.forEach((answer, place) => {
    const outline = answer.reply?.outline ?? [];
    if (outline.length === 0) return;
    if (place !== chosen) {
      drawing.append(element("polygon", {points: points(outline), class: "part",
                                         on: {click: () => one.show(place)}}));
      return;
    }
    const all = isOneOfParts(one) ? answer.reply.parts.map((part) => part.outline) : [outline];
    for (const each of all) drawing.append(element("polygon", {points: points(each)}),
                                           element("polygon", {points: points(each), class: "line"}));
  });
  return drawing;
};
const numbers = (one) => one.answers.length < 2 ? [] : one.answers.map((answer, place) => {
  const outline = answer.reply?.outline ?? [];
  if (outline.length === 0) return null;
  const x = outline.map((point) => point[0]), y = outline.map((point) => point[1]);
  const label = element("span", {className: "leaf-number", textContent: place + 1, "aria-hidden": "true"});
  label.style.left = 50 * (Math.min(...x) + Math.max(...x)) + "%";
  label.style.top = 50 * (Math.min(...y) + Math.max(...y)) + "%";
  return label;
});
// The photograph with the outlines of its leaves; the one that is shown in full has a solid line.
export const photo = (one, chosen) => element("div", {className: "photo"}, one.url === null
    ? element("div", {className: "no-picture", textContent: text("leaves.no_picture")})
    : element("img", {src: one.url, alt: text("leaves.photo_of", {name: one.file.name}),
                      on: {error: () => preview(one)}}),
    outlines(one, chosen), numbers(one));

// The word of a prediction: "none" without one, "plain" where the model has no probabilities.
export const wordOf = (answer) => {
  if (!answer.reply || answer.error) return "none";
  const {prediction} = answer.reply;
  return prediction.word ?? (prediction.known ? "plain" : "unknown");
};
const called = (name, one) => speciesName(name, named(one.model));
export const nameElement = (tag, answer, one) => wordOf(answer) !== "none" && answer.reply.prediction.known
    ? speciesElement(tag, answer.reply.species[0].name, named(one.model))
    : element(tag, {textContent: nameOf(answer, one)});
export const nameOf = (answer, one) => {
  if (wordOf(answer) === "none") return text("leaves.no_prediction");
  return answer.reply.prediction.known ? called(answer.reply.species[0].name, one) : text("leaves.unknown");
};
export const wordChip = (answer) => {
  const word = wordOf(answer);
  return word === "plain" || word === "none" ? null
      : element("span", {className: "word " + word, textContent: text("word." + word)});
};
export const errorOf = ({error}) => error instanceof Refused ? error.sentence : translated(error);
// The same without the name of the file, where that stands beside it.
export const reasonOf = (answer, one) => {
  const reason = errorOf(answer), {name} = one.file;
  return reason.startsWith(name) ? reason.slice(name.length).replace(/^(: |：)/, "") : reason;
};

export const sentence = ({prediction, species}, one) => {
  const first = speciesElement("span", species[0].name, named(one.model));
  const kind = !prediction.known ? "unknown" : prediction.word ?? "plain";
  return words("prediction." + kind, {share: likelihood(prediction.probability)}, {species: first});
};
const trainingLeaves = (species, model) => element("div", {className: "pictures"},
    species.leaves.filter((leaf) => leaf.picture).map((leaf) =>
        element("img", {src: "/api/v1/leaf/picture?" + query({model, leaf: leaf.leaf}),
                        alt: text("leaves.training_leaf", {name: leaf.name}), loading: "lazy"})));
const speciesItem = (species, place, one) => element("li", {},
    element("div", {},
        speciesElement("b", species.name, named(one.model), `${place + 1}. `),
        species.scientific_name ? element("em", {textContent: species.scientific_name}) : null,
        element("span", {className: "soft", textContent:
            text("leaves.votes", {votes: species.votes, distance: number(species.distance, 3)})})),
    trainingLeaves(species, one.model));
export const reasonText = (reason, one) => {
  if (reason.kind === "warning") return translated(reason.text);
  const values = {...reason};
  if ("share" in values) values.share = percent(values.share, 0);
  if ("times" in values) values.times = number(values.times, 1);
  const species = "species" in values ? {species: speciesElement("span", values.species, named(one.model))} : {};
  return words("reason." + reason.kind, values, species);
};
const reasonList = (reasons, title, one) => reasons.length === 0 ? null : element("div", {},
    element("h3", {textContent: title}),
    element("ul", {}, reasons.map((reason) => element("li", {}, reasonText(reason, one)))));
const folded = (one, key, title, ...children) => element("details", {open: one.open.has(key),
    on: {toggle: (event) => { if (event.target.open) one.open.add(key); else one.open.delete(key); }}},
    element("summary", {textContent: title}), ...children);
const evidence = (one, {reasons, species}) => folded(one, "evidence", text("leaves.evidence"),
    element("div", {className: "reasons"},
            reasonList(reasons.filter((reason) => reason.for), text("leaves.speaks_for"), one),
            reasonList(reasons.filter((reason) => !reason.for), text("leaves.speaks_against"), one)),
    element("h3", {textContent: text("leaves.nearest")}),
    element("ol", {className: "nearest"},
            species.map((item, place) => speciesItem(item, place, one))));

// Corrections: another outline, and the true species.
const background = (one) => {
  const id = "background-" + one.id;
  const choice = element("select", {id, on: {change: () => one.again(choice.value)}},
      backgrounds.map((name) => element("option", {value: name === "auto" ? "" : name,
          textContent: text("background." + name), selected: name === (one.background || "auto")})));
  return element("p", {className: "correct"},
      element("label", {for: id, textContent: text("leaves.background")}), choice);
};
const really = (one) => {
  const id = "really-" + one.id;
  const input = element("input", {type: "text", id, list: "species-names", autocomplete: "off",
                                  maxLength: 60, value: one.species ?? ""});
  const keep = async (event) => {
    event.preventDefault();
    one.species = input.value.trim();
    if (!one.species) return;
    try {
      const species = speciesCalled(one.species, named(one.model));
      const reply = await send("leaf/keep?" + query({species}), one.file);
      one.kept = {file: reply.kept, folder: reply.folder};
      one.keptError = null;
      dispatchEvent(new Event("kept"));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      one.keptError = error;
    }
    one.draw();
    document.getElementById(id)?.focus();
  };
  const message = one.keptError ? one.keptError.sentence
      : one.kept ? text("leaves.kept", one.kept) : "";
  return element("form", {className: "correct", on: {submit: keep}},
      element("label", {for: id, textContent: text("leaves.really")}), input,
      element("button", {type: "submit", textContent: text("leaves.keep")}),
      element("span", {role: "status", className: one.keptError ? "wrong" : "right",
                       textContent: message}),
      one.kept && !one.keptError ? element("a", {href: "#models", textContent: text("leaves.teach")}) : null);
};
const corrections = (one, answer) => folded(one, "wrong", text("leaves.wrong"),
    background(one), wordOf(answer) === "none" || one.answers.length > 1 ? null : really(one));

// Several parts may be leaves, or leaflets of one.
const oneOrMany = (one) => {
  if (!(one.parts > 1)) return null;
  const isOne = isOneOfParts(one);
  const choice = (counts, pressed, label) => element("button", {type: "button", "aria-pressed": pressed ? "true" : "false",
      textContent: label, on: {click: () => { if (!pressed) one.count(counts); }}});
  return element("p", {className: "correct", role: "group", "aria-label": text("leaves.one_or_many", {count: one.parts})},
      element("span", {textContent: text("leaves.one_or_many", {count: one.parts})}),
      choice("one", isOne, text("leaves.is_one")), choice("many", !isOne, text("leaves.are_many", {count: one.parts})));
};
const leafList = (one, chosen) => one.answers.length < 2 ? null
    : element("div", {role: "group", "aria-label": text("leaves.every")},
        element("p", {textContent: text("leaves.of_sheet", {count: one.answers.length})}),
        element("ol", {className: "leaf-list"}, one.answers.map((answer, place) => element("li", {},
            element("button", {type: "button", "aria-pressed": place === chosen ? "true" : "false",
                               on: {click: () => one.show(place)}},
                element("b", {textContent: place + 1 + "."}), " ", nameElement("span", answer, one), " ",
                wordChip(answer))))));
const failed = (one, answer) => {
  const reason = errorOf(answer);
  return element("div", {}, element("h2", {textContent: text("leaves.no_prediction")}),
      element("p", {className: "wrong", textContent: reason}),
      reason.includes(one.file.name) ? null : element("p", {className: "soft", textContent: one.file.name}),
      answer.reply && one.url !== null ? background(one) : null);
};
const predicted = (one, answer) => {
  const {prediction, species} = answer.reply, first = species[0];
  return element("div", {},
      nameElement("h2", answer, one),
      prediction.known && first.scientific_name
          ? element("p", {className: "scientific"}, element("em", {textContent: first.scientific_name})) : null,
      element("p", {}, wordChip(answer), " ", sentence(answer.reply, one)),
      element("p", {className: "soft", textContent: one.file.name}),
      element("div", {className: "alike"},
          element("p", {className: "soft"}, words("leaves.training_of", {},
                  {species: speciesElement("span", first.name, named(one.model))})),
          trainingLeaves(first, one.model)),
      evidence(one, answer.reply), corrections(one, answer),
      element("p", {className: "buttons"}, element("button", {type: "button", textContent: text("record.make"),
                                                              on: {click: one.record}})));
};
// The photograph beside what was found in it.
export const card = (one) => {
  const chosen = Math.min(one.shown, one.answers.length - 1), answer = one.answers[chosen];
  if (!answer) {
    return element("article", {className: "card result"}, photo(one, 0),
        element("div", {}, element("h2", {textContent: one.file.name}),
                element("p", {className: "soft", textContent: text("leaves.working")})));
  }
  return element("article", {className: "card result"}, photo(one, chosen),
      element("div", {}, oneOrMany(one), leafList(one, chosen),
              wordOf(answer) === "none" ? failed(one, answer) : predicted(one, answer)));
};
