// The review: the curve of black's win rate over the game, its mistakes, a summary of each side, and better lines.

import { movesList } from "./analysis.js";
import { byId, draw, enable, hasModifier, make, setText, show } from "./dom.js";
import { nameOf, overText } from "./game.js";
import { send } from "./link.js";
import { blackShare, exactPercent, moveName, percent, say, seconds, SIGNS } from "./words.js";

const COLORS = ["black", "white"];
/** Height and edges of the curve, in pixels. */
const HEIGHT = 150;
const EDGE = { left: 40, right: 8, top: 8, bottom: 18 };

let state = null;
let review = null;

/** Prepares the buttons. */
export function prepare() {
  byId("look").addEventListener("click", () => review && send({ do: "review", on: !review.running, time: Number(byId("pace").value) }));
  byId("mark-back").addEventListener("click", () => goToMark(-1));
  byId("mark-next").addEventListener("click", () => goToMark(1));
  for (const option of byId("pace").options) setText(option, seconds(option.value));
  const curve = byId("curve");
  curve.addEventListener("click", event => event.target.dataset.ply && send({ do: "show", ply: Number(event.target.dataset.ply) }));
  curve.addEventListener("keydown", event => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -1000, End: 1000 }[event.key];
    if (!step || !state || hasModifier(event)) return;
    event.preventDefault();
    send({ do: "show", ply: Math.min(state.moves.length, Math.max(0, state.shown + step)) });
  });
  new ResizeObserver(renderCurve).observe(curve);
}

