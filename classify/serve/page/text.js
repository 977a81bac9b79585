// What the page and the server say, in the language that was chosen.
const [table, sentences] = await Promise.all(["/strings.json", "/sentences.json"].map(
    async (file) => (await fetch(file)).json()));
const page = pageLanguage(table);
export const {text, has, number, onLanguage, start} = page;

// A sentence of the server's, which are English, maybe after a name ("oak.jpg: no leaf ..."); those
// that people meet have a translation.
const said = sentences.map((entry) => ({...entry, pattern: new RegExp("^(?:(?<of>.*?): )?" +
    entry.en.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.*?)") + "$", "s")}));
export const translated = (sentence) => {
  if (page.isEnglish()) return sentence;
  for (const entry of said) {
    const values = entry.pattern.exec(sentence)?.groups;
    if (values) return (values.of ? values.of + "：" : "") + page.filled(entry, values);
  }
  return sentence;
};
