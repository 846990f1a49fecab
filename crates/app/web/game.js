// Players, clocks, status, the list of moves, and the buttons of the game.

import { byId, enable, make, setText, show } from "./dom.js";
import { isReport, send } from "./link.js";
import { branches } from "./tree.js";
import { blackShare, capital, clockText, moveName, ofBlack, percent, SIGNS } from "./words.js";

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
  byId("run").addEventListener("click", () => {
    if (!shown) return;
    send({ do: "run", on: !shown.running, seen: shown.id });
  });
  byId("resign").addEventListener("click", () => shown && confirm("Resign this game?") && send({ do: "resign" }));
  setInterval(tick, 100);
}

/** Asks before moves are dropped that nothing brings back; a move taken back and its answer may go. */
export function mayDrop({ moves, shown: ply, keeps_moves: keepsMoves }) {
  const rest = moves.length - ply;
  return keepsMoves || rest <= 2 || confirm(`Delete the ${rest} moves after this one?`);
}

/** Asks before another game takes the place of one that is not saved. */
export const mayReplace = ({ unsaved }) => !unsaved || confirm("This game is not saved. Replace it?");

/** Returns what is going on, in a sentence. */
export function status(state) {
  const { over, swap2, players, running, to_move: toMove, shown: ply, moves } = state;
  if (isReport) return `Move ${ply} of ${moves.length}: ${over ? over.text : `${toMove} to move`}`;
  if (over) return over.text;
  if (swap2) return openingText(swap2) + (running || swap2.is_person ? "" : " (paused)");
  const player = players[COLORS.indexOf(toMove)];
  const isPerson = player.engine === null;
  if (!running) return moves.length ? `Paused at move ${ply}: ${toMove} to move` : `${capital(toMove)} to move`;
  if (ply < moves.length) return isPerson ? `Move ${ply} of ${moves.length}: ${toMove} may play on from here` : `Move ${ply} of ${moves.length}`;
  if (!isPerson) return `${player.name} thinks for ${toMove}`;
  return players.every(other => other.engine === null) ? `${capital(toMove)} to move` : `Your move, ${toMove}`;
}

function openingText({ stage, is_person: isPerson, name }) {
  const text = {
    place_three: "place three stones: black, white, black",
    choose_of_three: "choose a colour, or place two more stones",
    place_two: "place a white stone and a black one",
    choose_of_five: "choose a colour",
  }[stage];
  return isPerson ? `Swap2: ${text}` : `Swap2: ${name} is to ${text}`;
}

/** Shows the state. */
export function update(state) {
  since = performance.now();
  shown = state;
  setText(byId("status"), status(state));
  byId("status").dataset.over = Boolean(state.over);
  COLORS.forEach((color, i) => {
    const { name, acts, engine } = state.players[i];
    const box = byId(color);
    const level = engine !== null && state.settings.level < 100 ? `, level ${state.settings.level}` : "";
    setText(box.querySelector(".who"), `${name}${level}`);
    box.classList.toggle("acts", acts);
    box.setAttribute("aria-label", `${color}: ${name}${level}`);
  });
  tick();
  updateButtons(state);
  updateOpening(state);
  updateMoves(state);
}

function updateButtons({ shown: ply, moves, running, players, over, swap2, hinting, analysing }) {
  const hasPerson = players.some(player => player.engine === null);
  const thinks = running && !over && ply === moves.length && players.some(player => player.acts && player.engine !== null);
  const set = (id, isEnabled) => enable(byId(id), isEnabled);
  const back = ply > 0 && !swap2, forth = ply < moves.length && !swap2;
  // While a person plays against an engine, only a person's move can be taken back.
  const isPersons = ({ color }) => players[COLORS.indexOf(color)].engine === null;
  ["first", "previous"].forEach(id => set(id, back));
  set("undo", back && (!running || !hasPerson || moves.slice(0, ply).some(isPersons)));
  ["next", "last", "redo"].forEach(id => set(id, forth));
  set("hint", !over && !swap2 && !hinting && !analysing);
  setText(byId("hint"), hinting ? "Thinks…" : "Hint");
  set("resign", hasPerson && !over && !swap2 && moves.length > 0 && ply === moves.length);
  show(byId("now"), thinks);
  show(byId("run"), !over);
  setText(byId("run"), running ? "Pause" : moves.length ? "Continue" : "Start");
  byId("run").classList.toggle("strong", !running);
}

