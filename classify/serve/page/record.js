// A field record: answers with their photographs and evidence, to print.
import {text, moment, onLanguage} from "./text.js";
import {byId, element} from "./api.js";
import {nameElement, photo, reasonOf, reasonText, sentence, wordOf} from "./leaf_card.js";

let photographs = [];  // of the record

const reasons = (list, title, one) => list.length === 0 ? null : element("p", {className: "why"},
    element("b", {textContent: title}), " ",
    list.flatMap((reason, place) => [place > 0 ? text("record.between") : "", ...reasonText(reason, one)]));
const answered = ({prediction, species, reasons: all}, one) => [
  prediction.known && species[0].scientific_name
      ? element("p", {className: "scientific"}, element("em", {textContent: species[0].scientific_name})) : null,
  element("p", {}, sentence({prediction, species}, one)),
  reasons(all.filter((reason) => reason.for), text("record.for"), one),
  reasons(all.filter((reason) => !reason.for), text("record.against"), one),
];
// One leaf: its photograph with the outline, the species, the probability and the evidence.
const entry = (one, answer, place) => element("article", {className: "entry"}, photo(one, place),
    element("div", {}, nameElement("h4", answer, one),
            wordOf(answer) === "none" ? element("p", {className: "wrong", textContent: reasonOf(answer, one)})
                : answered(answer.reply, one),
            element("p", {className: "soft", textContent: one.file.name +
                (one.answers.length > 1 ? " #" + (place + 1) : "")})));
const draw = () => {
  byId("record-part").hidden = photographs.length === 0;
  if (photographs.length === 0) return;
  const where = byId("record-where").value.trim();
  const names = [...new Set(photographs.map((one) => one.model))].join(text("models.between"));
  byId("record").className = photographs.length === 1 ? "card record single" : "card record";
  byId("record").replaceChildren(
      element("h3", {textContent: byId("record-title").value.trim() || text("record.title")}),
      element("p", {className: "soft", textContent: text("record.line",
          {date: moment(new Date()), model: names, count: photographs.length})}),
      element("p", {}, text("record.where"), " ", where || element("span", {className: "blank"})),
      element("div", {className: "entries"}, photographs.flatMap((one) =>
          one.answers.map((answer, place) => entry(one, answer, place)))));
};
export const makeRecord = (chosen) => {
  photographs = chosen.filter((one) => one.answers.length > 0);
  draw();
  byId("record-part").scrollIntoView({block: "start"});
  byId("record-title").focus({preventScroll: true});
};
export const endRecord = () => {
  photographs = [];
  draw();
};

for (const id of ["record-title", "record-where"]) byId(id).addEventListener("input", draw);
byId("record-print").addEventListener("click", () => window.print());
byId("record-close").addEventListener("click", endRecord);
onLanguage(draw);
