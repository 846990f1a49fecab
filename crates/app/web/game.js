// Players, clocks, status, the list of moves, and the buttons of the game.

import { byId, enable, make, setText, show } from "./dom.js";
import { isReport, send } from "./link.js";
import { branches } from "./tree.js";
import { blackShare, clockText, moveName, ofBlack, percent, say, seconds, SIGNS } from "./words.js";

const COLORS = ["black", "white"];
/** When the state came, from which on clocks are counted here. */
let since = 0;
let shown = null;

/** Prepares the buttons. */
export function prepare() {
  const on = (id, command) => byId(id).addEventListener("click", () => shown && send(command()));
  on("undo", () => ({ do: "undo" }));
  on("redo", () => ({ do: "redo" }));
  on("hint", () => ({ do: "hint" }));
  on("now", () => ({ do: "move_now" }));
  on("first", () => ({ do: "show", ply: 0 }));
  on("previous", () => ({ do: "show", ply: Math.max(0, shown.shown - 1) }));
  on("next", () => ({ do: "show", ply: shown.shown + 1 }));
  on("last", () => ({ do: "show", ply: shown.moves.length }));
  on("run", () => ({ do: "run", on: !shown.running, seen: shown.id }));
  byId("resign").addEventListener("click", () => shown && confirm(say("may_resign")) && send({ do: "resign" }));
  setInterval(tick, 100);
}

/** Asks before moves are dropped that nothing brings back; a move taken back and its answer may go. */
export const mayDrop = ({ drops: count, keeps_moves: keepsMoves }) => keepsMoves || count <= 2 || confirm(say("may_drop", { count }));

/** Asks before another game takes the place of one that is not saved. */
export const mayReplace = ({ unsaved }) => !unsaved || confirm(say("may_replace"));

/** Returns what is going on, in a sentence. */
export function status(state) {
  const { over, opening, players, running, to_move: which, shown: number, moves: { length: total } } = state;
  const toMove = () => say("to_move", { which });
  if (isReport) return say("report_status", { number, total, status: over ? overText(over) : toMove() });
  if (over) return overText(over);
  if (opening) return running || opening.is_person ? openingText(state) : say("opening_paused", { opening: openingText(state) });
  const player = players[COLORS.indexOf(which)];
  const isPerson = player.engine === null;
  if (!running) return total || player.left !== null ? say("paused_at", { which, number }) : toMove();
  if (number < total) return isPerson ? say("play_on", { which, number, total }) : say("move_of", { number, total });
  if (!isPerson) return say("thinks_for", { which, name: player.name });
  return players.every(other => other.engine === null) ? toMove() : say("your_move", { which });
}

/** Returns how a game has ended. */
export const overText = ({ over, by, at }) => say("over", { which: `${over}_${by}`, at });

/** Returns the name of a player; persons without one are named by their role. */
export const nameOf = ({ name, person }) => name ?? say("person", { which: person });

/** Returns what is to be done in the opening. */
function openingText({ opening: { rule, stage, within: side, fifths, offered, is_person: isPerson, name }, shown: stones }) {
  const which = side ? "place_within" : stage === "swap" && fifths ? "swap_fifths" : stage;
  const values = { which, opening: say("opening_name", { which: rule }), number: stones + 1, side, fifths, missing: fifths - offered.length, name };
  return isPerson ? say("opening_person", values) : say("opening_engine", values);
}

/** Shows the state. */
export function update(state) {
  since = performance.now();
  shown = state;
  setText(byId("status"), status(state));
  byId("status").dataset.over = Boolean(state.over);
  COLORS.forEach((color, i) => {
    const { acts, engine, level } = state.players[i];
    const box = byId(color), bare = nameOf(state.players[i]);
    const name = engine !== null && level < 100 ? say("named_level", { name: bare, level }) : bare;
    setText(box.querySelector(".who"), name);
    box.classList.toggle("acts", acts);
    box.setAttribute("aria-label", say("player_of", { which: color, name }));
  });
  tick();
  const text = scoreText(state);
  setText(byId("score"), text);
  show(byId("score"), text !== "");
  updateButtons(state);
  updateOpening(state);
  updateMoves(state);
}

/** Returns the score of a match, if one is played. */
function scoreText({ match }) {
  if (!match) return "";
  const points = half => `${half === 1 ? "" : half >> 1}${half % 2 ? "½" : ""}`;
  const [first, second] = match.names, [own, other] = match.halves.map(points);
  return say("match_score", { first, second: second === first ? `${second} (2)` : second, points: own, others: other, number: match.begun, games: match.games });
}

function updateButtons({ shown: ply, moves, running, players, over, opening, hinting, analysing, match }) {
  const hasPerson = players.some(player => player.engine === null);
  const thinks = running && !over && ply === moves.length && players.some(player => player.acts && player.engine !== null);
  const set = (id, isEnabled) => enable(byId(id), isEnabled);
  const back = ply > 0 && !opening, forth = ply < moves.length && !opening;
  // While a person plays against an engine, only a person's move can be taken back.
  const isPersons = ({ color }) => players[COLORS.indexOf(color)].engine === null;
  ["first", "previous"].forEach(id => set(id, back));
  set("undo", back && (!running || !hasPerson || moves.slice(0, ply).some(isPersons)));
  ["next", "last", "redo"].forEach(id => set(id, forth));
  set("hint", !over && !opening && !hinting && !analysing);
  setText(byId("hint"), hinting ? say("hinting") : say("hint"));
  set("resign", hasPerson && !over && !opening && moves.length > 0 && ply === moves.length);
  show(byId("now"), thinks);
  show(byId("run"), !over || match?.ended < match?.games);
  setText(byId("run"), running ? say("pause") : moves.length ? say("continue") : say("start"));
  byId("run").classList.toggle("strong", !running);
}

