// Shows the part of the page that the address names.
import {start, text, onLanguage} from "./text.js";
import {ask, byId, element} from "./api.js";
import "./folder_picture.js";
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
// Shows the address for phones, and takes the access code, now a cookie, out of the address bar.
const showAddress = async () => {
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);
  const {address, qr} = await ask("address");
  if (address === "") return;
  byId("phone").hidden = false;
  Object.assign(byId("phone-address"), {href: address, textContent: address});
  if (qr) byId("phone-code").replaceChildren(element("svg", {class: "qr", "aria-hidden": "true",
      viewBox: `-2 -2 ${qr.side + 4} ${qr.side + 4}`},
      element("rect", {x: -2, y: -2, width: qr.side + 4, height: qr.side + 4, fill: "#ffffff"}),
      element("path", {d: qr.path, fill: "#000000"})));
};
addEventListener("hashchange", show);
start(document.getElementById("language"));
onLanguage(() => show());
showAddress();
