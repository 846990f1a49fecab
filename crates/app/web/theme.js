// Light, dark, or as the system has it.

import { byId, recall, remember } from "./dom.js";
import { say, withKey } from "./words.js";

const THEMES = [
  { name: "auto", sign: "◐" },
  { name: "light", sign: "☀" },
  { name: "dark", sign: "☾" },
];
const system = matchMedia("(prefers-color-scheme: dark)");

let current = Math.max(0, THEMES.findIndex(theme => theme.name === recall("theme")));

function apply() {
  const { sign, name } = THEMES[current], label = say("theme", { which: name });
  document.documentElement.dataset.theme = name === "auto" ? (system.matches ? "dark" : "light") : name;
  const button = byId("theme");
  button.textContent = sign;
  button.setAttribute("aria-label", say("theme_change", { theme: label }));
  button.title = withKey(label, "t");
}

/** Prepares the button. */
export function prepare() {
  byId("theme").addEventListener("click", () => {
    current = (current + 1) % THEMES.length;
    remember("theme", THEMES[current].name);
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
