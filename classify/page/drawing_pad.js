// A canvas for drawing a character with mouse, finger or pen. `changed` is called after a stroke has
// been drawn or undone.
const drawingPad = (canvas, changed) => {
  "use strict";
  const strokes = [];     // lists of points, relative to the canvas
  const kPen = 0.8;       // half of a stroke's width in pixels of the glyph
  let pointer = null;     // the one that is drawing

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const paintOn = (context, side, colour) => {
    context.lineWidth = side / 22;
    context.lineCap = context.lineJoin = "round";
    context.strokeStyle = colour;
    for (const stroke of strokes) {
      context.beginPath();
      context.moveTo(...[0, 1].map((c) => stroke[0][c] * side));
      for (const [x, y] of stroke) context.lineTo(x * side, y * side);
      context.stroke();
    }
  };
  const paint = () => {
    const context = canvas.getContext("2d"), side = canvas.width;
    context.clearRect(0, 0, side, side);
    paintOn(context, side, getComputedStyle(canvas).color);
  };
  // The drawing as a PNG, black on white.
  const picture = () => {
    const copy = document.createElement("canvas"), context = copy.getContext("2d");
    copy.width = copy.height = canvas.width;
    context.fillStyle = "white";
    context.fillRect(0, 0, copy.width, copy.height);
    paintOn(context, copy.width, "black");
    return new Promise((done) => copy.toBlob(done, "image/png"));
  };
  // The distance of a point from a line between two.
  const distance = (x, y, [ax, ay], [bx, by]) => {
    const dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    const t = square > 0 ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
    return Math.hypot(x - ax - t * dx, y - ay - t * dy);
  };
  // The drawing as a glyph of size x size, scaled and centred so that its longer side nearly
  // fills the square: rows from the top, 0 paper to 255 stroke.
  const ink = (size) => {
    const points = strokes.flat(), xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    const left = Math.min(...xs), right = Math.max(...xs);
    const top = Math.min(...ys), bottom = Math.max(...ys);
    const scale = (size - 1 - size / 8) / Math.max(right - left, bottom - top, 1e-3);
    const put = ([x, y]) => [size / 2 + (x - (left + right) / 2) * scale,
                             size / 2 + (y - (top + bottom) / 2) * scale];
    const pixels = new Uint8Array(size * size);
    for (const stroke of strokes) {
      const line = stroke.map(put);
      for (let p = 0; p < pixels.length; ++p) {
        const x = p % size + 0.5, y = Math.floor(p / size) + 0.5;
        for (let k = 0; k < line.length; ++k) {
          const far = distance(x, y, line[Math.max(0, k - 1)], line[k]);
          pixels[p] = Math.max(pixels[p], 255 * Math.min(1, Math.max(0, kPen + 0.5 - far)));
        }
      }
    }
    return pixels;
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (pointer !== null || event.button !== 0) return;
    pointer = event.pointerId;
    strokes.push([place(event)]);
    event.preventDefault();
    paint();
  });
  addEventListener("pointermove", (event) => {
    if (event.pointerId !== pointer) return;
    strokes[strokes.length - 1].push(place(event));
    paint();
  });
  const lift = (event) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    changed();
  };
  addEventListener("pointerup", lift);
  addEventListener("pointercancel", lift);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  const keep = (count) => {
    strokes.length = Math.max(0, count);
    paint();
    changed();
  };
  return {ink, picture, isEmpty: () => strokes.length === 0, undo: () => keep(strokes.length - 1),
          clear: () => keep(0), again: changed};
};
