// The windows of classify/glyph/glyph_windows.h: ink is an array of size x size values from 0 to 255.
const glyphWindows = (layout, size) => {
  "use strict";
  const side = layout.size, pixels = side * side, basis = Float32Array.from(layout.basis);
  const length = basis.length / pixels, count = layout.corners.length;
  // The first `kept` components of every window at one move.
  const project = (ink, [down, across], kept) => {
    const rows = new Float32Array(count * kept);
    const patch = new Float32Array(pixels);
    layout.corners.forEach(([top, left], w) => {
      let any = false;
      for (let p = 0; p < pixels; ++p) {
        const j = top + down + Math.floor(p / side), i = left + across + p % side;
        patch[p] = j >= 0 && j < size && i >= 0 && i < size ? ink[j * size + i] : 0;
        any ||= patch[p] > 0;
      }
      for (let k = 0; any && k < kept; ++k) {
        let sum = 0;
        for (let p = 0; p < pixels; ++p) sum += patch[p] * basis[k * pixels + p];
        rows[w * kept + k] = sum;
      }
    });
    return rows;
  };
  const fixed = (ink, kept = length) => project(ink, [0, 0], kept);
  const moved = (ink, kept = length, moves = layout.moves) =>
      moves.map((move) => project(ink, move, kept));
  const level = layout.saturation * layout.saturation;
  // Distance from moved() of one glyph to fixed() of another with the same number of components.
  const oneWay = (positions, unmoved) => {
    const kept = unmoved.length / count;
    let sum = 0;
    for (let w = 0; w < count; ++w) {
      let best = Infinity;
      for (const position of positions) {
        let square = 0;
        for (let c = w * kept; c < (w + 1) * kept && square < best; ++c) {
          const difference = position[c] - unmoved[c];
          square += difference * difference;
        }
        if (square < best) best = square;
      }
      sum += level > 0 ? 1 - Math.exp(-best / level) : Math.sqrt(best);
    }
    return sum / count;
  };
  // For a search like the command's: low orders, the nearest positions, and one direction only.
  const kSought = 12;
  const soughtFixed = (ink) => fixed(ink, layout.kept);
  const soughtMoved = (ink) => moved(ink, layout.kept, layout.moves.slice(0, kSought));
  return {fixed, moved, oneWay, soughtFixed, soughtMoved};
};
