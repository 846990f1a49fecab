// The review: the curve of black's win rate over the game, its mistakes, and better lines.

import { movesList } from "./analysis.js";
import { drawCurve } from "./curve.js";
import { byId, enable, make, setText, show } from "./dom.js";
import { send } from "./link.js";
import { capital, MISTAKES, percent, pointName } from "./words.js";

let state = null;
let review = null;
let pointed = () => {};

/** Prepares the buttons. `showLine` is called with a line to show on the board, or null. */
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
  new ResizeObserver(renderCurve).observe(curve);
}

/** Shows the state and the review. */
export function update(newestState, newestReview) {
  [state, review] = [newestState, newestReview];
  if (!state || !review) return;
  const { running, done, total } = review;
  setText(byId("look"), running ? "Stop" : done && done < total ? "Go on" : done ? "Review again" : "Review the game");
  enable(byId("look"), running || state.moves.length > 0);
  show(byId("progress"), running);
  byId("progress").value = total ? done / total : 0;
  byId("progress").title = `${done} of ${total} positions`;
  renderCurve();
  describe();
}

function renderCurve() {
  const host = byId("curve");
  show(byId("legend"), Boolean(review?.done));
  if (!review?.done || !host.clientWidth) {
    const text = "Each position of the game is looked at, and every move that throws something away is marked.";
    host.replaceChildren(make("p", { class: "quiet" }, text));
    return;
  }
  const plies = state.moves.length;
  const rates = Array.from({ length: plies + 1 }, (_, ply) => review.positions[ply]?.black ?? null);
  drawCurve({
    plies, rates, shown: state.shown,
    marks: rates.map((_, ply) => review.positions[ply - 1]?.mistake),
    titles: rates.map((rate, ply) => `Move ${ply}${rate === null ? "" : `: black ${percent(rate)}`}`),
    label: "Position on the curve of black's win rate",
  });
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
    const { verdict } = before;
    if (verdict) parts.push(make("p", {}, make("b", {}, `${state.shown}. ${name}`), ` is ${verdict}${before.mistake && here ? `: black ${percent(before.black)} → ${percent(here.black)}` : ""}.`));
    if (before.mistake && before.line.length) {
      const ply = state.shown - 1;
      parts.push(make("p", {}, "Better was ", make("button", { type: "button", class: "link", onclick: () => send({ do: "show", ply }) }, pointName(before.line[0])), "."));
    }
  }
  host.line = here?.line ?? [];
  host.toMove = state.to_move;
  if (here) {
    parts.push(make("p", {}, here.proof ? `${capital(here.proof)}.` : `Black's win rate: ${percent(here.black)}${here.depth ? `, by depth ${here.depth}` : ""}.`));
    if (here.line.length) parts.push(make("p", { class: "best" }, `Best for ${state.to_move}: `, movesList(here.line)));
  }
  const key = parts.map(part => part.textContent).join();
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(...parts);
  // The focus stays here, or moves to the curve.
  if (hadFocus) (host.querySelector("button") ?? byId("curve").querySelector("[role=slider]"))?.focus();
}

/** Returns the best move of the position shown, if the review has it. */
export function best() {
  const line = review?.positions[state?.shown]?.line;
  return line?.length ? line[0] : null;
}
