// Characters to practise: a sheet to write on, and notes for Anki.
const practice = (() => {
  "use strict";
  const kSquares = 6;  // to write in
  const box = (name, ...children) => {
    const made = document.createElement(name === "line" ? "div" : "span");
    made.className = name;
    made.append(...children);
    return made;
  };
  // A line for each of `lines`, lists of a character and those that it is mixed up with; `glyph`
  // makes the element that draws one.
  const sheet = (lines, glyph) => lines.map((line) => box("line",
      ...line.map((character, place) => box(place ? "square" : "square model", glyph(character))),
      ...Array.from({length: kSquares}, () => box("square"))));
  // A text file for Anki's import. A note: the character; its readings, strokes, meaning and
  // look-alikes as lines of text.
  const anki = (notes) => {
    const field = (text) => text.replace(/[\t\r\n"]+/g, " ");
    const escaped = (text) => field(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
    return "#separator:tab\n#html:true\n#notetype:Basic\n#deck:LeafGlyph\n#columns:Front\tBack\n" +
        notes.map(({character, lines}) => character + "\t" +
            lines.filter(Boolean).map(escaped).join("<br>") + "\n").join("");
  };
  // Hands a file to the person.
  const save = (name, type, content) => {
    const url = URL.createObjectURL(new Blob([content], {type}));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  };
  return {sheet, anki, save};
})();
