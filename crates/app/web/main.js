// The page: takes events in, and lets every part show its share.

import * as analysis from "./analysis.js";
import { Board } from "./board.js";
import * as dialogs from "./dialogs.js";
import { byId, show } from "./dom.js";
import * as game from "./game.js";
import * as keys from "./keys.js";
import { listen, onTrouble, send } from "./link.js";
import * as notes from "./notes.js";
import * as review from "./review.js";
import * as setup from "./setup.js";
import * as tabs from "./tabs.js";
import * as theme from "./theme.js";
import { isSamePoint, percent, pointName } from "./words.js";

let state = null;
let thoughts = { analysis: null, players: [null, null] };
let found = null;
/** The point under the pointer or the keyboard, and a line chosen in a list. */
let pointed = null;
let line = null;
let withNumbers = false;

const board = new Board(byId("board"), chosen, point => {
  if (point === pointed || (point && pointed && isSamePoint(point, pointed))) return;
  pointed = point;
  drawMarks();
});

function chosen(point) {
  if (setup.current()) setup.choose(point);
  else if (analysis.isBlocking) send({ do: "block", x: point[0], y: point[1] });
  else if (state && (!state.may_play || !isPlayable(point) || game.mayDrop(state))) send({ do: "play", x: point[0], y: point[1], seen: state.id });
}

/** Returns true if a stone could be played on a point; the program says why it could not. */
const isPlayable = point => ![...stonesShown().map(({ at }) => at), ...state.forbidden].some(other => isSamePoint(other, point));

/** Returns the stones of the position shown. */
const stonesShown = () => [...state.set_up, ...state.moves.slice(0, state.shown).map((stone, i) => ({ ...stone, number: i + 1 }))];

/** Returns what the board shows. */
function model() {
  const stones = setup.current() ?? stonesShown();
  const isSetup = Boolean(setup.current());
  const studied = isSetup ? { candidates: [], marks: {} } : analysis.marks(thoughts);
  const best = tabs.panel === "review" && !state.analysing && !isSetup ? review.best() : null;
  return {
    size: state.size,
    stones,
    numbers: withNumbers,
    five: isSetup ? [] : state.over?.five ?? [],
    toMove: isSetup ? setup.brushColor() : state.to_move,
    isActive: isSetup || state.may_play || analysis.isBlocking,
    candidates: studied.candidates,
    line: isSetup ? null : line ?? pointedLine(studied.candidates),
    marks: isSetup ? {} : {
      ...studied.marks,
      forbidden: state.forbidden,
      blocked: state.blocked,
      hint: state.hint ? [state.hint] : [],
      best: best ? [best] : [],
    },
  };
}

/** Returns the line of the candidate under the pointer. */
function pointedLine(candidates) {
  const candidate = pointed && candidates.find(({ at }) => isSamePoint(at, pointed));
  const thought = candidate && analysis.current(thoughts);
  return thought ? { moves: thought.lines[candidate.rank].moves, toMove: thought.to_move } : null;
}

function drawAll() {
  if (state) board.show(model());
}

function drawMarks() {
  if (state) board.showMarks(model());
}

function showLine(newest) {
  line = newest;
  drawMarks();
}

/** Shows the win rates. */
function drawBar() {
  const share = game.shareOfBlack(state, thoughts, found);
  const bar = byId("bar");
  show(bar, share !== null);
  if (share === null) return;
  bar.querySelector("span").style.width = `${100 * share}%`;
  bar.querySelector("b").textContent = `Black ${percent(share)}`;
  bar.querySelector("i").textContent = `White ${percent(1 - share)}`;
  bar.setAttribute("aria-label", `Win rate: black ${percent(share)}, white ${percent(1 - share)}`);
}

/** Tells screen readers the move that was made, and the status. */
function speak(old) {
  if (!old || (old.id === state.id && game.status(old) === game.status(state))) return;
  const last = state.moves[state.shown - 1];
  const isNew = state.shown !== old.shown || state.moves.length !== old.moves.length;
  const move = last && isNew ? `${last.color} ${pointName(last.at)}. ` : "";
  notes.speak(`${move}${game.status(state)}.`);
}

listen({
  state: newest => {
    const old = state;
    state = newest;
    line = old?.id === state.id ? line : null;
    [game, analysis, setup, dialogs].forEach(part => part.update(state));
    review.update(state, found);
    game.markMistakes(found);
    analysis.updateThoughts(thoughts);
    drawAll();
    drawBar();
    speak(old);
    if (state.hint && !(old?.hint && isSamePoint(state.hint, old.hint))) notes.speak(`Hint: ${pointName(state.hint)}.`);
    if (state.is_analysis_over && !old?.is_analysis_over) notes.speak("The analysis has ended.");
    document.body.dataset.ready = "true";
  },
  thoughts: newest => {
    thoughts = newest;
    if (!state) return;
    analysis.updateThoughts(thoughts);
    game.updateThoughts(thoughts);
    drawMarks();
    drawBar();
  },
  review: newest => {
    if (found?.running && !newest.running && newest.done === newest.total) notes.speak("The review has ended.");
    found = newest;
    if (!state || !found) return;
    review.update(state, found);
    game.markMistakes(found);
    drawAll();
    drawBar();
  },
  note: notes.take,
});

onTrouble(notes.trouble);
game.prepare();
analysis.prepare(showLine, drawAll);
review.prepare(showLine);
setup.prepare(() => {
  // Meanwhile nothing changes the game behind the position that is set up.
  for (const id of ["actions", "tabs", "opening", "moves", "analysis", "review"]) byId(id).inert = Boolean(setup.current());
  drawAll();
});
dialogs.prepare(() => board.picture, notes.tell, setup.cancel);
theme.prepare();
tabs.prepare(() => {
  if (tabs.panel === "moves") game.scrollToShown();
  if (tabs.panel === "notes") notes.scrollToEnd();
  drawAll();
});
keys.prepare(() => board.focus());
byId("numbers").addEventListener("change", event => {
  withNumbers = event.target.checked;
  drawAll();
});

// What cannot be used now may still have the focus.
addEventListener("click", event => {
  if (!event.target.closest?.("[aria-disabled=true]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
