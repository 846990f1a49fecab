// Light, dark, or as the system has it.

import { byId, recall, remember } from "./dom.js";

const THEMES = [
  { name: "auto", sign: "◐", scheme: "light dark", label: "Colours of the system" },
  { name: "light", sign: "☀", scheme: "light", label: "Light colours" },
  { name: "dark", sign: "☾", scheme: "dark", label: "Dark colours" },
];

let current = Math.max(0, THEMES.findIndex(theme => theme.name === recall("theme")));

function apply() {
  const { sign, scheme, label, name } = THEMES[current];
  document.documentElement.style.colorScheme = scheme;
  const button = byId("theme");
  button.textContent = sign;
  button.setAttribute("aria-label", `${label}; change`);
  button.title = `${label} (t)`;
  remember("theme", name);
}

/** Prepares the button. */
export function prepare() {
  byId("theme").addEventListener("click", () => {
    current = (current + 1) % THEMES.length;
    apply();
  });
  apply();
}
