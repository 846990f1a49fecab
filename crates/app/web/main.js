// The page: takes events in, and lets every part show its share.

import * as analysis from "./analysis.js";
import { Board } from "./board.js";
import * as dialogs from "./dialogs.js";
import { byId, make, recall, remember, rememberCheck, show } from "./dom.js";
import * as game from "./game.js";
import * as keys from "./keys.js";
import { listen, send } from "./link.js";
import * as notes from "./notes.js";
import * as review from "./review.js";
import * as setup from "./setup.js";
import * as sound from "./sound.js";
import * as tabs from "./tabs.js";
import * as theme from "./theme.js";
import * as tree from "./tree.js";
import { fillPage, LANGUAGES, language, moveName, parsePoint, percent, say } from "./words.js";

fillPage();
let state = null;
let thoughts = { analysis: null, players: [null, null] };
let found = null;
/** The point under the pointer or the keyboard, and a line chosen in a list. */
let pointed = null;
let line = null;
/** How the board is seen: see words.js. */
let view = Number(recall("view") ?? 0);

const board = new Board(byId("board"), chosen, point => {
  if (point === pointed) return;
  pointed = point;
  drawMarks();
});

function chosen(point) {
  const [x, y] = parsePoint(point);
  if (setup.current()) setup.choose(point);
  else if (tree.brush()) tree.mark(point);
  else if (analysis.excludes()) send({ do: "exclude", x, y });
  else if (state && (!state.may_play || !isPlayable(point) || game.mayDrop(state))) {
    sound.expect(point);
    send({ do: "play", x, y, seen: state.id });
  }
}

/** Returns true if a stone could be played on a point; the program says why it could not. */
const isPlayable = point => ![...stonesAt(state.shown).map(({ at }) => at), ...state.forbidden].includes(point);

/** Returns the stones after so many moves, some of which may set up a position. */
function stonesAt(ply) {
  const moves = state.moves.slice(0, ply).map((move, i) => ({ ...move, number: i + 1 }));
  const start = moves.findLastIndex(({ stones }) => stones);
  return [...(moves[start]?.stones ?? state.set_up), ...moves.slice(start + 1).filter(({ at }) => at)];
}

/** Returns what the board shows. */
function model() {
  const isSetup = Boolean(setup.current());
  const isReview = tabs.panel === "review" && !state.analysing;
  const studied = isSetup ? { candidates: [], marks: {} } : isReview ? review.marks() : analysis.marks(thoughts);
  const lineShown = isSetup ? null : line ?? pointedLine(studied.candidates);
  const ply = lineShown?.ply ?? state.shown;
  return {
    id: state.id,
    size: state.size,
    rows: state.rows,
    view,
    stones: setup.current() ?? stonesAt(ply),
    numbers: byId("numbers").checked,
    five: isSetup || lineShown ? [] : state.over?.five ?? [],
    toMove: isSetup ? setup.brushColor() : state.to_move,
    isActive: isSetup || state.may_play || analysis.excludes() || Boolean(tree.brush()),
    fouls: state.fouls,
    notes: isSetup || lineShown ? null : state.notes,
    candidates: studied.candidates,
    line: lineShown,
    marks: isSetup || ply !== state.shown ? {} : {
      ...studied.marks,
      ...(byId("threats").checked && threats()),
      next: state.opening ? [] : tree.next(state),
      offered: state.opening?.offered ?? [],
      forbidden: state.forbidden,
      excluded: state.excluded,
      hint: state.hint,
    },
  };
}

/** Returns the marks of what either side threatens. */
function threats() {
  const [black, white] = state.threats ?? [[[], []], [[], []]];
  return { "threat black-five": black[0], "threat black-four": black[1], "threat white-five": white[0], "threat white-four": white[1] };
}

/** Returns the line of the candidate under the pointer. */
function pointedLine(candidates) {
  const candidate = pointed && candidates.find(({ at }) => at === pointed);
  return candidate ? { moves: candidate.line, toMove: state.to_move } : null;
}

