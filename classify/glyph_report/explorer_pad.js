// Which characters of the page a drawing may be.
(() => {
  "use strict";
  const {element, characters, size, inkOf, windows, chips} = leafglyphExplorer;
  const kShown = 12;      // characters that may be meant
  const kExactly = 100;   // nearest one way that are compared both ways
  let unmoved = null;

  const nearest = (ink) => {
    unmoved ??= characters.map((_, c) => windows.fixed(inkOf(c)));
    const moved = windows.moved(ink), fixed = windows.fixed(ink);
    const found = unmoved.map((rows, c) => [windows.oneWay(moved, rows), c]);
    found.sort((a, b) => a[0] - b[0]);
    const exact = found.slice(0, kExactly).map(([far, c]) =>
        [far + windows.oneWay(windows.moved(inkOf(c)), fixed), c]);
    exact.sort((a, b) => a[0] - b[0]);
    return exact.slice(0, kShown).map(([, c]) => c);
  };
  const pad = drawingPad(element("pad"), () =>
      chips(pad.isEmpty() ? [] : nearest(pad.ink(size)), "It may be", "drawn"));
  element("undo").addEventListener("click", pad.undo);
  element("clear").addEventListener("click", pad.clear);
})();
