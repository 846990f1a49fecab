// Keys without others: each presses a button, unless they are switched off, which is remembered. Arrows and the wheel go
// through the moves, arrows from variation to variation, too.

import { byId, hasModifier, make, rememberCheck } from "./dom.js";
import { isReport } from "./link.js";
import * as tabs from "./tabs.js";
import * as tree from "./tree.js";
import { say } from "./words.js";

/** Each key with the button that it presses and what the help says of it. */
const ALL_KEYS = [
  ["n", "open-new", say("new_game")], ["u", "undo", say("undo")], ["r", "redo", say("redo")], ["h", "hint", say("hint")],
  ["m", "now", say("move_now")], ["p", "run", say("key_run")], [",", "previous", say("previous")], [".", "next", say("next")],
  ["<", "first", say("first")], [">", "last", say("last")], ["a", "analyse", say("key_analyse")], ["x", "exclude", say("key_exclude")],
  ["v", "look", say("key_review")], ["[", "mark-back", say("mistake_before")], ["]", "mark-next", say("mistake_next")],
  ["l", "numbers", say("numbers")], ["b", "to-board", say("to_board")], ["e", "open-setup", say("setup")], ["o", "open-load", say("open_game")],
  ["s", "open-save", say("save")], ["t", "theme", say("key_theme")], ["?", "open-help", say("help")],
];
const KEYS = ALL_KEYS.filter(([, id]) => !isReport || !byId(id).closest(".live"));
/** What arrows press, where nothing else takes them. */
const ARROWS = {
  ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", ...(isReport && { ArrowUp: "mark-back", ArrowDown: "mark-next" }),
};
/** In which direction arrows go from variation to variation. */
const BESIDE = isReport ? {} : { ArrowUp: -1, ArrowDown: 1 };
/** How far the wheel turns for a move, in pixels. */
const WHEEL = 40;
/** The tabs of buttons in panels. */
const TAB_OF = { analyse: "tab-analysis", exclude: "tab-analysis", look: "tab-review", "mark-back": "tab-review", "mark-next": "tab-review", numbers: "tab-moves" };

/** What stands on these keys, alone and with Shift. */
const PUNCTUATION = { Comma: ",<", Period: ".>", BracketLeft: "[[", BracketRight: "]]" };

/** Returns the key in small letters; of a letter of another alphabet, the Latin letter or sign on its key. */
const keyOf = ({ key, code, shiftKey }) =>
  (key.charCodeAt(0) > 127 && (PUNCTUATION[code]?.[Number(shiftKey)] ?? /^Key([A-Z])$/.exec(code)?.[1]) || key).toLowerCase();

/** Prepares the keys and their list in the help. `focusBoard` puts the keyboard on the board. */
export function prepare(focusBoard) {
  const listed = isReport ? KEYS : [...KEYS, ["↑", "", say("key_beside_up")], ["↓", "", say("key_beside_down")]];
  byId("key-list").append(...listed.flatMap(([key, , text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)]));
  rememberCheck("keys");
  addEventListener("keydown", event => {
    const isTyping = event.target.matches?.("input:not([type=checkbox], [type=radio]), textarea, select") || document.querySelector("dialog[open]");
    // A key that is held goes through the moves, and presses nothing else again.
    const isHeld = event.repeat && !"ur,.".includes(keyOf(event));
    // While a position is set up, arrows choose among its buttons.
    const isChoosing = (ARROWS[event.key] || BESIDE[event.key]) && byId("actions").inert;
    if (isTyping || isChoosing || hasModifier(event) || event.defaultPrevented) return;
    if (ARROWS[event.key]) {
      event.preventDefault();
      press(byId(ARROWS[event.key]));
    } else if (BESIDE[event.key] && tree.showBeside(BESIDE[event.key])) event.preventDefault();
    if (isHeld || !byId("keys").checked) return;
    const found = KEYS.find(([key]) => key === keyOf(event));
    if (!found) return;
    event.preventDefault();
    press(byId(found[1]));
  });
  byId("to-board").addEventListener("click", focusBoard);
  const board = byId("board");
  // A click leaves the keys to the game.
  board.addEventListener("mousedown", event => event.preventDefault());
  let turned = 0;
  board.addEventListener("wheel", event => {
    turned += event.deltaMode ? WHEEL * Math.sign(event.deltaY) : event.deltaY;
    const button = byId(turned < 0 ? "previous" : "next");
    // At either end of the game the page scrolls.
    if (event.ctrlKey || button.disabled) return void (turned = 0);
    event.preventDefault();
    if (Math.abs(turned) < WHEEL) return;
    turned = 0;
    press(button);
  }, { passive: false });
}

/** Presses a button, in its panel. One that is hidden or inert cannot be pressed. */
function press(button) {
  if (button.closest("[inert]")) return;
  if (TAB_OF[button.id] && !isReport) tabs.select(byId(TAB_OF[button.id]));
  if (!button.hidden) button.click();
}
