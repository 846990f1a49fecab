// The review: the curve of black's win rate over the game, its mistakes, and better lines.

import { movesList } from "./analysis.js";
import { byId, draw, make, setText, show } from "./dom.js";
import { send } from "./link.js";
import { MISTAKES, percent, pointName } from "./words.js";

const HEIGHT = 150;
const EDGE = { left: 34, right: 8, top: 8, bottom: 18 };

let state = null;
let review = null;
let pointed = () => {};

/** Prepares the buttons. `show` is called with a line to show on the board, or null. */
export function prepare(showLine) {
  pointed = showLine;
  byId("look").addEventListener("click", () => review && send({ do: "review", on: !review.running, time: Number(byId("pace").value) }));
  const curve = byId("curve");
  curve.addEventListener("click", event => event.target.dataset.ply && send({ do: "show", ply: Number(event.target.dataset.ply) }));
  curve.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -1000, End: 1000 }[event.key];
    if (!step || !state) return;
    event.preventDefault();
    send({ do: "show", ply: Math.min(state.moves.length, Math.max(0, state.shown + step)) });
  });
  const found = byId("judgement");
  const over = event => {
    const item = event.target.closest("[data-length]");
    pointed(item ? { moves: found.line.slice(0, Number(item.dataset.length)), toMove: found.toMove } : null);
  };
  found.addEventListener("pointerover", over);
  found.addEventListener("focusin", over);
  found.addEventListener("pointerleave", () => pointed(null));
  found.addEventListener("focusout", () => pointed(null));
  new ResizeObserver(drawCurve).observe(curve);
}

/** Shows the state and the review. */
export function update(newestState, newestReview) {
  [state, review] = [newestState, newestReview];
  if (!state || !review) return;
  const { running, done, total } = review;
  setText(byId("look"), running ? "Stop" : done && done < total ? "Go on" : "Review the game");
  byId("look").disabled = !running && (state.moves.length === 0 || done === total);
  show(byId("progress"), running);
  byId("progress").value = total ? done / total : 0;
  byId("progress").title = `${done} of ${total} positions`;
  drawCurve();
  describe();
}

function drawCurve() {
  const host = byId("curve");
  const width = host.clientWidth;
  show(byId("legend"), Boolean(review?.done));
  if (!review?.done || !width) {
    const text = "Each position of the game is looked at, and every move that throws something away is marked.";
    host.replaceChildren(make("p", { class: "quiet" }, text));
    return;
  }
  const plies = state.moves.length;
  const x = ply => EDGE.left + (plies ? (ply / plies) * (width - EDGE.left - EDGE.right) : 0);
  const y = share => EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom);
  const picture = draw("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" });
  for (const [share, name] of [[1, "100%"], [0.5, "50%"], [0, "0%"]]) {
    const at = Math.round(y(share)) + 0.5;
    picture.append(draw("path", { class: "level", d: `M${EDGE.left} ${at}H${width - EDGE.right}` }),
      draw("text", { class: "scale", x: EDGE.left - 5, y: at }, name));
  }
  const step = Math.max(1, Math.ceil(plies / 8 / 5) * 5);
  for (let ply = step; ply <= plies; ply += step) {
    picture.append(draw("text", { class: "scale ply", x: x(ply), y: HEIGHT - 6 }, String(ply)));
  }
  const known = review.positions.map((position, ply) => position && { ply, black: position.black });
  for (const run of runs(known)) {
    const line = run.map(({ ply, black }) => `${x(ply)} ${y(black)}`).join("L");
    picture.append(draw("path", { class: "area", d: `M${x(run[0].ply)} ${y(0)}L${line}L${x(run.at(-1).ply)} ${y(0)}Z` }),
      draw("path", { class: "course", d: `M${line}` }));
  }
  const now = Math.round(x(state.shown)) + 0.5;
  picture.append(draw("path", { class: "now", d: `M${now} ${EDGE.top}V${HEIGHT - EDGE.bottom}` }));
  review.positions.forEach((position, before) => {
    const after = review.positions[before + 1];
    if (!position?.mistake || !after) return;
    picture.append(draw("circle", { class: `dot ${position.mistake}`, cx: x(before + 1), cy: y(after.black), r: 4.5 }));
  });
  // Each move has a strip to click on.
  const strip = plies ? (width - EDGE.left - EDGE.right) / plies : width;
  for (let ply = 0; ply <= plies; ply++) {
    const share = review.positions[ply]?.black;
    picture.append(draw("rect", { class: "strip", "data-ply": ply, x: x(ply) - strip / 2, y: 0, width: strip, height: HEIGHT },
      draw("title", {}, `Move ${ply}${share === undefined ? "" : `: black ${percent(share)}`}`)));
  }
  const share = review.positions[state.shown]?.black;
  const isFocused = host.firstElementChild === document.activeElement;
  const slider = make("div", {
    role: "slider", tabindex: "0", "aria-label": "Position on the curve of black's chances", "aria-valuemin": "0",
    "aria-valuemax": plies, "aria-valuenow": state.shown,
    "aria-valuetext": `After move ${state.shown}${share === undefined ? "" : `: black's chances ${percent(share)}`}`,
  }, picture);
  host.replaceChildren(slider);
  if (isFocused) slider.focus();
}

