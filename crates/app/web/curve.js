// The curve of black's win rate over a game, with its marks, a line at the position shown, and a strip
// to click on for each move.

import { byId, draw, make } from "./dom.js";
import { percent } from "./words.js";

const HEIGHT = 150;
const EDGE = { left: 34, right: 8, top: 8, bottom: 18 };

/**
 * Draws the curve into the element `curve`. `rates` are black's win rates by ply, null where they are
 * not known; `marks` are the kinds of mistakes by the ply of the bad move; `titles` stand over the
 * strips; `label` says what the curve is.
 */
export function drawCurve({ plies, shown, rates, marks, titles, label }) {
  const host = byId("curve");
  const width = host.clientWidth;
  const x = ply => EDGE.left + (plies ? (ply / plies) * (width - EDGE.left - EDGE.right) : 0);
  const y = share => EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom);
  const picture = draw("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" });
  for (const [share, name] of [[1, "100%"], [0.5, "50%"], [0, "0%"]]) {
    const at = Math.round(y(share)) + 0.5;
    picture.append(draw("path", { class: "level", d: `M${EDGE.left} ${at}H${width - EDGE.right}` }),
      draw("text", { class: "scale", x: EDGE.left - 5, y: at }, name));
  }
  const gap = Math.max(1, Math.ceil(plies / 8 / 5) * 5);
  for (let ply = gap; ply <= plies; ply += gap) picture.append(draw("text", { class: "scale ply", x: x(ply), y: HEIGHT - 6 }, String(ply)));
  for (const run of stretches(rates)) {
    const course = run.map(({ ply, rate }) => `${x(ply)} ${y(rate)}`).join("L");
    picture.append(draw("path", { class: "area", d: `M${x(run[0].ply)} ${y(0)}L${course}L${x(run.at(-1).ply)} ${y(0)}Z` }),
      draw("path", { class: "course", d: `M${course}` }));
  }
  const now = Math.round(x(shown)) + 0.5;
  picture.append(draw("path", { class: "now", d: `M${now} ${EDGE.top}V${HEIGHT - EDGE.bottom}` }));
  marks.forEach((mark, ply) => {
    if (mark && isKnown(rates[ply])) picture.append(draw("circle", { class: `dot ${mark}`, cx: x(ply), cy: y(rates[ply]), r: 4.5 }));
  });
  const strip = plies ? (width - EDGE.left - EDGE.right) / plies : width;
  titles.forEach((title, ply) => picture.append(
    draw("rect", { class: "strip", "data-ply": ply, x: x(ply) - strip / 2, y: 0, width: strip, height: HEIGHT }, draw("title", {}, title))));
  // The slider stays, and keeps the focus.
  let slider = host.querySelector("[role=slider]");
  if (!slider) {
    slider = make("div", { role: "slider", tabindex: "0", "aria-valuemin": "0" });
    host.replaceChildren(slider);
  }
  const rate = rates[shown];
  const values = {
    "aria-label": label, "aria-valuemax": plies, "aria-valuenow": shown,
    "aria-valuetext": `After move ${shown}${isKnown(rate) ? `: black ${percent(rate)}` : ""}`,
  };
  for (const [name, value] of Object.entries(values)) slider.setAttribute(name, value);
  slider.replaceChildren(picture);
}

const isKnown = rate => rate !== null && rate !== undefined;

/** Returns the stretches of known rates, with their plies. */
function stretches(rates) {
  const found = [[]];
  rates.forEach((rate, ply) => {
    if (isKnown(rate)) found.at(-1).push({ ply, rate });
    else if (found.at(-1).length) found.push([]);
  });
  return found.filter(run => run.length);
}
