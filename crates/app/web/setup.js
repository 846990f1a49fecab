// Setting a position up: stones are put down and taken away here, and sent when they are done.

import { byId, make, show } from "./dom.js";
import { mayReplace } from "./game.js";
import { send } from "./link.js";
import { parsePoint, say } from "./words.js";

const BRUSHES = [["black", say("color", { which: "black" })], ["white", say("color", { which: "white" })], ["turns", say("in_turns")], ["none", say("remove")]];

let stones = null;
let brush = "turns";
let whiteMoves = false;
let state = null;
let redraw = () => {};

/** Prepares the card. `changed` is called when there is something else to show. */
export function prepare(changed) {
  redraw = changed;
  byId("open-setup").addEventListener("click", () => (stones ? cancel() : open()));
}

/** Takes the newest state. */
export function update(newest) {
  const isOther = state && (state.size[0] !== newest.size[0] || state.size[1] !== newest.size[1]);
  state = newest;
  if (isOther) cancel();
}

/** Gives up the position that is set up, if one is. */
export function cancel() {
  if (!stones) return;
  stones = null;
  if (byId("setup").contains(document.activeElement)) byId("open-setup").focus();
  show(byId("setup"), false);
  redraw();
}

/** Returns the stones while a position is set up, otherwise null. */
export const current = () => stones && [...stones.values()];

/** Returns who moves next in that position. */
const toMove = () => (whiteMoves ? "white" : "black");

/** Returns the colour of the stone that a click puts down, or "none". */
export const brushColor = () => (brush === "turns" ? toMove() : brush);

function open() {
  if (!state) return;
  const all = [...state.set_up, ...state.moves.slice(0, state.shown)];
  stones = new Map(all.map(({ at, color }) => [at, { at, color }]));
  whiteMoves = state.to_move === "white";
  const radio = (name, value, text, isChosen, onchange) =>
    make("label", { class: "check" }, make("input", { type: "radio", name, value, checked: isChosen, onchange }), text);
  byId("setup").replaceChildren(
    make("h2", {}, say("setup")),
    make("div", { class: "row", role: "radiogroup", "aria-label": say("stone") }, ...BRUSHES.map(([value, text]) =>
      radio("brush", value, text, value === brush, () => setBrush(value)))),
    make("div", { class: "row", role: "radiogroup", "aria-label": say("next_move") },
      radio("next", "black", say("moves_next", { which: "black" }), !whiteMoves, () => setNext(false)),
      radio("next", "white", say("moves_next", { which: "white" }), whiteMoves, () => setNext(true))),
    make("div", { class: "row" },
      make("button", { onclick: cancel }, say("cancel")),
      make("button", { onclick: clear }, say("clear")),
      make("button", { class: "strong", id: "setup-done", onclick: finish }, say("done"))));
  show(byId("setup"), true);
  byId("setup").querySelector("input:checked").focus();
  redraw();
}

function clear() {
  stones.clear();
  setNext(false);
}

function setBrush(value) {
  brush = value;
  redraw();
}

function setNext(isWhite) {
  whiteMoves = isWhite;
  byId("setup").querySelector(`[name=next][value=${toMove()}]`).checked = true;
  redraw();
}

/** Changes a point by the brush. */
export function choose(point) {
  if (brush === "none" || stones.has(point)) stones.delete(point);
  else {
    stones.set(point, { at: point, color: brushColor() });
    if (brush === "turns") whiteMoves = !whiteMoves;
  }
  setNext(whiteMoves);
}

async function finish() {
  const of = color => [...stones.values()].filter(stone => stone.color === color).map(stone => parsePoint(stone.at));
  const [width, height] = state.size;
  const command = { do: "set_up", width, height, rule: state.rule, black: of("black"), white: of("white"), white_moves: whiteMoves };
  if (mayReplace(state) && await send(command)) cancel();
}
