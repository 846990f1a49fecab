// What is said: messages of engines, refusals and faults, on the screen and to screen readers.

import { byId, make, setText, show } from "./dom.js";
import { say, told } from "./words.js";

/** Messages that are kept, and how long a fault stays on the screen. */
const KEPT = 200;
const TIME = 8_000;

/** Takes a note of the program in. */
export function take({ from, is_fault: isFault, ...saying }) {
  const parts = [from ?? say("board"), told(saying)];
  const list = byId("said");
  const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
  list.append(make("li", { class: isFault ? "fault" : "" }, make("b", {}, parts[0]), ` ${parts[1]}`));
  while (list.childElementCount > KEPT) list.firstElementChild.remove();
  if (isAtEnd) scrollToEnd();
  if (isFault) tell(from ? parts.join(" ") : parts[1]);
}

/** Scrolls the messages to the newest one. A hidden list forgets how far it was scrolled. */
export function scrollToEnd() {
  byId("said").scrollTop = byId("said").scrollHeight;
}

/** What tells something, and an open dialog would hide. */
const TELLERS = ["toasts", "spoken", "alarm"];

/** Puts what tells something into the dialog that is open, if there is one. */
function place() {
  const host = document.querySelector("dialog[open]") ?? document.body;
  for (const teller of TELLERS.map(byId)) if (teller.parentElement !== host) host.append(teller);
}
addEventListener("close", place, true);

/** Says something to the person. */
export function tell(text) {
  place();
  const toast = make("div", { class: "toast" }, text, make("button", { class: "icon", "aria-label": say("close"), onclick: () => toast.remove() }, "✕"));
  const host = byId("toasts");
  host.append(toast);
  while (host.childElementCount > 3) host.firstElementChild.remove();
  setTimeout(() => toast.remove(), TIME);
  utter("alarm", text);
}

/** Lets screen readers hear a text, also one that they have just heard. */
function utter(id, text) {
  byId(id).replaceChildren(make("span", {}, text));
}

/** Says to screen readers what has changed. */
export function speak(text) {
  place();
  utter("spoken", text);
}

/** Says that a command was refused, or that the program is lost, or found again. */
export function trouble(kind, saying) {
  if (kind === "refused") tell(told(saying));
  else {
    setText(byId("lost"), say("lost"));
    show(byId("lost"), kind === "lost");
  }
}
