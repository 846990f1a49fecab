// The analysis: its buttons, the best lines, and how far it came.

import { byId, enable, make, setText, show } from "./dom.js";
import { send } from "./link.js";
import * as tabs from "./tabs.js";
import { parsePoint, percent, say, seconds, short, withKey } from "./words.js";

/** Moves of a line that are listed. */
const LENGTH = 14;

let state = null;
let isExcluding = false;

/** Returns true while a click on the board excludes a move: where that is seen. */
export const excludes = () => isExcluding && tabs.panel === "analysis";

/**
 * Prepares the buttons. `showLine` is called with a line of a list to show on the board, or null, `changed` when a
 * click on the board has another meaning.
 */
export function prepare(showLine, changed) {
  const lines = byId("lines");
  byId("analyse").addEventListener("click", () => state && send({ do: "analyse", on: !state.analysing, lines: Number(lines.value) }));
  lines.addEventListener("change", () => state?.analysing && send({ do: "analyse", on: true, lines: Number(lines.value) }));
  byId("exclude").addEventListener("click", () => {
    setExcluding(!isExcluding);
    changed();
  });
  byId("allow-all").addEventListener("click", () => send({ do: "allow_all" }));
  const over = ({ target }) => {
    const length = target.closest("[data-length]")?.dataset.length, { line } = target.parentElement;
    showLine(length ? { ...line, moves: line.moves.slice(0, length) } : null);
  };
  for (const list of [byId("thoughts"), byId("judgement")]) {
    for (const kind of ["pointerover", "focusin"]) list.addEventListener(kind, over);
    for (const kind of ["pointerleave", "focusout"]) list.addEventListener(kind, () => showLine(null));
  }
}

function setExcluding(isOn) {
  isExcluding = isOn;
  byId("exclude").setAttribute("aria-pressed", isOn);
}

/** Shows the state. */
export function update(newest) {
  state = newest;
  const { analysing, engines, excluded, lines } = state;
  setText(byId("analyse"), analysing ? say("stop") : say("analyse"));
  const cannot = engines[0].can_analyse === false;
  const canExclude = !cannot && analysing;
  enable(byId("exclude"), canExclude);
  byId("lines").disabled = cannot;
  // Another page may have chosen the number of lines.
  if (analysing) byId("lines").value = lines;
  byId("exclude").title = cannot ? say("cannot_exclude", { name: engines[0].name }) : withKey(say("exclude_title"), "x");
  if (!canExclude) setExcluding(false);
  show(byId("allow-all"), excluded.length > 0);
}

/** Returns the thought about the position shown, if there is one. */
export const current = thoughts => (thoughts?.analysis && state?.id === thoughts.analysis.id ? thoughts.analysis : null);

/** Shows what is thought. */
export function updateThoughts(thoughts) {
  const thought = current(thoughts);
  const list = byId("thoughts");
  if (!thought) {
    const running = () => (state.over ? say("over_here") : state.is_analysis_over ? say("analysis_ended") : say("analysis_begins"));
    setText(byId("depth"), state?.analysing ? running() : say("analysis_empty"));
    show(byId("few"), false);
    if (list.childElementCount) list.replaceChildren();
    return;
  }
  const { depth, selective_depth: deepest, nodes, speed, time, engine } = thought;
  const parts = [engine, depth ? say("depth", { depth: deepest > depth ? `${depth}–${deepest}` : depth }) : "", nodes ? say("nodes", { nodes: short(nodes) }) : "",
    speed ? `${short(speed)}/s` : "", time ? seconds(time) : "", state.is_analysis_over ? say("ended") : ""];
  setText(byId("depth"), parts.filter(Boolean).join(" · "));
  show(byId("few"), doOthersLose(thought));
  while (list.childElementCount > thought.lines.length) list.lastElementChild.remove();
  thought.lines.forEach((line, i) => {
    const old = list.children[i];
    const key = `${line.pv.join(" ")} ${line.text} ${line.depth}`;
    if (old?.dataset.key === key) return;
    const item = make("li", { "data-key": key },
      make("span", { class: "share" }, line.win_rate === undefined ? "–" : percent(line.win_rate)),
      make("span", { class: "value", title: say("engine_value") }, line.text),
      movesList({ ply: state.shown, moves: line.pv.slice(0, LENGTH), toMove: thought.to_move }));
    // The keyboard stays where it is, or goes to the last button of a line that is shorter now.
    const at = old?.querySelector(":focus");
    if (old) old.replaceWith(item);
    else list.append(item);
    if (at) (item.querySelector(`[data-length="${at.dataset.length}"]`) ?? item.querySelector(".keep")).focus();
  });
}

/** Returns true if there are fewer lines than asked for because only these answer a five or an open four. */
function doOthersLose({ to_move: toMove, depth, lines }) {
  const [black, white] = state.threats;
  const [own, theirs] = toMove === "black" ? [black, white] : [white, black];
  return depth > 0 && lines.length < state.lines && state.engines[0].can_analyse && !own[0].length && theirs.flat().length > 0;
}

/** Returns the moves of a line as buttons; each one shows the line from a position of the game as far as itself. */
export function movesList(line) {
  const { ply, moves } = line;
  const list = make("span", { class: "line" }, ...moves.map((move, i) =>
    make("button", { type: "button", "data-length": i + 1, "aria-label": say("line_move", { move, number: i + 1 }) }, move)),
  make("button", { type: "button", class: "keep live", title: say("keep_line"), "aria-label": say("keep_line"),
    onclick: () => send({ do: "add_line", ply, moves: moves.map(parsePoint) }) }, "+"));
  list.line = line;
  return list;
}

/** Returns what the board shows of the thought: candidates and marks. */
export function marks(thoughts) {
  const thought = current(thoughts);
  if (!thought) return { candidates: [], marks: {} };
  const candidates = thought.lines.map(({ pv, win_rate: rate = null, text }, rank) => {
    const label = say("candidate", { number: rank + 1, value: rate === null ? text : percent(rate) });
    return { at: pv[0], rate, rank, text, line: pv, label };
  });
  const seen = new Set(candidates.map(({ at }) => at));
  const without = points => points.filter(point => !seen.has(point));
  return {
    candidates,
    marks: { losing: without(thought.losing), searching: state.analysing ? without(thought.searching) : [] },
  };
}