/** Returns the stretches without gaps. */
function runs(points) {
  const found = [[]];
  for (const point of points) {
    if (point) found.at(-1).push(point);
    else if (found.at(-1).length) found.push([]);
  }
  return found.filter(run => run.length);
}

/** Says what was found about the position shown and the move that led to it. */
function describe() {
  const host = byId("judgement");
  const { positions } = review;
  const counts = Object.keys(MISTAKES).map(kind => [kind, positions.filter(position => position?.mistake === kind).length]);
  byId("legend").replaceChildren(...counts.map(([kind, count]) =>
    make("span", {}, make("i", { class: `dot ${kind}` }), `${count} ${kind === "inaccuracy" ? (count === 1 ? "inaccuracy" : "inaccuracies") : kind + (count === 1 ? "" : "s")} ${MISTAKES[kind].sign}`)));
  const here = positions[state.shown], before = positions[state.shown - 1];
  const move = state.moves[state.shown - 1];
  const parts = [];
  if (move && before) {
    const name = pointName(move.at);
    const isBest = before.line[0] && pointName(before.line[0]) === name;
    const verdict = before.mistake ? `${/^[aeiou]/.test(before.mistake) ? "an" : "a"} ${before.mistake}` : isBest ? "the best move" : "a good move";
    parts.push(make("p", {}, make("b", {}, `${state.shown}. ${name}`), ` is ${verdict}${before.mistake && here ? `: black ${percent(before.black)} → ${percent(here.black)}` : ""}.`));
    if (before.mistake && before.line.length) {
      const ply = state.shown - 1;
      parts.push(make("p", {}, "Better was ", make("button", { type: "button", class: "link", onclick: () => send({ do: "show", ply }) }, pointName(before.line[0])), "."));
    }
  }
  host.line = here?.line ?? [];
  host.toMove = state.to_move;
  if (here) {
    parts.push(make("p", {}, `Black's chances: ${percent(here.black)}${here.depth ? `, by depth ${here.depth}` : ""}.`));
    if (here.line.length) parts.push(make("p", { class: "best" }, `Best for ${state.to_move}: `, movesList(here.line)));
  }
  const key = parts.map(part => part.textContent).join();
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  host.replaceChildren(...parts);
}

/** Returns the best move of the position shown, if the review has it. */
export function best() {
  const line = review?.positions[state?.shown]?.line;
  return line?.length ? line[0] : null;
}

/** Returns the mistake that led to the position shown. */
export const lastMistake = () => review?.positions[state?.shown - 1]?.mistake ?? null;
