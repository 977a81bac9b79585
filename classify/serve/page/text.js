// What the page says, in the language that was chosen. Strings have {names} for values.
const languages = ["en", "zh"];
const [table, sentences] = await Promise.all(["/strings.json", "/sentences.json"].map(
    async (file) => (await fetch(file)).json()));
const stored = () => { try { return localStorage.getItem("language"); } catch { return null; } };
let language = stored() ?? (navigator.language.startsWith("zh") ? "zh" : "en");
if (!languages.includes(language)) language = "en";
const listeners = [];

const filled = (entry, values) => entry.replace(/\{(\w+)\}/g, (_, name) => values[name]);
export const text = (key, values = {}) => {
  const entry = table[key];
  if (!entry) throw new Error("no string " + key);
  return filled(entry[language], values);
};
export const has = (key) => key in table;
export const number = (value, digits = 0) => new Intl.NumberFormat(
    language === "zh" ? "zh-Hans" : "en",
    {minimumFractionDigits: digits, maximumFractionDigits: digits}).format(value);

// A sentence of the server's, which are English, maybe after a name ("oak.jpg: no leaf ..."); those
// that people meet have a translation.
const said = sentences.map((entry) => ({...entry, pattern: new RegExp("^(?:(?<of>.*?): )?" +
    entry.en.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*?)") + "$", "s")}));
export const translated = (sentence) => {
  if (language === "en") return sentence;
  for (const entry of said) {
    const values = entry.pattern.exec(sentence)?.groups;
    if (values) return (values.of ? values.of + "：" : "") + filled(entry[language], values);
  }
  return sentence;
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
