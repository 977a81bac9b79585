// The notebook of a model: what was done to it, what it mixes up, which photographs need attention.
import {text, number, translated, moment, onLanguage} from "./text.js";
import {ask, query, element, Refused} from "./api.js";
import {among, named, onModels, speciesElement, words} from "./shelf.js";

const kFirst = 24;  // photographs shown before "show all"
const kept = new Map();  // notebooks by model; null: being asked for

const event = (entry, model) => {
  const when = element("time", {dateTime: entry.date, textContent: moment(entry.date)});
  const said = entry.what === "trained" ? [text("notebook.trained", entry)]
      : entry.what === "renamed" ? [text("notebook.renamed", entry)]
      : words("notebook.added", entry, {names: among(entry.species.map((name) => speciesElement("span", name, model)))});
  const corrected = entry.corrected > 0 ? [" ", text("notebook.corrected", entry)] : [];
  return element("li", {}, when, " ", said, corrected);
};
const pairs = (confusions, model) => element("div", {className: "scroll", tabIndex: 0, role: "region",
                                                    "aria-label": text("notebook.mixed")},
    element("table", {},
        element("thead", {}, element("tr", {}, ["species", "taken_for", "photographs"].map((column) =>
            element("th", {scope: "col", textContent: text("notebook." + column)})))),
        element("tbody", {}, confusions.map((pair) => element("tr", {},
            element("td", {}, speciesElement("span", pair.species, model)),
            element("td", {}, speciesElement("span", pair.taken_for, model)),
            element("td", {textContent: text("notebook.of", pair)}))))));

// "Acer negundo", in a line of its own, and "17.jpg: " for Acer_negundo/17.jpg; the sentence itself names a photograph without a leaf.
const whose = ({name}, model) => {
  if (name === undefined) return [];
  const end = name.lastIndexOf("/");
  return [end > 0 ? speciesElement("b", name.slice(0, end), model) : "", name.slice(end + 1) + ": "];
};
const reason = ({name, text: said}) => translated(name !== undefined && said.startsWith(name + ": ")
    ? said.slice(name.length + 2) : said);
// A photograph that needs attention, with the reason in the language of the page.
const looked = (look, model) => element("li", {},
    look.pictured === undefined ? element("span", {className: "no-picture", textContent: text("leaves.no_picture")})
        : element("img", {src: "/api/v1/leaf/picture?" + query({model: model.name, leaf: look.pictured}), alt: "",
                          loading: "lazy"}),
    element("span", {}, whose(look, model), look.looks_like === undefined ? reason(look)
        : words("notebook.looks_like", {}, {species: speciesElement("span", look.looks_like, model)})));
export const lookList = (looks, model) => {
  const list = element("ul", {className: "species-shelf looks"},
                       looks.slice(0, kFirst).map((look) => looked(look, model)));
  const rest = looks.slice(kFirst);
  const all = element("button", {type: "button", textContent: text("notebook.all", {count: number(looks.length)}),
      on: {click: () => {
        list.append(...rest.map((look) => looked(look, model)));
        all.remove();
      }}});
  return [list, rest.length > 0 ? element("p", {className: "buttons"}, all) : null];
};

const content = (notebook, model) => [
  element("h3", {textContent: text("notebook.history")}),
  element("ol", {className: "history"}, notebook.history.map((entry) => event(entry, model))),
  notebook.report ? null : element("p", {className: "soft", textContent: text("notebook.no_report")}),
  notebook.confusions?.length > 0
      ? [element("h3", {textContent: text("notebook.mixed")}), pairs(notebook.confusions, model)] : [],
  notebook.look ? element("h3", {textContent: text("train.remarks", {count: notebook.look.length})}) : null,
  notebook.look?.length === 0 ? element("p", {textContent: text("notebook.nothing")}) : null,
  notebook.look?.length > 0 ? lookList(notebook.look, model) : [],
].flat();

export const notebookOf = async (name) => {
  if (!kept.has(name)) kept.set(name, await ask("models/notebook?" + query({model: name})));
  return kept.get(name);
};
// The notebook, which is asked for when it is opened.
export const notebookPart = (model, isOpen, toggled) => {
  const inside = element("div", {className: "notebook"});
  const fill = async () => {
    try {
      inside.replaceChildren(...content(await notebookOf(model.name), named(model.name) ?? model).filter((part) => part));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      inside.replaceChildren(element("p", {className: "wrong", textContent: error.sentence}));
    }
  };
  if (isOpen) fill();
  return element("details", {open: isOpen, on: {toggle: (change) => {
    toggled(change.target.open);
    if (change.target.open) fill();
  }}}, element("summary", {textContent: text("notebook.title")}), inside);
};
onModels(() => kept.clear());
