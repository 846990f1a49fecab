// What the browser remembers from one start of the board to the next: cookies, which do not depend on
// the port. The board has another port at each start.

/** Returns the word that was remembered under a name, if any. */
export const recall = name => new RegExp(`(?:^|; )${name}=(\\w+)`).exec(document.cookie)?.[1];

/** Remembers a word under a name for a year. */
export function remember(name, word) {
  document.cookie = `${name}=${word}; path=/; max-age=31536000; samesite=strict`;
}
