// Requests to the server, and elements that show its replies.
import {text, has, translated} from "./text.js";

const kTries = 600;  // tables of characters take minutes the first time
const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

export class Refused extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
  get sentence() {
    const known = "refused." + this.kind;
    return has(known) ? text(known) : translated(this.message);
  }
}

// The JSON of a reply, or what `read` makes of it. Repeats the request to a busy server after the
// time that it states.
export const ask = async (path, options = {}, read = (reply) => reply.json()) => {
  for (let tries = 1; ; ++tries) {
    let reply;
    try {
      reply = await fetch("/api/v1/" + path, options);
    } catch {
      throw new Refused("gone", "");
    }
    if (reply.status === 503 && tries < kTries) {
      await wait(Number(reply.headers.get("Retry-After")) || 1);
      continue;
    }
    const content = await (reply.ok ? read(reply) : reply.json()).catch(() => null);
    if (reply.ok && content) return content;
    throw new Refused(content?.error?.kind ?? "failed", content?.error?.message ?? reply.statusText);
  }
};

export const send = (path, body) => ask(path, {method: "POST", body});
export const query = (values) => new URLSearchParams(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== "")).toString();

export const byId = (id) => document.getElementById(id);

// An element with properties (dataset and aria-* included) and children; text is never HTML.
const svgNames = ["svg", "g", "polygon", "path", "rect", "line"];
export const element = (name, properties = {}, ...children) => {
  const svg = svgNames.includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
                   : document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
    else if (svg || key.includes("-") || key === "for" || key === "role" || key === "list") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
};
