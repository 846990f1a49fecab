// The board as a picture: pure drawing of a model in pixels, for the page; and for files, as it is on the page, with its
// colours inside, as SVG or PNG.

import { draw } from "./dom.js";
import { parsePoint, placeOf, pointName, sizeSeen, wholePercent } from "./words.js";

const labelSize = cell => Math.max(7, Math.min(13, cell * 0.34));

/** Returns the measures of a board with cells of so many pixels; `rows` and `view` say how it is seen: see words.js. */
export function measure({ size: [width, height], rows, view }, cell) {
  // A stone at the edge leaves the labels free.
  const margin = Math.round(cell * 0.5 + labelSize(cell) * 1.55);
  const [w, h] = sizeSeen({ width, height, view }).map(count => count * cell + 2 * margin - cell + (cell % 2));
  return { width, height, rows, view, cell, margin, w, h };
}

/** Returns the largest whole cell for this room. */
export function cellFor(seen, room) {
  let cell = 80;
  const fits = size => {
    const { w, h } = measure(seen, size);
    return w <= room.width && h <= room.height;
  };
  while (cell > 8 && !fits(cell)) cell--;
  return cell;
}

/** Returns where the middle of a point is: half pixels, on which lines are sharp. */
export function middle(m, point) {
  return placeOf(parsePoint(point), m).map(line => m.margin + line * m.cell + 0.5);
}

function stars(width, height) {
  const ends = length => (length >= 13 ? [3, length - 4] : length >= 9 ? [2, length - 3] : []);
  const points = ends(width).flatMap(x => ends(height).map(y => [x, y]));
  if (width % 2 && height % 2) points.push([(width - 1) / 2, (height - 1) / 2]);
  return points.map(pointName);
}

/** Draws the empty board. */
export function drawBoard(m) {
  const left = m.margin + 0.5, top = m.margin + 0.5;
  const [columns, rows] = sizeSeen(m);
  const right = left + (columns - 1) * m.cell, bottom = top + (rows - 1) * m.cell;
  let path = "";
  for (let x = 1; x < columns - 1; x++) path += `M${left + x * m.cell} ${top}V${bottom}`;
  for (let y = 1; y < rows - 1; y++) path += `M${left} ${top + y * m.cell}H${right}`;
  const size = labelSize(m.cell);
  const label = (text, x, y) => draw("text", { class: "label", x, y, "font-size": size }, text);
  const labels = draw("g", {});
  // A board seen from its left or right has its letters there.
  const isTurned = m.view % 2 === 1;
  const beside = (name, y) => [size * 0.95, m.w - size * 0.95].map(x => label(name, x, y));
  const above = (name, x) => [size * 0.95, m.h - size * 0.95].map(y => label(name, x, y));
  for (let x = 0; x < m.width; x++) {
    const name = pointName([x, 0]), [atX, atY] = middle(m, name);
    labels.append(...(isTurned ? beside(name[0], atY) : above(name[0], atX)));
  }
  for (let y = 0; y < m.height; y++) {
    const name = pointName([0, y]), [atX, atY] = middle(m, name);
    labels.append(...(isTurned ? above(name.slice(1), atX) : beside(name.slice(1), atY)));
  }
  const grain = draw("g", { class: "grain" });
  for (let i = 0; i < 7; i++) {
    const y = ((i + 0.5) * m.h) / 7, bend = ((i * 37) % 23) - 11;
    grain.append(draw("path", { d: `M0 ${y}C${m.w * 0.3} ${y + bend} ${m.w * 0.6} ${y - bend} ${m.w} ${y + bend / 2}` }));
  }
  return draw("g", {},
    draw("rect", { class: "wood", width: m.w, height: m.h, rx: 6 }),
    grain,
    draw("path", { class: "line", d: path }),
    draw("path", { class: "line edge", d: `M${left} ${top}H${right}V${bottom}H${left}Z` }),
    ...stars(m.width, m.height).map(point => {
      const [cx, cy] = middle(m, point);
      return draw("circle", { class: "star", cx, cy, r: Math.max(2, m.cell * 0.085) });
    }),
    labels);
}

const gradient = (id, ...stops) => draw("radialGradient", { id, cx: "36%", cy: "30%", r: "72%" },
  ...stops.map(([offset, name]) => draw("stop", { offset, class: name })));

/** Returns what stones are filled with. */
export const drawDefinitions = () => draw("defs", {},
  gradient("black-stone", ["0", "black-0"], ["0.5", "black-1"], ["1", "black-2"]),
  gradient("white-stone", ["0", "white-0"], ["0.6", "white-1"], ["1", "white-2"]));

/** Draws a stone, with a text on it where there is one. */
export function drawStone(m, point, color, { text = "", ghost = false } = {}) {
  const [cx, cy] = middle(m, point);
  const r = m.cell * 0.46;
  const stone = draw("g", { class: ghost ? "ghost" : "stone", "data-point": point, "data-color": color });
  if (!ghost) stone.append(draw("circle", { class: "shadow", cx: cx + m.cell * 0.03, cy: cy + m.cell * 0.06, r }));
  stone.append(draw("circle", { class: color, cx, cy, r, fill: `url(#${color}-stone)` }));
  if (text) stone.append(drawText(m, point, text, `on-${color}`));
  return stone;
}

