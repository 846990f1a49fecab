// Light, dark, or as the system has it.

import { byId } from "./dom.js";

const THEMES = [
  { name: "auto", sign: "◐", scheme: "light dark", label: "Colours as the system has them" },
  { name: "light", sign: "☀", scheme: "light", label: "Light colours" },
  { name: "dark", sign: "☾", scheme: "dark", label: "Dark colours" },
];

let current = Math.max(0, THEMES.findIndex(theme => theme.name === remembered()));

/** Returns the name that was kept. A cookie is kept for all ports: the board has another one at each start. */
function remembered() {
  return /(?:^|; )theme=(\w+)/.exec(document.cookie)?.[1];
}

function remember(name) {
  document.cookie = `theme=${name}; path=/; max-age=31536000; samesite=strict`;
}

function apply() {
  const { sign, scheme, label, name } = THEMES[current];
  document.documentElement.style.colorScheme = scheme;
  const button = byId("theme");
  button.textContent = sign;
  button.setAttribute("aria-label", `${label}; change`);
  button.title = `${label} (t)`;
  remember(name);
}

/** Prepares the button. `changed` is called when the colours are others. */
export function prepare(changed) {
  byId("theme").addEventListener("click", () => {
    current = (current + 1) % THEMES.length;
    apply();
    changed();
  });
  apply();
}
