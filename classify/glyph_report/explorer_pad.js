(() => {
  "use strict";
  const {element, characters, size, inkOf, windows, chips} = leafglyphExplorer;
  const pad = element("pad"), strokes = [];
  const kShown = 12;      // characters that may be meant
  const kExactly = 100;   // nearest one way that are compared both ways
  const kPen = 0.8;       // half of a stroke's width in pixels of the glyph
  let drawing = false, unmoved = null;

  const place = (event) => {
    const box = pad.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const paint = () => {
    const context = pad.getContext("2d"), side = pad.width;
    context.clearRect(0, 0, side, side);
    context.lineWidth = side / 22;
    context.lineCap = context.lineJoin = "round";
    context.strokeStyle = getComputedStyle(pad).color;
    for (const stroke of strokes) {
      context.beginPath();
      stroke.forEach(([x, y], k) => context[k === 0 ? "moveTo" : "lineTo"](x * side, y * side));
      context.stroke();
    }
  };
  // The distance of a point from a line between two.
  const distance = (x, y, [ax, ay], [bx, by]) => {
    const dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    const t = square > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
    return Math.hypot(x - ax - t * dx, y - ay - t * dy);
  };
  // What was drawn, scaled and centred so that its longer side nearly fills the glyph's square.
  const drawnInk = () => {
    const points = strokes.flat(), xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    const left = Math.min(...xs), right = Math.max(...xs);
    const top = Math.min(...ys), bottom = Math.max(...ys);
    const scale = (size - 1 - size / 8) / Math.max(right - left, bottom - top, 1e-3);
    const put = ([x, y]) => [size / 2 + (x - (left + right) / 2) * scale,
                             size / 2 + (y - (top + bottom) / 2) * scale];
    const ink = new Uint8Array(size * size);
    for (const stroke of strokes) {
      const line = stroke.map(put);
      for (let p = 0; p < ink.length; ++p) {
        const x = p % size + 0.5, y = Math.floor(p / size) + 0.5;
        for (let k = 0; k < line.length; ++k) {
          const far = distance(x, y, line[Math.max(0, k - 1)], line[k]);
          ink[p] = Math.max(ink[p], 255 * Math.min(1, Math.max(0, kPen + 0.5 - far)));
        }
      }
    }
    return ink;
  };
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
  const read = () => {
    chips(strokes.length > 0 ? nearest(drawnInk()) : [], "It may be", "drawn");
  };
  pad.addEventListener("pointerdown", (event) => {
    drawing = true;
    strokes.push([place(event)]);
    event.preventDefault();
    paint();
  });
  addEventListener("pointermove", (event) => {
    if (!drawing) return;
    strokes[strokes.length - 1].push(place(event));
    paint();
  });
  const lift = () => {
    if (!drawing) return;
    drawing = false;
    read();
  };
  addEventListener("pointerup", lift);
  addEventListener("pointercancel", lift);
  element("undo").addEventListener("click", () => { strokes.pop(); paint(); read(); });
  element("clear").addEventListener("click", () => {
    strokes.length = 0;
    paint();
    chips([], "", "drawn");
  });
})();
