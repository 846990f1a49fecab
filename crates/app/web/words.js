// The words of the page, each language's in a file of the folder words; and points, numbers and times in words. A point is
// its name: h8 is column 7, row 7, both counted from 0, the rows from the side of row 1.

import { recall } from "./dom.js";
import * as de from "./words/de.js";
import * as en from "./words/en.js";
import * as ja from "./words/ja.js";
import * as ko from "./words/ko.js";
import * as ru from "./words/ru.js";
import * as vi from "./words/vi.js";
import * as zh from "./words/zh.js";

export const LANGUAGES = {
  en: en.words, de: de.words, ja: ja.words, ko: ko.words, ru: ru.words, vi: vi.words, zh: zh.words,
};
/** The language of the page: the one chosen, or the first of the browser's that there is. */
export const language = [recall("language"), ...navigator.languages.map(name => name.split("-")[0])].find(name => LANGUAGES[name]) ?? "en";

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(language, { style: "percent" });
const exactPercents = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

/**
 * Returns the words of a key, with values in the places that have their names. Where a key has several forms, `which` is
 * the form, or `count` the number that chooses one.
 */
export function say(key, values = {}) {
  const { which, count } = values;
  const formOf = words => (typeof words === "object" ? words[which ?? plurals.select(count)] ?? words.other : words);
  const text = formOf(LANGUAGES[language][key]) ?? formOf(LANGUAGES.en[key]) ?? values.text ?? "";
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Returns what the program has to say: a form of the words `told` with values, some of which have words, too. */
export function told({ word, why, kind, detail, ...values }) {
  const fault = kind && say("fault", { which: kind, detail });
  return say("told", { ...values, which: word, fault, why: why && say("foul", { which: why }) });
}

/** Puts the words into the page: `data-word` names those of an element, `data-word-title` those of its title, and so on. */
export function fillPage() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes].filter(({ name }) => name.startsWith("data-word"))) {
      const attribute = name.slice("data-word-".length), text = say(value);
      const key = attribute === "title" ? element.getAttribute("aria-keyshortcuts") : null;
      if (attribute) element.setAttribute(attribute, withKey(text, key));
      else element.prepend(text);
    }
  }
  document.documentElement.classList.remove("wordless");
}

/** Returns the title of a button with its key. */
export const withKey = (text, key) => (key ? `${text} (${key})` : text);

export const pointName = ([x, y]) => String.fromCharCode(97 + x) + (y + 1);

/** Returns column and row of a point. */
export const parsePoint = name => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];

/**
 * Returns the place of a point in the picture: columns from the left, rows from above. `rows` is the side from which rows
 * are counted, `view` how the board is seen: from which of its four sides, plus 4 if it is mirrored.
 */
export function placeOf([x, y], { width, height, rows, view = 0 }) {
  let place = [view < 4 ? x : width - 1 - x, rows === "top" ? y : height - 1 - y];
  let size = [width, height];
  for (let turn = 0; turn < view % 4; turn++) {
    place = [size[1] - 1 - place[1], place[0]];
    size = [size[1], size[0]];
  }
  return place;
}

/** Returns columns and rows of the picture. */
export const sizeSeen = ({ width, height, view = 0 }) => (view % 2 ? [height, width] : [width, height]);

/** Returns the name of a move of a game: that of its point, unless it is a pass or sets a position up. */
export const moveName = ({ at, stones }) => at ?? (stones ? say("position") : say("pass"));

/** Returns a share in percent, of which 0 and 100 are for what is certain. */
export const wholePercent = share => (share > 0 && share < 1 ? Math.min(99, Math.max(1, Math.round(100 * share))) : 100 * share);
/** Returns a share as a percentage. */
export const percent = share => percents.format(wholePercent(share) / 100);
/** Returns a share as a percentage with a decimal. */
export const exactPercent = share => exactPercents.format(share);

/** Returns a time in seconds. */
export const seconds = milliseconds => say("seconds", { time: numbers.format(milliseconds / 1000) });

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
  if (number < 1_000_000) return `${Math.round(number / 1_000)} k`;
  return `${numbers.format(number / 1_000_000)} M`;
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

/** The signs of mistakes, as chess has them. */
export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