function updateOpening(state) {
  const { opening, id } = state, card = byId("opening");
  const choices = opening?.is_person ? opening.choices : [];
  if (!choices.length) {
    // The focus moves to the board.
    if (card.contains(document.activeElement)) byId("board").querySelector("[role=gridcell][tabindex='0']")?.focus();
    show(card, false);
    return;
  }
  if (!card.hidden && card.dataset.id === String(id)) return;
  card.dataset.id = id;
  const texts = { black: say("take_black"), white: say("take_white"), put_two: say("put_two"), 10: say("offer_ten") };
  card.replaceChildren(make("p", {}, `${openingText(state)}.`),
    make("div", { class: "row" }, ...choices.map(choice => {
      const name = choice.fifths ?? choice;
      return make("button", { "data-choice": name, onclick: () => send({ do: "choose", choice, seen: id }) }, texts[name] ?? name);
    })));
  show(card, true);
  card.querySelector("button").focus();
}

function updateMoves(state) {
  const { moves, shown: ply, opening } = state;
  const list = byId("list");
  const key = JSON.stringify([moves, state.branches]);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    // The new list keeps the focus on the same move; that on a variation goes to the move shown.
    const at = list.contains(document.activeElement) ? document.activeElement.dataset.ply ?? ply : null;
    list.replaceChildren(...moves.map((move, i) =>
      make("li", {}, make("button", {
        class: `move ${move.color}`, "data-ply": i + 1, title: move.time ? seconds(move.time) : "",
        onclick: () => send({ do: "show", ply: i + 1 }),
      }, make("span", { class: "number" }, String(i + 1)), " ", make("span", { class: `stone ${move.color}` }), moveName(move), make("span", { class: "sign", "aria-hidden": "true" })), ...branches(state, i))));
    list.append(...[make("li", {}, ...branches(state, moves.length))].filter(({ firstChild }) => firstChild));
    if (!moves.length) list.append(make("li", { class: "quiet" }, say("no_moves")));
    if (at) list.querySelector(`[data-ply="${at}"]`)?.focus();
  }
  for (const button of list.querySelectorAll("button.move")) {
    // An opening has no earlier positions to go back to.
    enable(button, !opening);
    const isShown = Number(button.dataset.ply) === ply;
    if (isShown !== (button.getAttribute("aria-current") === "true")) {
      button.setAttribute("aria-current", isShown);
      if (isShown) scrollToShown();
    }
  }
}

/** Scrolls the list to the move that is shown. A hidden list forgets how far it was scrolled. */
export function scrollToShown() {
  const list = byId("list"), item = list.querySelector("[aria-current=true]")?.parentElement;
  if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
}

/** Marks the mistakes of a review in the list of moves, and says to screen readers what each move is. */
export function markMistakes(review) {
  for (const button of byId("list").querySelectorAll("button.move")) {
    const number = button.dataset.ply, move = shown.moves[number - 1];
    const mistake = review?.positions[number]?.played?.severity ?? "", words = mistake && say("severity", { which: mistake });
    const sign = button.querySelector(".sign");
    setText(sign, SIGNS[mistake] ?? "");
    sign.className = `sign ${mistake}`;
    sign.title = words;
    // The visible text comes first.
    const label = say("move_label", { which: move.color ?? "none", number, move: moveName(move) });
    button.setAttribute("aria-label", [label, words].filter(Boolean).join(", "));
  }
}

/** Shows what players that are engines think. */
export function updateThoughts({ players }) {
  COLORS.forEach((color, i) => {
    const thought = players[i], best = thought?.lines[0];
    const rate = best?.win_rate ?? null;
    const parts = [thought?.depth ? say("depth", { depth: thought.depth }) : "", rate === null ? "" : percent(thought.to_move === color ? rate : 1 - rate)];
    setText(byId(color).querySelector(".thought"), best ? parts.filter(Boolean).join(" · ") : "");
  });
}

/** Returns black's share of the games in the position shown: by the analysis, else by a player who thinks, else by the review. */
export function shareOfBlack(state, thoughts, review) {
  const share = thought => {
    const rate = thought?.id === state.id ? thought.lines[0]?.win_rate ?? null : null;
    return rate === null ? null : ofBlack(rate, thought.to_move);
  };
  const shares = [thoughts?.analysis, ...(thoughts?.players ?? [])].map(share);
  return shares.find(found => found !== null) ?? blackShare(review?.positions[state.shown]);
}

function tick() {
  if (!shown) return;
  const passed = performance.now() - since;
  COLORS.forEach((color, i) => {
    const { left, is_timed: isTimed } = shown.players[i];
    const clock = byId(color).querySelector(".clock");
    const rest = left === null ? null : Math.max(0, left - (isTimed ? passed : 0));
    setText(clock, rest === null ? "" : clockText(rest));
    clock.classList.toggle("low", rest !== null && rest < 20_000);
  });
}
