// The models of the server, and the chosen one, which identifies leaves.
import {ask, element} from "./api.js";
import {isEnglish, number, text} from "./text.js";

const listeners = [];
let state = {models: [], kept_photographs: 0};
let chosen = null;
try { chosen = localStorage.getItem("model"); } catch { /* not remembered then */ }

export const models = () => state.models;
export const keptPhotographs = () => state.kept_photographs;
export const named = (name) => state.models.find((one) => one.name === name);
// The chosen model, or the first that knows plants.
export const model = () => named(chosen) ?? state.models.find((one) => !one.drawn) ?? state.models[0];
// What a species of a model is called in the language of the page. A folder called Acer_negundo
// holds Acer negundo.
const speciesOf = (name, of) => of?.species.find((one) => one.name === name);
const chineseName = (name, of) => isEnglish() ? "" : speciesOf(name, of)?.chinese_name;
const isLatin = (name, of) => speciesOf(name, of)?.latin === true;
export const speciesName = (name, of) =>
    chineseName(name, of) || (isLatin(name, of) ? name.replaceAll("_", " ") : name);
// The same as an element, in italics if it is Latin. Its longest word says how large it may be.
export const speciesElement = (tag, name, of, before = "") => {
  const shown = speciesName(name, of);
  const longest = Math.max(...shown.split(/[\s-]/).map((word) => word.length));
  return element(tag, {className: isLatin(name, of) && !chineseName(name, of) ? "species latin" : "species",
                       style: `--letters: ${longest}`, textContent: before + shown});
};
// The species of a model that is called or shown so.
export const speciesCalled = (shown, of) =>
    of?.species.find(({name}) => name === shown || speciesName(name, of) === shown)?.name ?? shown;
// Elements with what stands between the words of a list.
export const among = (elements) => elements.flatMap((one, place) =>
    place === 0 ? [one] : [text("models.between"), one]);
// A sentence in which some values are elements, such as names of species.
export const words = (key, values, elements) => {
  const kFirst = 0xE000, all = Object.values(elements);  // characters that no text has
  const marks = Object.keys(elements).map((name, place) => [name, String.fromCharCode(kFirst + place)]);
  return text(key, {...values, ...Object.fromEntries(marks)}).split(/([\uE000-\uE0FF])/)
      .map((part) => all[part.charCodeAt(0) - kFirst] ?? part).flat(Infinity);
};
export const choose = (name) => {
  chosen = name;
  try { localStorage.setItem("model", name); } catch { /* not remembered then */ }
  for (const listener of listeners) listener();
};
export const shelve = (reply) => {
  state = reply;
  for (const listener of listeners) listener();
};
export const reload = async () => shelve(await ask("models"));
// Runs whenever the models or the choice change.
export const onModels = (listener) => listeners.push(listener);

export const percent = (share, digits = 1) => number(100 * share, digits) + " %";
// A probability in words that promise no certainty.
export const likelihood = (share) => share >= .99 ? text("share.most") : percent(share, 0);
export const accuracyText = ({share, low, high, tested}) => tested === 0
    ? text("train.accuracy.one")
    : text("train.accuracy",
        {share: percent(share), low: percent(low, 0), high: percent(high, 0), tested});
export const unknownText = (of, species) => {
  if (!of) return text(species < 3 ? "train.unknown.few" : "train.unknown.none", {species});
  const times = Math.round(10 * of.share);
  const said = times === 0 ? text("train.unknown.never") : times === 10 ? text("train.unknown.always")
      : text("train.unknown", {times});
  return said + (of.rough ? text("train.unknown.rough") : "");
};
