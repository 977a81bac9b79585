// What the page says, in the language that was chosen. Strings have {names} for values.
const languages = ["en", "zh"];
const table = await (await fetch("/strings.json")).json();
const stored = () => { try { return localStorage.getItem("language"); } catch { return null; } };
let language = stored() ?? (navigator.language.startsWith("zh") ? "zh" : "en");
if (!languages.includes(language)) language = "en";
const listeners = [];

export const text = (key, values = {}) => {
  const entry = table[key];
  if (!entry) throw new Error("no string " + key);
  return entry[language].replace(/\{(\w+)\}/g, (_, name) => values[name]);
};
export const has = (key) => key in table;
export const number = (value, digits = 0) => new Intl.NumberFormat(
    language === "zh" ? "zh-Hans" : "en",
    {minimumFractionDigits: digits, maximumFractionDigits: digits}).format(value);

// A sentence of the server's, which are English; those that people meet often have a translation.
const said = Object.entries(table).filter(([key]) => key.startsWith("said."))
    .map(([, entry]) => entry);
export const translated = (sentence) => {
  if (language === "en") return sentence;
  const known = said.find((entry) => sentence.includes(entry.en));
  return known ? known[language] : sentence;
};

const apply = () => {
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = text(element.dataset.text);
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", text(element.dataset.label));
  for (const listener of listeners) listener();
};
// Called now and whenever another language is chosen.
export const onLanguage = (listener) => {
  listeners.push(listener);
  listener();
};

export const start = () => {
  const choice = document.getElementById("language");
  choice.value = language;
  choice.addEventListener("change", () => {
    language = choice.value;
    try { localStorage.setItem("language", language); } catch { /* not remembered then */ }
    apply();
  });
  apply();
};