/** Shows the state and the review. */
export function update(newestState, newestReview) {
  [state, review] = [newestState, newestReview];
  if (!state || !review) return;
  const { running, done, total } = review;
  setText(byId("look"), running ? say("stop") : done && done < total ? say("go_on") : done ? say("review_again") : say("review_game"));
  enable(byId("look"), running || state.moves.length > 0);
  show(byId("progress"), running);
  byId("progress").value = total ? done / total : 0;
  byId("progress").title = say("progress", { done, total });
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

/** Draws the curve of black's win rate with its mistakes, a line at the position shown, and a strip to click on for each move. */
function renderCurve() {
  const host = byId("curve");
  if (!review?.done || !host.clientWidth) {
    host.replaceChildren(make("p", { class: "quiet" }, say("review_empty")));
    return;
  }
  const plies = state.moves.length, { shown } = state, width = host.clientWidth;
  const rates = Array.from({ length: plies + 1 }, (_, ply) => blackShare(review.positions[ply]));
  const x = ply => EDGE.left + (plies ? (ply / plies) * (width - EDGE.left - EDGE.right) : 0);
  const y = share => EDGE.top + (1 - share) * (HEIGHT - EDGE.top - EDGE.bottom);
  const picture = draw("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" });
  for (const share of [1, 0.5, 0]) {
    const at = Math.round(y(share)) + 0.5;
    picture.append(draw("path", { class: "level", d: `M${EDGE.left} ${at}H${width - EDGE.right}` }),
      draw("text", { class: "scale", x: EDGE.left - 5, y: at }, percent(share)));
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
  rates.forEach((rate, ply) => {
    if (severity(ply)) picture.append(draw("circle", { class: `dot ${severity(ply)}`, cx: x(ply), cy: y(rate), r: 4.5 }));
  });
  const strip = plies ? (width - EDGE.left - EDGE.right) / plies : width;
  rates.forEach((rate, ply) => picture.append(
    draw("rect", { class: "strip", "data-ply": ply, x: x(ply) - strip / 2, y: 0, width: strip, height: HEIGHT },
      draw("title", {}, withRate(ply ? say("curve_point", { number: ply, move: moveName(state.moves[ply - 1]) }) : say("curve_start"), rate)))));
  // The slider stays, and keeps the focus.
  let slider = host.querySelector("[role=slider]");
  if (!slider) {
    slider = make("div", { role: "slider", tabindex: "0", "aria-valuemin": "0" });
    host.replaceChildren(slider);
  }
  const rate = rates[shown];
  const values = {
    "aria-label": say("curve"), "aria-valuemax": plies, "aria-valuenow": shown,
    "aria-valuetext": withRate(say("after_move", { number: shown }), rate),
  };
  for (const [name, value] of Object.entries(values)) slider.setAttribute(name, value);
  slider.replaceChildren(picture);
}

/** Returns a place of the curve with black's win rate there. */
const withRate = (place, rate) => (rate === null ? place : `${place}: ${say("curve_black", { share: percent(rate) })}`);

/** Returns the stretches of known rates, with their plies. */
function stretches(rates) {
  const found = [[]];
  rates.forEach((rate, ply) => {
    if (rate !== null) found.at(-1).push({ ply, rate });
    else if (found.at(-1).length) found.push([]);
  });
  return found.filter(run => run.length);
}

/** Shows what the moves of each side were worth. */
function renderSides() {
  show(byId("sides"), review.done > 0);
  byId("sides").tBodies[0].replaceChildren(...COLORS.map((color, i) => {
    const { moves, best, inaccuracy, mistake, blunder, missed_wins: missed, allowed_wins: allowed, average_loss: loss } = review.summary[color];
    const name = nameOf(state.players[i]);
    const cells = [moves ? `${best}/${moves}` : "–", inaccuracy, mistake, blunder, missed, allowed, moves ? exactPercent(loss) : "–"];
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
    const name = say("curve_point", { number: ply, move: moveName(move) });
    if (here.played) {
      const { by, severity: kind, is_best: isBest, win_rate_before: was, win_rate_after: is } = here.played;
      parts.push(make("p", {}, make("b", {}, say("move_is", { move: name, verdict: verdictText(here.played) })), " ", kind ? make("span", { class: `sign ${kind}` }, SIGNS[kind]) : null),
        make("p", { class: "quiet" }, say("rates", { which: by, before: percent(was), after: percent(is) })));
      if (!isBest && before?.pv) parts.push(make("p", { class: "best" }, kind ? say("better_was") : say("best_was"), lineAfter(ply - 1)));
    } else parts.push(make("p", {}, make("b", {}, name)));
  }
  if (here?.over) parts.push(make("p", {}, make("b", {}, `${overText(here)}.`)));
  if (here?.pv) {
    const value = [valueText(here), here.depth ? say("depth", { depth: here.depth }) : ""].filter(Boolean).join("; ");
    parts.push(make("p", { class: "best" }, say("best_for", { which: here.to_move }), lineAfter(ply)), make("p", { class: "quiet" }, `${value}.`));
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

/** Returns the best line after so many moves as buttons. */
const lineAfter = ply => movesList({ ply, moves: review.positions[ply].pv, toMove: review.positions[ply].to_move });

/** Returns what a move was. */
function verdictText({ is_best: isBest, severity, marks }) {
  const [isFoul, misses, allows] = ["foul", "missed_win", "allowed_win"].map(mark => marks.includes(mark));
  const grade = marks.find(mark => SIGNS[mark]) ?? (isBest ? "best" : severity ? "move" : "good");
  const verdict = say("verdict", { which: grade });
  if (isFoul) return say("verdict_foul", { verdict });
  if (misses) return allows ? say("verdict_both", { verdict }) : say("verdict_misses", { verdict });
  return allows ? say("verdict_allows", { verdict }) : verdict;
}

/** Returns what a position is worth: who is proven to win, or the win rate and the score. */
function valueText({ to_move: side, win_rate: rate, win_in: win, loss_in: loss, score }) {
  const plies = win ?? loss;
  if (plies === undefined) {
    const parts = [say("win_rate_of", { which: side, share: percent(rate) })];
    if (score !== undefined) parts.push(say("score", { score: score > 0 ? `+${score}` : score }));
    return parts.join(", ");
  }
  const winner = win === undefined ? COLORS.find(color => color !== side) : side;
  const wins = say("wins", { which: winner }), count = Math.ceil(plies / 2);
  return count ? say("wins_in", { wins, count }) : wins;
}

/** Returns what the board shows of the position: its best move, and the one that was better than the last. */
export function marks() {
  const { pv, to_move: toMove, win_rate: rate, played } = review?.positions[state?.shown] ?? {};
  if (!pv) return { candidates: [], marks: {} };
  const better = played?.severity && played.best !== pv[0] ? [played.best] : [];
  return { candidates: [{ at: pv[0], rate, rank: 0, line: pv, label: say("best_move_for", { which: toMove }) }], marks: { better } };
}
