// The review: the curve of black's win rate over the game, its mistakes, a summary of each side, and better lines.

import { movesList } from "./analysis.js";
import { drawCurve } from "./curve.js";
import { byId, enable, make, setText, show } from "./dom.js";
import { send } from "./link.js";
import { blackShare, capital, moveName, percent, SIGNS } from "./words.js";

const COLORS = ["black", "white"];

let state = null;
let review = null;

/** Prepares the buttons. `showLine` is called with a line to show on the board, or null. */
export function prepare(showLine) {
  byId("look").addEventListener("click", () => review && send({ do: "review", on: !review.running, time: Number(byId("pace").value) }));
  byId("mark-back").addEventListener("click", () => goToMark(-1));
  byId("mark-next").addEventListener("click", () => goToMark(1));
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
    const ply = Number(item?.dataset.ply), position = item && review.positions[ply];
    showLine(position ? { ply, moves: position.pv.slice(0, Number(item.dataset.length)), toMove: position.to_move } : null);
  };
  found.addEventListener("pointerover", over);
  found.addEventListener("focusin", over);
  found.addEventListener("pointerleave", () => showLine(null));
  found.addEventListener("focusout", () => showLine(null));
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
  enable(byId("mark-back"), markFrom(-1) !== null);
  enable(byId("mark-next"), markFrom(1) !== null);
  renderCurve();
  renderSides();
  describe();
}

const severity = ply => review.positions[ply]?.played?.severity;

/** Returns the next marked move in a direction, or null. */
function markFrom(step) {
  for (let ply = state.shown + step; ply >= 0 && ply <= state.moves.length; ply += step) if (severity(ply)) return ply;
  return null;
}

function goToMark(step) {
  const ply = state && review ? markFrom(step) : null;
  if (ply !== null) send({ do: "show", ply });
}

function renderCurve() {
  const host = byId("curve");
  if (!review?.done || !host.clientWidth) {
    const text = "Each position of the game is looked at, and every move that throws something away is marked.";
    host.replaceChildren(make("p", { class: "quiet" }, text));
    return;
  }
  const plies = state.moves.length;
  const rates = Array.from({ length: plies + 1 }, (_, ply) => blackShare(review.positions[ply]));
  drawCurve({
    plies, rates, shown: state.shown,
    marks: rates.map((_, ply) => severity(ply)),
    titles: rates.map((rate, ply) => `${ply}. ${ply ? moveName(state.moves[ply - 1]) : "start"}${rate === null ? "" : `: black ${percent(rate)}`}`),
    label: "Position on the curve of black's win rate",
  });
}

/** Shows what the moves of each side were worth. */
function renderSides() {
  show(byId("sides"), review.done > 0);
  byId("sides").tBodies[0].replaceChildren(...COLORS.map((color, i) => {
    const { moves, best, inaccuracy, mistake, blunder, missed_wins: missed, allowed_wins: allowed, average_loss: loss } = review.summary[color];
    const { name } = state.players[i];
    const cells = [moves ? `${best}/${moves}` : "–", inaccuracy, mistake, blunder, missed, allowed, moves ? `${(100 * loss).toFixed(1)}%` : "–"];
    return make("tr", {}, make("th", { scope: "row", title: name }, make("span", { class: `stone ${color}` }), name),
      ...cells.map(text => make("td", {}, String(text))));
  }));
}

/** Says what was found about the position shown and the move that led to it. */
function describe() {
  const host = byId("judgement");
  const ply = state.shown, move = state.moves[ply - 1];
  const here = review.positions[ply], before = review.positions[ply - 1];
  const parts = [];
  if (move && here) {
    const name = make("b", {}, `${ply}. ${moveName(move)}`);
    if (here.played) {
      const { by, verdict, severity: kind, is_best: isBest, win_rate_before: was, win_rate_after: is } = here.played;
      parts.push(make("p", {}, name, ` is ${verdict} `, kind ? make("span", { class: `sign ${kind}` }, SIGNS[kind]) : null),
        make("p", { class: "quiet" }, `Win rate of ${by}: ${percent(was)} before, ${percent(is)} after.`));
      if (!isBest && before?.pv) parts.push(make("p", { class: "best" }, kind ? "Better was" : "Best was", movesList(before.pv, ply - 1)));
    } else parts.push(make("p", {}, name));
  }
  if (here?.over) parts.push(make("p", {}, make("b", {}, `${here.text}.`)));
  if (here?.pv) {
    parts.push(make("p", { class: "best" }, `Best for ${here.to_move}`, movesList(here.pv, ply)),
      make("p", { class: "quiet" }, `${capital(valueText(here))}${here.depth ? `; depth ${here.depth}` : ""}.`));
  }
  if (here?.comment) parts.push(make("p", { class: "comment" }, here.comment));
  const key = parts.map(part => part.textContent).join();
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  const hadFocus = host.contains(document.activeElement);
  host.replaceChildren(...parts);
  // The focus stays here, or moves to the curve.
  if (hadFocus) (host.querySelector("button") ?? byId("curve").querySelector("[role=slider]"))?.focus();
}

/** Returns what a position is worth: who is proven to win, or the win rate and the score. */
function valueText({ to_move: side, win_rate: rate, win_in: win, loss_in: loss, score }) {
  const plies = win ?? loss;
  if (plies === undefined) return `win rate of ${side} ${percent(rate)}${score === undefined ? "" : `, score ${score > 0 ? "+" : ""}${score}`}`;
  const winner = win === undefined ? COLORS.find(color => color !== side) : side;
  const moves = Math.ceil(plies / 2);
  return `${winner} wins${moves ? ` in ${moves} move${moves === 1 ? "" : "s"}` : ""}`;
}

/** Returns what the board shows of the position: its best move, and the one that was better than the last. */
export function marks() {
  const { pv, to_move: toMove, win_rate: rate, played } = review?.positions[state?.shown] ?? {};
  if (!pv) return { candidates: [], marks: {} };
  const better = played?.severity && played.best !== pv[0] ? [played.best] : [];
  return { candidates: [{ at: pv[0], rate, rank: 0, line: pv, label: `best move for ${toMove}` }], marks: { better } };
}
