// The texts of the page and the server in the chosen language.
const [table, sentences] = await Promise.all(["/strings.json", "/sentences.json"].map(
    async (file) => (await fetch(file)).json()));
const page = pageLanguage(table);
export const {text, has, number, onLanguage, start, isEnglish} = page;

// The day of a date of the server, here; a date that is none stays as it is.
export const moment = (date) => {
  const time = new Date(date);
  return Number.isNaN(time.getTime()) ? date
      : new Intl.DateTimeFormat(isEnglish() ? "en-GB" : "zh-Hans", {dateStyle: "medium"}).format(time);
};

// Folders called Acer_negundo in a sentence, but not in the path of a file.
const spaced = (sentence) => sentence.replace(/(?<![\w/.])([A-Z][a-z]+)_([a-z][a-z_]*)(?![\w/.])/g,
    (folder) => folder.replaceAll("_", " "));

// Translates an English sentence of the server, which may follow a name ("oak.jpg: no leaf ..."), if
// it has a translation.
const said = sentences.map((entry) => ({...entry, pattern: new RegExp("^(?:(?<of>.*?): )?" +
    entry.en.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*?)") + "$", "s")}));
export const translated = (sentence) => {
  if (isEnglish()) return spaced(sentence);
  for (const entry of said) {
    const values = entry.pattern.exec(sentence)?.groups;
    if (values) return (values.of ? values.of + "：" : "") + spaced(page.filled(entry, values));
  }
  return spaced(sentence);
};
