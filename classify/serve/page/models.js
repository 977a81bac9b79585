// The shelf: every model with its species and what it mixes up; rename, download, remove.
import {text, moment, onLanguage} from "./text.js";
import {send, query, byId, element, Refused} from "./api.js";
import {notebookPart} from "./notebook.js";
import {accuracyText, among, choose, models, onModels, percent, reload, shelve, speciesElement, unknownText, words} from "./shelf.js";

let failure = null;  // {model, error}
let asking = null;   // {model, what: "rename" or "remove"}
const open = new Set(), notebooks = new Set();  // models whose species or notebooks are shown
const remember = (set, name) => (shown) => { if (shown) set.add(name); else set.delete(name); };

const button = (key, call, properties = {}) => element("button",
    {type: "button", textContent: text(key), on: {click: call}, ...properties});
const to = (hash) => { location.hash = hash; };
const change = async (model, request) => {
  try {
    shelve(await send("models/" + request));
    failure = asking = null;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    failure = {model: model.name, error};
  }
  draw();
};

const picture = (model, species) => species.pictured === undefined
    ? element("span", {className: "no-picture", textContent: text("leaves.no_picture")})
    : element("img", {src: "/api/v1/leaf/picture?" + query({model: model.name, leaf: species.pictured}),
                      alt: "", loading: "lazy"});
const judged = (species, model) => {
  if (species.tested === undefined) return "";
  return species.taken_for === undefined ? text("models.right", species)
      : words("models.taken_for", species, {species: speciesElement("i", species.taken_for, model)});
};
const speciesList = (model) => element("details", {open: open.has(model.name),
    on: {toggle: (event) => remember(open, model.name)(event.target.open)}},
    element("summary", {textContent: text("models.species", {count: model.species.length})}),
    element("ul", {className: "species-shelf"}, model.species.map((species) => element("li", {},
        picture(model, species),
        element("div", {}, speciesElement("b", species.name, model),
                species.scientific_name ? element("em", {textContent: species.scientific_name}) : null,
                element("span", {className: "soft", textContent:
                    text("models.photographs", {count: species.leaves})}),
                element("span", {className: species.taken_for === undefined ? "soft" : "mixed"},
                        judged(species, model)))))));

const renaming = (model, place) => {
  const id = "rename-" + place;
  const input = element("input", {type: "text", id, value: model.name, maxLength: 60, required: true,
                                  autocomplete: "off"});
  return element("form", {className: "correct", on: {submit: (event) => {
    event.preventDefault();
    change(model, "rename?" + query({model: model.name, name: input.value.trim()}));
  }}},
      element("label", {for: id, textContent: text("models.new_name")}), input,
      element("button", {type: "submit", className: "main", textContent: text("models.rename")}),
      button("models.keep", () => { asking = failure = null; draw(); }));
};
const removing = (model) => element("div", {className: "question", role: "group", "aria-label": text("models.remove")},
    element("p", {textContent: text("models.remove_question",
        {model: model.name, leaves: model.leaves, species: model.species.length})}),
    element("p", {className: "buttons"},
        button("models.remove_yes", () => change(model, "remove?" + query({model: model.name})),
               {className: "danger"}),
        button("models.keep", () => { asking = null; draw(); })));
const question = (model, place) => {
  if (asking?.model !== model.name) return null;
  return asking.what === "rename" ? renaming(model, place) : removing(model);
};
const ask_ = (model, what) => {
  asking = {model: model.name, what};
  failure = null;
  draw();
  byId("models-list").querySelector(what === "rename" ? "form input" : ".question button:last-child").focus();
};
const actions = (model) => element("p", {className: "buttons"},
    button("models.use", () => { choose(model.name); to("leaves"); }, {className: "main"}),
    model.own ? button("models.add", () => {
      dispatchEvent(new CustomEvent("grow", {detail: model.name}));
      to("training");
    }) : null,
    model.report ? element("a", {className: "button", href: "/api/v1/models/report?" + query({model: model.name}),
                                 target: "_blank", rel: "noopener", textContent: text("models.report")}) : null,
    model.own ? button("models.rename", () => ask_(model, "rename")) : null,
    element("a", {className: "button", href: "/api/v1/models/archive?" + query({model: model.name}),
                  download: model.name + ".zip", textContent: text("models.download")}),
    model.own ? button("models.remove", () => ask_(model, "remove")) : null);

const worst = (model) => model.species.filter((one) => one.taken_for !== undefined)
    .sort((a, b) => a.right / a.tested - b.right / b.tested).slice(0, 3);
const card = (model, place) => {
  const mixed = worst(model);
  return element("li", {className: "card model"},
      element("h2", {textContent: model.name}),
      element("p", {textContent: text("train.model",
          {model: moment(model.date), leaves: model.leaves, species: model.species.length})}),
      model.accuracy ? element("p", {textContent: accuracyText(model.accuracy)}) : null,
      element("p", {className: "soft", textContent: unknownText(model.unknown, model.species.length)}),
      mixed.length === 0 ? null : element("p", {}, words("models.mixed", {}, {pairs: among(mixed.map((one) =>
          words("models.pair", {share: percent(1 - one.right / one.tested, 0)},
                {species: speciesElement("i", one.name, model), other: speciesElement("i", one.taken_for, model)})))})),
      model.own && model.kept_new > 0 ? element("p", {textContent: text("models.kept", {count: model.kept_new})}) : null,
      model.drawn ? element("p", {className: "wrong", textContent: text("leaves.drawn_model")}) : null,
      model.own ? null : element("p", {className: "soft", textContent: text("models.given")}),
      actions(model), question(model, place),
      failure?.model === model.name
          ? element("p", {className: "wrong", role: "alert", textContent: failure.error.sentence}) : null,
      speciesList(model),
      notebookPart(model, notebooks.has(model.name), remember(notebooks, model.name)));
};
const draw = () => {
  byId("models-none").hidden = models().length > 0;
  byId("models-list").replaceChildren(...models().map(card));
};

onModels(draw);
onLanguage(draw);
reload();
