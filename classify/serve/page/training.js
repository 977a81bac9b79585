// Training: a folder or a zip archive of photographs becomes a model, or is added to one.
import {text, translated, has, onLanguage} from "./text.js";
import {ask, send, query, byId, element, Refused} from "./api.js";
import {lookList, notebookOf} from "./notebook.js";
import {accuracyText, among, choose, keptPhotographs, models, named, onModels, reload, speciesElement, unknownText, words} from "./shelf.js";

const kImages = /\.(jpe?g|png|tiff?|bmp|webp|heic|heif)$/i;
const kNames = 3;  // of files that were left out
let state = null, failure = null, sending = null;
let looks = [];  // photographs of the new model that need attention
let atStart = null;  // the state of the server when the page was opened
let leftOut = {loose: [], others: []};  // names of files of a folder that were not sent
let choose_ = null;  // receives the user's decision about waiting photographs

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
  leftOut = {loose: [], others: []};
  try {
    return await send("training/begin");
  } catch (error) {
    if (!(error instanceof Refused) || error.kind !== "gathered") throw error;
  }
  state = await ask("training");
  const choice = await new Promise((chosen) => {
    choose_ = chosen;
    draw();
    byId("train-add").focus();
  });
  choose_ = null;
  if (choice === "discard") return send("training/begin?discard=yes");
  return choice === "add" ? state : null;
};
const folder = (files) => guarded(async () => {
  const isImage = (file) => kImages.test(file.name) && !file.name.startsWith(".") && file.size > 0;
  const inSpecies = (file) => file.webkitRelativePath.split("/").length > 2;
  const images = files.filter((file) => isImage(file) && inSpecies(file));
  const names = files.find((file) => file.name === "species.csv");
  const begun = await begin();
  if (begun === null) return;
  state = begun;
  leftOut = {loose: files.filter((file) => isImage(file) && !inSpecies(file)).map((file) => file.name),
             others: files.filter((file) => !isImage(file) && file !== names).map((file) => file.name)};
  if (names) state = await send("training/names", names);
  for (const [place, file] of images.entries()) {
    sending = {done: place, all: images.length};
    draw();
    state = await send("training/photograph?" +
                       query({species: speciesOf(file), name: file.name}), file);
  }
});
const archive = (file) => guarded(async () => {
  if (await begin() === null) return;
  sending = {done: 0, all: 1};
  draw();
  state = await send("training/archive", file);
});
const kept = () => guarded(async () => {
  if (await begin() === null) return;
  state = await send("training/kept");
});
const earlier = () => guarded(async () => {
  if (await begin() === null) return;
  state = await send("training/earlier");
});
const target = () => byId("train-target").value;
const run = () => guarded(async () => {
  state = await send(target() === "" ? "training/run?" + query({name: byId("train-name").value.trim()})
                                     : "training/grow?" + query({model: target()}));
  await follow();
});
const follow = async () => {
  draw();
  while (state.phase === "running") {
    await wait(0.5);
    state = await ask("training");
    draw();
  }
  if (state.phase !== "done") return;
  await reload();
  looks = (await notebookOf(state.model)).look;
};
// Whether photographs are there; after a training that failed, they still are.
const mayRun = (now) => (now?.phase === "gathering" || now?.phase === "failed") && now.photographs > 0;
// The photographs or the training that another tab, this one before a reload, or a server that has
// ended has started.
const resume = () => guarded(async () => {
  const now = atStart = await ask("training");
  if (now.phase !== "running" && !mayRun(now)) return;
  state = now;
  await follow();
});

const step = ({name, done, total}) => {
  const key = "step." + name.replaceAll(" ", "_");
  return text("train.step", {step: has(key) ? text(key) : name, done, total});
};
const status = () => {
  if (failure) return failure.sentence;
  if (sending) return text("train.sending", sending);
  if (!state) return "";
  if (state.phase === "failed") return translated(state.failure);
  if (state.phase === "running" && state.step) return step(state.step);
  if (state.phase === "done" && state.added > 0) return text("train.grown", state);
  return text("train." + state.phase, state);
};
// Sentences about what was left out, and about species with too few photographs.
const skipped = (kind) => {
  const here = leftOut[kind], there = state[kind];
  const names = [...new Set([...here, ...there.names])].slice(0, kNames);
  return {count: here.length + there.count, names: names.join(", ")};
};
const sentSpecies = (tag, {species, latin}) => speciesElement(tag, species, {species: [{name: species, latin}]});
const advice = () => {
  if (state?.phase !== "gathering" && state?.phase !== "failed") return [];
  const loose = skipped("loose"), others = skipped("others");
  const single = state.sent.filter((one) => one.photographs === 1);
  return [
    loose.count > 0 ? text("train.loose", loose) : null,
    others.count > 0 ? text("train.others", others) : null,
    loose.count === 0 && state.photographs === 0 ? text("train.nothing") : null,
    target() === "" && state.sent.length === 1
        ? words("train.one_species", state.sent[0], {species: sentSpecies("span", state.sent[0])}) : null,
    single.length > 0 ? words("train.single", {count: single.length},
        {species: among(single.slice(0, kNames).map((one) => sentSpecies("span", one)))}) : null,
  ].filter((line) => line !== null);
};
const list = (lines) => lines.map((line) =>
    element("li", {}, typeof line === "string" ? translated(line) : line));