/** Writes in a cell. */
function drawText(m, point, text, name) {
  const [x, y] = middle(m, point);
  const size = m.cell * [0.44, 0.44, 0.44, 0.36, 0.29, 0.25][Math.min(5, text.length)];
  return draw("text", { class: `text ${name}`, x, y, "font-size": size }, text);
}

/** Draws a label or a mark of the game's notes on a stone or on the wood. */
export function drawNote(m, point, what, isLabel, ground) {
  const [x, y] = middle(m, point);
  const at = share => m.cell * share;
  const note = draw("g", { class: "noted", "data-point": point });
  if (ground === "wood") note.append(draw("circle", { class: "wood", cx: x, cy: y, r: at(0.34) }));
  if (isLabel) note.append(drawText(m, point, what, `on-${ground}`));
  else {
    const [r, h] = [at(0.22), at(0.26)];
    const shape = {
      cross: crossPath(x, y, r),
      square: squarePath(x, y, r),
      triangle: `M${x} ${y - h}L${x + h} ${y + r}H${x - h}Z`,
    }[what] ?? `M${x - h} ${y}a${h} ${h} 0 1 0 ${2 * h} 0a${h} ${h} 0 1 0 ${-2 * h} 0Z`;
    note.append(draw("path", { class: `sketch on-${ground}`, d: shape }));
  }
  return note;
}

const crossPath = (x, y, r) => `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`;
const squarePath = (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`;

/** Marks that are circles: their radius as a share of a cell. */
const CIRCLES = { last: 0.14, ring: 0.46, five: 0.4, next: 0.2, hint: 0.34, better: 0.34, losing: 0.09, searching: 0.09 };

/** Draws the mark of this name on a point. */
export function drawMark(m, point, name, color = "") {
  const [x, y] = middle(m, point);
  const at = share => m.cell * share;
  const attributes = { class: `mark ${name} ${color}`, "data-point": point };
  if (CIRCLES[name]) return draw("circle", { ...attributes, cx: x, cy: y, r: at(CIRCLES[name]) });
  const four = `M${x} ${y - at(0.2)}L${x + at(0.2)} ${y}L${x} ${y + at(0.2)}L${x - at(0.2)} ${y}Z`, five = squarePath(x, y, at(0.16));
  const d = {
    "threat black-five": five, "threat white-five": five, "threat black-four": four, "threat white-four": four,
    forbidden: crossPath(x, y, at(0.16)),
    excluded: crossPath(x, y, at(0.22)) + squarePath(x, y, at(0.3)),
    aim: `M${x - at(0.5)} ${y}h${at(1)}M${x} ${y - at(0.5)}v${at(1)}`,
  }[name];
  return draw("path", { ...attributes, d });
}

/** Draws a candidate: a disc with its win rate in percent, its colour from red over yellow to green. */
export function drawCandidate(m, point, { rate, rank, text: value = "" }) {
  const [cx, cy] = middle(m, point);
  const name = rank === 0 ? "candidate best" : "candidate";
  const level = rate === null ? "none" : String(Math.min(4, Math.floor(rate * 5)));
  // A proved win or loss says in how many plies.
  const proved = /^\+?(-?M\d+)$/.exec(value);
  const text = proved ? proved[1] : String(rate === null ? rank + 1 : wholePercent(rate));
  return draw("g", { class: name, "data-point": point },
    draw("circle", { class: `rate-${level}`, cx, cy, r: m.cell * 0.44 }),
    drawText(m, point, text, "rate"));
}

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "opacity", "stop-color", "stop-opacity", "font-family", "font-weight", "text-anchor", "dominant-baseline"];

/** Pixels of a PNG for each of the page. */
const SCALE = 3;

/** Returns the text of the picture, which needs nothing else. */
function text(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture, copy].map(root => root.querySelectorAll("*"));
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      // What stones are filled with is a part of the picture, whatever the page's address is.
      if (value && !value.includes("url(")) to[i].setAttribute(name, value);
    }
    to[i].removeAttribute("class");
  });
  copy.removeAttribute("class");
  copy.removeAttribute("aria-hidden");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Lets the browser save a file of this name. */
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const svgBlob = picture => new Blob([text(picture)], { type: "image/svg+xml" });

/** Saves the picture as SVG. */
export function saveSvg(picture) {
  download(svgBlob(picture), "board.svg");
}

/** Saves the picture as PNG. */
export async function savePng(picture) {
  const address = URL.createObjectURL(svgBlob(picture));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const { width, height } = picture.getBoundingClientRect();
    canvas.width = Math.round(width * SCALE);
    canvas.height = Math.round(height * SCALE);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    download(await new Promise(done => canvas.toBlob(done, "image/png")), "board.png");
  } finally {
    URL.revokeObjectURL(address);
  }
}
