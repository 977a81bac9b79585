// A picture of what a folder of photographs for a training looks like, with drawn leaves.
import {text, onLanguage} from "./text.js";
import {query, element} from "./api.js";

const kSpecies = [["oak", 0], ["maple", 4], ["ginkgo", 7]];  // of the drawn leaves
const kShown = [0, 1, 2];  // leaves of each

const icon = () => element("svg", {viewBox: "0 0 24 20", class: "folder-icon", "aria-hidden": "true"},
    element("path", {d: "M1 3a2 2 0 0 1 2-2h6l2 3h10a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2z"}));
// "folder.name", "folder.oak", "folder.maple", "folder.ginkgo"
const named = (key) => element("b", {textContent: text("folder." + key)});
const species = ([key, number]) => element("li", {}, icon(), named(key), element("span", {className: "in-folder"},
    kShown.map((leaf) => element("span", {},
        element("img", {src: "/api/v1/leaf/drawn?" + query({species: number, leaf}), alt: "", loading: "lazy"}),
        element("small", {textContent: leaf + 1 + ".jpg"}))), element("small", {textContent: "…"})));
const draw = (figure) => figure.replaceChildren(
    element("p", {}, icon(), named("name")),
    element("ul", {}, kSpecies.map(species)),
    element("figcaption", {textContent: text("folder.caption")}));
onLanguage(() => document.querySelectorAll("figure.folder").forEach(draw));
