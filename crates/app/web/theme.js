// Light, dark, or as the system has it.

import { byId, recall, remember } from "./dom.js";

const THEMES = [
  { name: "auto", sign: "◐", label: "Colours of the system" },
  { name: "light", sign: "☀", label: "Light colours" },
  { name: "dark", sign: "☾", label: "Dark colours" },
];
const system = matchMedia("(prefers-color-scheme: dark)");

let current = Math.max(0, THEMES.findIndex(theme => theme.name === recall("theme")));

function apply() {
  const { sign, label, name } = THEMES[current];
  document.documentElement.dataset.theme = name === "auto" ? (system.matches ? "dark" : "light") : name;
  const button = byId("theme");
  button.textContent = sign;
  button.setAttribute("aria-label", `${label}; change`);
  button.title = `${label} (t)`;
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
