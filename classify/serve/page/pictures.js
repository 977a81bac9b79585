// A character in a picture: a file, a photograph, the clipboard or the pad, and what the recogniser says
// of it.
import {text, translated, number, onLanguage} from "./text.js";
import {ask, send, byId, element, Refused} from "./api.js";

const kTop = 5, kAskAgain = 1000;  // milliseconds
let given = null, answer = null, failure = null, share = null, newest = 0;

export const isReady = async () => (await ask("glyph/recogniser")).state === "ready";
// The answer, once the recogniser is there; `making` hears which share of it is made.
export const recognise = async (picture, top = kTop, making = () => {}) => {
  const watch = setInterval(async () => {
    const {state, share} = await ask("glyph/recogniser").catch(() => ({}));
    if (state === "making") making(share);
  }, kAskAgain);
  try {
    return await send(`glyph/recognise?top=${top}`, picture);
  } finally {
    clearInterval(watch);
  }
};

// The recogniser's frame, dark on light in both colour schemes, as the picture beside it is.
const paintFrame = (canvas, {size, ink}) => {
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d"), picture = pen.createImageData(size, size);
  Uint8Array.from(atob(ink), (letter) => letter.charCodeAt(0)).forEach((value, i) =>
      picture.data.set([255 - value, 255 - value, 255 - value, 255], 4 * i));
  pen.putImageData(picture, 0, 0);
};
const sentence = () => {
  const [first] = answer.candidates;
  const parts = [first.code, text("picture.right", {share: number(100 * first.probability, 0)})];
  if (answer.same) parts.push(text("picture.same", {same: [...answer.same].join(" ")}));
  if (answer.perhaps) {
    parts.push(answer.differ
        ? text("picture.differ", {other: answer.perhaps, place: translated(answer.differ)})
        : text("picture.perhaps", {other: answer.perhaps}));
  }
  return parts.join(" · ");
};
let shown = () => {};  // shows the look-alikes of a character
const draw = () => {
  byId("picture-status").textContent = failure ? failure.sentence
      : share !== null ? text("picture.making", {share: number(100 * share, 0)}) : "";
  byId("picture-status").classList.toggle("wrong", failure !== null);
  byId("picture-result").hidden = answer === null;
  if (answer === null) return;
  const known = answer.word !== "unknown";
  byId("picture-given").src = given;
  paintFrame(byId("picture-seen"), answer.frame);
  byId("picture-answer").textContent = known ? answer.character : "?";
  byId("picture-word").className = "word " + answer.word;
  byId("picture-word").textContent = text("word." + answer.word);
  byId("picture-sentence").textContent = known ? sentence() : text("picture.unknown");
  byId("picture-candidates").replaceChildren(...answer.candidates.map(({character, probability}) =>
      element("button", {type: "button", className: "chip", lang: "zh-Hans",
                         textContent: character, title: `${number(100 * probability, 0)} %`,
                         on: {click: () => shown(character)}})));
};
const read = async (picture) => {
  const mine = ++newest;
  if (given !== null) URL.revokeObjectURL(given);
  given = URL.createObjectURL(picture);
  answer = failure = null;
  share = null;
  draw();
  let said = null, fault = null;
  try {
    said = await recognise(picture, kTop, (part) => {
      if (mine !== newest) return;
      share = part;
      draw();
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    fault = error;
  }
  if (mine !== newest) return;
  [answer, failure, share] = [said, fault, null];
  draw();
  if (answer && answer.word !== "unknown") shown(answer.character);
};

const drop = byId("glyph-drop");
const takes = () => !byId("characters").hidden;
for (const id of ["glyph-file", "glyph-camera"]) {
  byId(id).addEventListener("change", (event) => {
    if (event.target.files.length > 0) read(event.target.files[0]);
    event.target.value = "";
  });
}
addEventListener("dragover", () => drop.classList.add("over"));
addEventListener("dragleave", () => drop.classList.remove("over"));
addEventListener("drop", (event) => {
  drop.classList.remove("over");
  if (takes() && event.dataTransfer.files.length > 0) read(event.dataTransfer.files[0]);
});
addEventListener("paste", (event) => {
  if (takes() && event.clipboardData.files.length > 0) read(event.clipboardData.files[0]);
});
onLanguage(draw);
export const onRecognised = (show) => {
  shown = show;
};
