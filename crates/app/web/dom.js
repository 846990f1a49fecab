// Elements of the page: found by id, made with their content, and renewed only where they differ; and words that the
// page remembers.

/** Returns the element of this id. */
export const byId = id => document.getElementById(id);

/** Makes an element: attributes, then children or text. */
export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an element of a picture. */
export function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

/** Sets an element's text unless it is that already, so that nobody hears it twice. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides an element. What has the focus hands it to the nearest button beside it. */
export function show(element, isShown) {
  if (element.hidden !== isShown) return;
  const hadFocus = element.contains(document.activeElement);
  element.hidden = !isShown;
  if (!hadFocus) return;
  const canFocus = button => !button.disabled && !button.closest("[hidden], [inert]");
  const buttons = [...element.parentElement.querySelectorAll("button")].filter(canFocus);
  const isBehind = button => element.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING;
  (buttons.findLast(button => !isBehind(button)) ?? buttons[0])?.focus();
}

/** Lets a button be used, or not. One that has the focus keeps it, and does nothing. */
export function enable(button, isEnabled) {
  const keepsFocus = !isEnabled && button === document.activeElement;
  button.disabled = !isEnabled && !keepsFocus;
  if (keepsFocus) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
}

/** Returns true if a key is meant for the browser or the system. */
export const hasModifier = event => event.altKey || event.ctrlKey || event.metaKey;

// A page that is a file has no cookies; where it may store nothing, it remembers nothing.
let store = null;
try {
  if (location.protocol === "file:") store = localStorage;
} catch {}

/** Returns the word that was remembered under a name, if any: cookies do not depend on the port, which is another one at each start. */
export const recall = name => (store ? store.getItem(`tengen-${name}`) : new RegExp(`(?:^|; )tengen-${name}=(\\w+)`).exec(document.cookie)?.[1]);

/** Remembers a word under a name for a year. */
export function remember(name, word) {
  if (store) store.setItem(`tengen-${name}`, word);
  else document.cookie = `tengen-${name}=${word}; path=/; max-age=31536000; samesite=strict`;
}

/** Lets a checkbox remember what was chosen. `changed` is called then. */
export function rememberCheck(id, changed = () => {}) {
  const word = recall(id);
  if (word) byId(id).checked = word === "on";
  byId(id).addEventListener("change", ({ target }) => {
    remember(id, target.checked ? "on" : "off");
    changed();
  });
}