const drawSent = () => {
  const shown = state !== null && (mayRun(state) || state.phase === "running");
  byId("train-sent").hidden = !shown || state.sent.length === 0;
  byId("train-species").replaceChildren(...(shown ? state.sent : []).map((one) => element("li", {},
      sentSpecies("b", one), " ",
      element("span", {className: "soft", textContent: text("models.photographs", {count: one.photographs})}))));
  byId("train-advice").replaceChildren(...(sending ? [] : list(advice())));
};
const drawProgress = (busy) => {
  const bar = byId("train-progress");
  const known = sending ? {done: sending.done, total: sending.all} : state?.step;
  bar.hidden = !busy;
  if (known) {
    bar.max = known.total;
    bar.value = known.done;
  } else {
    bar.removeAttribute("value");
  }
};
const drawResult = () => {
  byId("train-result").hidden = state?.phase !== "done";
  if (state?.phase !== "done") return;
  byId("train-ready").textContent = text("train.ready", state);
  byId("train-accuracy").textContent = accuracyText(state.accuracy);
  byId("train-unknown").textContent = unknownText(state.unknown, state.species);
  byId("train-model").textContent = text("train.model", state);
  byId("train-report").href = "/api/v1/models/report?" + query({model: state.model});
  const shown = new Set(looks.map((look) => look.text));
  const others = [...new Set([...state.errors, ...state.warnings])].filter((line) => !shown.has(line));
  const count = looks.length + others.length;
  byId("train-remarks-part").hidden = count === 0;
  byId("train-remarks-title").textContent = text("train.remarks", {count});
  byId("train-remarks").replaceChildren(...lookList(looks, named(state.model)).filter((part) => part),
                                        element("ul", {}, list(others)));
};
// Photographs that an earlier version left. Nothing is learned from them without a click.
const drawEarlier = () => {
  const there = (state ?? atStart)?.earlier;
  byId("train-earlier").hidden = !there;
  byId("train-earlier-where").hidden = !there;
  if (!there) return;
  byId("train-earlier").textContent = text("train.earlier", there);
  byId("train-earlier-where").textContent = text("train.earlier.where", there);
};
const draw = () => {
  const busy = sending !== null || state?.phase === "running";
  byId("train-status").textContent = status();
  byId("train-status").classList.toggle("wrong", failure !== null || state?.phase === "failed");
  byId("train-waiting").hidden = choose_ === null;
  byId("train-cancel-run").hidden = state?.phase !== "running";
  byId("train-run").disabled = busy || choose_ !== null || !mayRun(state);
  byId("train-new").hidden = target() !== "";
  byId("train-folder-picture").hidden = busy || mayRun(state) || state?.phase === "done";
  drawProgress(busy);
  drawEarlier();
  drawSent();
  drawResult();
};
const drawTargets = () => {
  const own = models().filter((one) => one.own), before = target();
  byId("train-target").replaceChildren(
      element("option", {value: "", textContent: text("train.new")}),
      ...own.map((one) => element("option", {value: one.name, textContent: text("train.add_to", {model: one.name})})));
  byId("train-target").value = own.some((one) => one.name === before) ? before : "";
  byId("train-target-part").hidden = own.length === 0;
  byId("train-kept").hidden = keptPhotographs() === 0;
  byId("train-kept").textContent = text("train.kept", {count: keptPhotographs()});
  draw();
};

byId("train-folder").addEventListener("change", (event) => {
  folder([...event.target.files]);
  event.target.value = "";
});
byId("train-zip").addEventListener("change", (event) => {
  if (event.target.files.length > 0) archive(event.target.files[0]);
  event.target.value = "";
});
byId("train-kept").addEventListener("click", kept);
byId("train-earlier").addEventListener("click", earlier);
byId("train-form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
byId("train-target").addEventListener("change", draw);
byId("train-cancel-run").addEventListener("click", () => guarded(async () => {
  await send("training/cancel");
}));
byId("train-use").addEventListener("click", () => {
  choose(state.model);
  location.hash = "leaves";
});
for (const choice of ["add", "discard", "cancel"]) {
  byId("train-" + choice).addEventListener("click", () => choose_?.(choice));
}
// "Add photographs" of a model.
addEventListener("grow", (event) => {
  byId("train-target").value = event.detail;
  draw();
});
onModels(drawTargets);
onLanguage(drawTargets);
resume();
