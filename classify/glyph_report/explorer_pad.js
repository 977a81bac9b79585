// Finds the characters of the page that a drawing may show.
(() => {
  "use strict";
  const {characters, size, inkOf, windows, language} = leafglyphData;
  const {id, chips} = leafglyphExplorer;
  const kShown = 12;      // candidates shown
  const kExactly = 64;    // candidates of the search that are compared as the command compares
  let unmoved = null, found = [];

  const nearest = (ink) => {
    unmoved ??= characters.map((_, place) => windows.soughtFixed(inkOf(place)));
    const sought = windows.soughtMoved(ink);
    const near = unmoved.map((rows, place) => [windows.oneWay(sought, rows), place]);
    near.sort((a, b) => a[0] - b[0]);
    const moved = windows.moved(ink), fixed = windows.fixed(ink);
    const exact = near.slice(0, kExactly).map(([, place]) => [
        windows.oneWay(moved, windows.fixed(inkOf(place))) +
        windows.oneWay(windows.moved(inkOf(place)), fixed), place]);
    exact.sort((a, b) => a[0] - b[0]);
    return exact.slice(0, kShown).map(([, place]) => place);
  };
  const show = () => chips(found, "pad.may_be", "drawn");
  const pad = drawingPad(id("pad"), () => {
    found = pad.isEmpty() ? [] : nearest(pad.ink(size));
    show();
  });
  id("pad-undo").addEventListener("click", pad.undo);
  id("pad-clear").addEventListener("click", pad.clear);
  language.onLanguage(show);
})();
