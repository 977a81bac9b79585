// Shows the part of the page that the address names.
import {start, text, onLanguage} from "./text.js";
import "./leaves.js";
import "./training.js";
import "./models.js";
import "./characters.js";
import "./moments.js";

const sections = [...document.querySelectorAll("main > section")];
const show = (event) => {
  const wanted = sections.find((section) => "#" + section.id === location.hash) ?? sections[0];
  if (location.hash === "#main") return;
  for (const section of sections) section.hidden = section !== wanted;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === "#" + wanted.id) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = text("nav." + wanted.id) + " - LeafGlyph";
  if (event) document.getElementById("main").focus({preventScroll: true});
};
addEventListener("hashchange", show);
start(document.getElementById("language"));
onLanguage(() => show());
