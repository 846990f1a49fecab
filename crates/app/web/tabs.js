// The tabs: each shows its panel, and the arrow keys go from one to the next.

import { byId, hasModifier, show } from "./dom.js";

const TABS = [...document.querySelectorAll("[role=tab]")];
const panelOf = tab => byId(tab.getAttribute("aria-controls"));

/** The name of the panel that is shown. */
export let panel = "moves";
let selected = () => {};

/** Prepares the tabs. `changed` is called when another panel is shown. */
export function prepare(changed) {
  selected = changed;
  TABS.forEach((tab, i) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step || hasModifier(event)) return;
      event.preventDefault();
      const next = TABS[(i + step + TABS.length) % TABS.length];
      select(next);
      next.focus();
    });
  });
}

/** Shows the panel of a tab. */
export function select(chosen) {
  for (const tab of TABS) {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    // The focus in what goes away moves to the tab.
    if (!isChosen && panelOf(tab).contains(document.activeElement)) chosen.focus();
    show(panelOf(tab), isChosen);
  }
  panel = panelOf(chosen).id;
  selected();
}
