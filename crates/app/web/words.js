// Points, numbers and times in words. A point is its name: h8 is column 7, row 7, both counted from 0, the rows from the
// side of row 1.

export const pointName = ([x, y]) => String.fromCharCode(97 + x) + (y + 1);

/** Returns column and row of a point. */
export const parsePoint = name => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];

/** Returns how many of a board's rows are drawn above row y, and which row that many are drawn above. */
export const above = (y, { height, rows }) => (rows === "top" ? y : height - 1 - y);

/** Returns the name of a move of a game: that of its point, unless it is a pass or sets a position up. */
export const moveName = ({ at, stones }) => at ?? (stones ? "position" : "pass");

/** Returns a share as a percentage. */
export const percent = share => `${Math.round(100 * share)}%`;

/** Returns black's share of the games from that of the side to move. */
export const ofBlack = (share, toMove) => (toMove === "black" ? share : 1 - share);

/** Returns black's share of the games in a position of a review, or null if that has not been reviewed. */
export function blackShare(position) {
  if (!position) return null;
  return position.over ? { black: 1, white: 0, draw: 0.5 }[position.over] : ofBlack(position.win_rate, position.to_move);
}

/** Returns a number with a unit. */
export function short(number) {
  if (number < 10_000) return String(number);
  if (number < 10_000_000) return `${Math.round(number / 1_000)} k`;
  return `${Math.round(number / 1_000_000)} M`;
}

/** Returns a clock's text. */
export function clockText(milliseconds) {
  const tenths = Math.ceil(milliseconds / 100);
  if (tenths < 200) return `${Math.floor(tenths / 10)}.${tenths % 10}`;
  const seconds = Math.ceil(milliseconds / 1000);
  const two = number => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Returns a word with a capital. */
export const capital = word => word[0].toUpperCase() + word.slice(1);

/** The signs of mistakes, as chess has them. */
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
