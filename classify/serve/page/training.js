// Training: a folder or a zip archive of photographs becomes a model.
import {text, number, translated, onLanguage} from "./text.js";
import {ask, send, query, byId, element, Refused} from "./api.js";

const kImages = /\.(jpe?g|png|tiff?|bmp|webp|heic|heif)$/i;
let state = null, failure = null, sending = null;
let choose = null;  // receives the user's decision about waiting photographs

const percent = (share) => number(100 * share, 1) + " %";
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
const guarded = async (work) => {
  failure = null;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    failure = error;
  }
  sending = null;
  draw();
};

// Gives "oak" for "photographs/oak/0001.jpg".
const speciesOf = (file) => file.webkitRelativePath.split("/").slice(-2)[0];
// Photographs that are already waiting, perhaps from another tab, are discarded only if the user
// says so. Null: nothing will be sent.
const begin = async () => {
  try {
    return await send("training/begin");
  } catch (error) {
    if (!(error instanceof Refused) || error.kind !== "gathered") throw error;
  }
  state = await ask("training");
  const choice = await new Promise((chosen) => {
    choose = chosen;
    draw();
    byId("train-add").focus();
  });
  choose = null;
  if (choice === "discard") return send("training/begin?discard=yes");
  return choice === "add" ? state : null;
};
const folder = (files) => guarded(async () => {
  const images = [...files].filter((file) => kImages.test(file.name) &&
      file.webkitRelativePath.split("/").length > 2);
  if (images.length === 0) throw new Refused("no_folders", "");
  if (await begin() === null) return;
  for (const [place, file] of images.entries()) {
    sending = {done: place, all: images.length};
    draw();
    state = await send("training/photograph?" +
                       query({species: speciesOf(file), name: file.name}), file);
  }
});
const archive = (file) => guarded(async () => {
  const begun = await begin();
  if (begun === null) return;
  sending = {done: 0, all: 1};
  draw();
  state = await send("training/archive", file);
  if (state.photographs === begun.photographs) throw new Refused("no_folders", "");
});
const run = () => guarded(async () => {
  state = await send("training/run?" + query({name: byId("train-name").value.trim()}));
  await follow();
});
const follow = async () => {
  draw();
  while (state.phase === "running") {
    await wait(0.5);
    state = await ask("training");
  }
  if (state.phase === "done") dispatchEvent(new Event("models"));
};
// The photographs or the training that another tab, or this one before a reload, has started.
const resume = () => guarded(async () => {
  const now = await ask("training");
  if (now.phase !== "running" && (now.phase !== "gathering" || now.photographs === 0)) return;
  state = now;
  await follow();
});

const status = () => {
  if (failure) return failure.sentence;
  if (sending) return text("train.sending", sending);
  if (!state) return "";
  if (state.phase === "failed") return translated(state.failure);
  return text("train." + state.phase, state);
};
const unknown = ({unknown: of, species}) => {
  if (!of) return text(species < 3 ? "train.unknown.few" : "train.unknown.none", {species});
  return text(of.groups === of.species ? "train.unknown" : "train.unknown.groups",
      {share: percent(of.share), leaves: of.leaves, species: of.species, groups: of.groups});
};
const list = (lines) => lines.map((line) => element("li", {textContent: translated(line)}));
const draw = () => {
  byId("train-status").textContent = status();
  byId("train-status").classList.toggle("wrong", failure !== null || state?.phase === "failed");
  byId("train-waiting").hidden = choose === null;
  const busy = sending !== null || state?.phase === "running";
  byId("train-progress").hidden = !busy;
  if (sending) {
    byId("train-progress").max = sending.all;
    byId("train-progress").value = sending.done;
  } else {
    byId("train-progress").removeAttribute("value");
  }
  byId("train-run").disabled = busy || choose !== null || state?.phase !== "gathering" || state.photographs === 0;
  byId("train-result").hidden = state?.phase !== "done";
  if (state?.phase !== "done") return;
  const {accuracy} = state;
  byId("train-accuracy").textContent = text("train.accuracy", {
    share: percent(accuracy.share), low: percent(accuracy.low), high: percent(accuracy.high),
    tested: accuracy.tested, folds: accuracy.folds});
  byId("train-unknown").textContent = unknown(state);
  byId("train-model").textContent = text("train.model",
      {model: state.model, leaves: state.leaves, species: state.species});
  const remarks = [...new Set([...state.look, ...state.errors, ...state.warnings])];
  byId("train-remarks-title").hidden = remarks.length === 0;
  byId("train-remarks").replaceChildren(...list(remarks));
};

byId("train-folder").addEventListener("change", (event) => {
  folder([...event.target.files]);
  event.target.value = "";
});
byId("train-zip").addEventListener("change", (event) => {
  if (event.target.files.length > 0) archive(event.target.files[0]);
  event.target.value = "";
});
byId("train-form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
for (const choice of ["add", "discard", "cancel"]) {
  byId("train-" + choice).addEventListener("click", () => choose?.(choice));
}
onLanguage(draw);
resume();
