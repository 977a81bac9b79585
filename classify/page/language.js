// The texts of a page in the chosen language: `table` has an entry {en, zh} for each key.
// Texts contain {names} in place of values, and {name:one|more} where the word depends on the value.
const pageLanguage = (table) => {
  "use strict";
  const languages = ["en", "zh"];
  const stored = () => { try { return localStorage.getItem("language"); } catch { return null; } };
  let language = stored() ?? (navigator.language.startsWith("zh") ? "zh" : "en");
  if (!languages.includes(language)) language = "en";
  const listeners = [];

  const filled = (entry, values) => entry[language]
      .replace(/\{(\w+):([^|}]*)\|([^}]*)\}/g, (_, name, one, more) => Number(values[name]) === 1 ? one : more)
      .replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const text = (key, values = {}) => {
    if (!(key in table)) throw new Error("no string " + key);
    return filled(table[key], values);
  };
  const number = (value, digits = 0) => new Intl.NumberFormat(
      language === "zh" ? "zh-Hans" : "en",
      {minimumFractionDigits: digits, maximumFractionDigits: digits}).format(value);
  const apply = () => {
    document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
    for (const element of document.querySelectorAll("[data-text]"))
      element.textContent = text(element.dataset.text);
    for (const element of document.querySelectorAll("[data-label]"))
      element.setAttribute("aria-label", text(element.dataset.label));
    for (const listener of listeners) listener();
  };
  // Runs now, and again whenever another language is chosen.
  const onLanguage = (listener) => {
    listeners.push(listener);
    listener();
  };
  // `choice` is a <select> of the languages.
  const start = (choice) => {
    choice.value = language;
    choice.addEventListener("change", () => {
      language = choice.value;
      try { localStorage.setItem("language", language); } catch { /* not remembered then */ }
      apply();
    });
    apply();
  };
  return {text, filled, number, onLanguage, start, has: (key) => key in table,
          isEnglish: () => language === "en"};
};
