// The tree of the game: its variations, and the comment, labels and marks of the position shown.

import { byId, enable, make } from "./dom.js";
import { isReport, send } from "./link.js";
import * as tabs from "./tabs.js";
import { parsePoint, say } from "./words.js";

/** The pause in writing after which a comment is sent, in milliseconds. */
const PAUSE = 400;

let state = null;
let timer = 0;

/** Returns what a click on the board marks a point with, where the choice is seen; "" where it plays. */
export const brush = () => (tabs.panel === "moves" ? byId("brush").value : "");

/** Prepares the controls. `changed` is called when a click on the board has another meaning. */
export function prepare(changed) {
  byId("brush").addEventListener("change", changed);
  byId("promote").addEventListener("click", () => send({ do: "promote" }));
  byId("remove").addEventListener("click", () => {
    const { deletes: count } = state;
    if (count === 1 || confirm(say("may_delete", { count }))) send({ do: "remove" });
  });
  byId("comment").addEventListener("change", sendComment);
  byId("comment").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(sendComment, PAUSE);
  });
  // What is sent at "pagehide" does not arrive.
  addEventListener("beforeunload", sendComment);
}

/** Sends the comment if it has changed. */
async function sendComment() {
  const { value, dataset } = byId("comment"), { place } = dataset;
  if (!place || value === dataset.kept) return;
  dataset.kept = value;
  const isKept = await send({ do: "comment", ...JSON.parse(place), text: value });
  if (!isKept && dataset.place === place) delete dataset.kept;
}

/** Shows the state. */
export function update(newest) {
  state = newest;
  if (isReport) return;
  const { shown, opening, running, keeps_moves: keepsMoves, notes, tree, node } = state;
  const canChange = shown > 0 && !opening && (keepsMoves || !running);
  ["promote", "remove"].forEach(id => enable(byId(id), canChange));
  const comment = byId("comment"), place = JSON.stringify({ tree, node });
  const isUnsent = comment === document.activeElement || comment.dataset.kept === undefined;
  if (isUnsent && comment.dataset.place === place) return;
  // What was being written belongs to the position before.
  if (isUnsent) sendComment();
  comment.dataset.place = place;
  comment.value = comment.dataset.kept = notes?.comment ?? "";
}

/** Marks a point of the position shown with the brush, or clears it. */
export function mark(point) {
  const { tree, node, notes } = state, { labels = [], marks = [] } = notes ?? {};
  const isMarked = [...labels, ...marks].some(([at]) => at === point);
  const used = new Set(labels.map(([, text]) => text));
  const letter = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find(text => !used.has(text)) ?? "?";
  const [x, y] = parsePoint(point);
  const [kind, label] = isMarked ? [null, null] : brush() === "letter" ? [null, letter] : [brush(), null];
  send({ do: "mark", tree, node, x, y, mark: kind, label });
}

/** Returns the moves of the tree beside the one after so many moves, as buttons that show them. */
export const branches = ({ branches: all }, ply) => (all?.[ply] ?? []).map(({ node, at, color }) =>
  make("button", { class: "branch", "aria-label": say("variation", { which: color, move: at }), onclick: () => send({ do: "go_to", node }) }, at));

/** Shows the variation beside the move shown that is next in a direction, around; false where there is none. */
export function showBeside(step) {
  const beside = state?.branches?.[state.shown - 1] ?? [];
  const around = [...beside.filter(({ is_before: isBefore }) => !isBefore), ...beside.filter(({ is_before: isBefore }) => isBefore)];
  if (around.length) send({ do: "go_to", node: around.at(step > 0 ? 0 : -1).node });
  return around.length > 0;
}

/** Returns the moves of the tree after the position shown, if there are several. */
export function next({ branches: all, moves, shown }) {
  const beside = (all?.[shown] ?? []).map(({ at }) => at);
  return beside.length ? [...beside, moves[shown]?.at].filter(Boolean) : [];
}