function updateOpening({ swap2, id }) {
  const card = byId("opening");
  const choices = {
    choose_of_three: [["black", "Take black"], ["white", "Take white and move"], ["put_two", "Place two more"]],
    choose_of_five: [["black", "Take black"], ["white", "Take white and move"]],
  }[swap2?.is_person && swap2.stage];
  if (!choices) {
    // The focus moves to the board.
    if (card.contains(document.activeElement)) byId("board").querySelector("[role=gridcell][tabindex='0']")?.focus();
    show(card, false);
    return;
  }
  if (!card.hidden && card.dataset.id === String(id)) return;
  card.dataset.id = id;
  card.replaceChildren(make("h2", {}, "Swap2"), make("p", {}, capital(openingText(swap2).slice(7)) + "."),
    make("div", { class: "row" }, ...choices.map(([choice, text]) =>
      make("button", { "data-choice": choice, onclick: () => send({ do: "choose", choice, seen: id }) }, text))));
  show(card, true);
  card.querySelector("button").focus();
}

function updateMoves(state) {
  const { moves, shown: ply, swap2 } = state;
  const list = byId("list");
  const key = JSON.stringify([moves, state.branches]);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    // The new list keeps the focus on the same move.
    const at = list.contains(document.activeElement) ? document.activeElement.dataset.ply : null;
    list.replaceChildren(...moves.map((move, i) =>
      make("li", {}, make("button", {
        class: `move ${move.color}`, "data-ply": i + 1, title: move.time ? `${(move.time / 1000).toFixed(1)} s` : "",
        "aria-label": `Move ${i + 1}: ${move.color ?? ""} ${moveName(move)}`, onclick: () => send({ do: "show", ply: i + 1 }),
      }, make("span", { class: "number" }, String(i + 1)), make("span", { class: `stone ${move.color}` }), moveName(move), make("span", { class: "sign" })), ...branches(state, i))));
    list.append(...[make("li", {}, ...branches(state, moves.length))].filter(({ firstChild }) => firstChild));
    if (!moves.length) list.append(make("li", { class: "quiet" }, "No moves yet. Click a point to play."));
    if (at) list.querySelector(`[data-ply="${at}"]`)?.focus();
  }
  for (const button of list.querySelectorAll("button.move")) {
    // An opening has no earlier positions to go back to.
    enable(button, !swap2);
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

/** Marks the mistakes of a review in the list of moves. */
export function markMistakes(review) {
  for (const button of byId("list").querySelectorAll("button.move")) {
    const mistake = review?.positions[button.dataset.ply]?.played?.severity ?? "";
    const sign = button.querySelector(".sign");
    setText(sign, SIGNS[mistake] ?? "");
    sign.className = `sign ${mistake}`;
    sign.title = mistake;
    const [, move] = button.getAttribute("aria-label").split(": ");
    button.setAttribute("aria-label", `Move ${button.dataset.ply}${mistake ? `, ${mistake}` : ""}: ${move}`);
  }
}

/** Shows what players that are engines think. */
export function updateThoughts({ players }) {
  COLORS.forEach((color, i) => {
    const thought = players[i], best = thought?.lines[0];
    const rate = best?.win_rate ?? null;
    const parts = [thought?.depth ? `depth ${thought.depth}` : "", rate === null ? "" : percent(thought.to_move === color ? rate : 1 - rate)];
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
