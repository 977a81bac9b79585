// Practising characters: a sheet to write on, and notes for Anki.
const practice = (() => {
  "use strict";
  const kSquares = 7;  // for writing, per line
  const box = (name, ...children) => {
    const made = document.createElement(name === "line" ? "div" : "span");
    made.className = name;
    made.append(...children);
    return made;
  };
  // One line for each of `lines`: a character followed by those that it is confused with. `glyph`
  // creates the element that draws a character; `note`, the text above its line. The first `traced`
  // squares for writing show the character in grey.
  const sheet = (lines, glyph, {note = null, traced = 0} = {}) => lines.flatMap((line) => [
      ...(note ? [box("note", note(line[0]))] : []),
      box("line",
          ...line.map((character, place) => box(place ? "square" : "square model", glyph(character))),
          ...Array.from({length: kSquares}, (_, place) => place < traced
              ? box("square traced", glyph(line[0])) : box("square")))]);
  // A text file for import into Anki. A note has the character, and its readings, strokes, meaning and
  // look-alikes as lines of text.
  const anki = (notes) => {
    const field = (text) => text.replace(/[\t\r\n"]+/g, " ");
    const escaped = (text) => field(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
    return "#separator:tab\n#html:true\n#notetype:Basic\n#deck:LeafGlyph\n#columns:Front\tBack\n" +
        notes.map(({character, lines}) => character + "\t" +
            lines.filter(Boolean).map(escaped).join("<br>") + "\n").join("");
  };
  // Offers a file for download.
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