function drawAll() {
  if (state) board.show(model());
}

function drawMarks() {
  if (state) board.showMarks(model());
}

function showLine(newest) {
  line = newest;
  drawAll();
}

/** Shows the win rates. */
function drawBar() {
  const share = setup.current() ? null : game.shareOfBlack(state, thoughts, found);
  const bar = byId("bar");
  show(bar, share !== null);
  if (share === null) return;
  bar.querySelector("span").style.width = `${100 * share}%`;
  const [black, white] = [percent(share), percent(1 - share)];
  bar.querySelector("b").textContent = say("share_of", { which: "black", share: black });
  bar.querySelector("i").textContent = say("share_of", { which: "white", share: white });
  bar.setAttribute("aria-label", say("win_rates", { black, white }));
}

/** Ends what a click on the board did when another game has taken the place of the one before. */
function replaced() {
  setup.cancel();
  byId("brush").value = "";
  drawAll();
}

/** Tells screen readers the move that was made, and the status. */
function speak(old) {
  if (!old || (old.id === state.id && game.status(old) === game.status(state))) return;
  const last = state.moves[state.shown - 1];
  const isNew = state.shown !== old.shown || state.moves.length !== old.moves.length || last?.at !== old.moves[old.shown - 1]?.at;
  const move = last && isNew ? say("spoken_move", { which: last.color ?? "none", move: moveName(last) }) : "";
  notes.speak(`${move} ${game.status(state)}.`);
}

listen({
  state: newest => {
    const old = state;
    state = newest;
    line = old?.id === state.id ? line : null;
    [game, analysis, setup, dialogs, tree].forEach(part => part.update(state));
    review.update(state, found);
    game.markMistakes(found);
    analysis.updateThoughts(thoughts);
    drawAll();
    drawBar();
    speak(old);
    sound.update(old, state);
    if (state.hint.length && state.hint[0] !== old?.hint[0]) notes.speak(say("spoken_hint", { move: state.hint[0] }));
    if (state.is_analysis_over && !old?.is_analysis_over) notes.speak(say("analysis_ended"));
    if (!old) dialogs.openLink();
    document.body.dataset.ready = "true";
    document.body.dataset.position = state.id;
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
    if (found?.running && !newest.running && newest.done === newest.total) notes.speak(say("review_ended"));
    found = newest;
    if (!state || !found) return;
    review.update(state, found);
    game.markMistakes(found);
    drawAll();
    drawBar();
  },
  note: notes.take,
  trouble: notes.trouble,
});

game.prepare();
analysis.prepare(showLine, drawAll);
review.prepare();
tree.prepare(drawAll);
setup.prepare(() => {
  // Meanwhile nothing changes the game behind the position that is set up.
  for (const id of ["actions", "tabs", "opening", "moves", "analysis", "review"]) byId(id).inert = Boolean(setup.current());
  drawAll();
  if (state) drawBar();
});
dialogs.prepare(() => board.picture, replaced);
theme.prepare();
tabs.prepare(() => {
  if (tabs.panel === "moves") game.scrollToShown();
  if (tabs.panel === "notes") notes.scrollToEnd();
  drawAll();
});
keys.prepare(() => board.focus());
byId("language").append(...Object.entries(LANGUAGES).map(([name, words]) => make("option", { value: name, lang: name }, words.language)));
byId("language").value = language;
byId("language").addEventListener("change", ({ target }) => {
  remember("language", target.value);
  location.reload();
});
rememberCheck("threats", drawAll);
rememberCheck("numbers", drawAll);
rememberCheck("sounds");
const seeFrom = newest => {
  view = newest;
  remember("view", view);
  drawAll();
};
byId("turn").addEventListener("click", () => seeFrom(view - (view % 4) + ((view + 1) % 4)));
byId("mirror").addEventListener("click", () => seeFrom((view + 4) % 8));

// What cannot be used now may still have the focus.
addEventListener("click", event => {
  if (!event.target.closest?.("[aria-disabled=true]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
