// The dialogs: a new game, files, help.

import { byId, make, setText, show } from "./dom.js";
import { download, savePng, saveSvg } from "./drawing.js";
import { mayReplace } from "./game.js";
import { fetchFile, isReport, send } from "./link.js";
import { tell } from "./notes.js";
import { say } from "./words.js";

/** The largest file of games that is opened, in bytes. */
const FILE_MAX = 64 << 20;
const RULES = ["freestyle", "standard", "renju", "caro", "caro-exact"];
const OPENINGS = ["free", "swap2", "soosorv8", "taraguchi10"];

let state = null;
/** The games of the list, as JSON. */
let listedGames = "";
let replaced = () => {};

const tellError = ({ message }) => tell(message);

/** Prepares the dialogs. `picture` returns the board's, `onReplaced` is called when another game takes the place of the one shown. */
export function prepare(picture, onReplaced) {
  replaced = onReplaced;
  for (const name of ["new", "load", "save", "help"]) {
    const dialog = byId(`${name}-dialog`);
    byId(`open-${name}`).addEventListener("click", () => {
      if (name === "new") showSettings();
      dialog.showModal();
    });
    // A click beside the dialog closes it, but not the end of a drag that began inside.
    let pressed = null;
    dialog.addEventListener("pointerdown", ({ target }) => (pressed = target));
    dialog.addEventListener("click", ({ target }) => {
      const isBeside = target === dialog && pressed === dialog;
      if (isBeside || target.matches("[value=cancel]")) dialog.close();
    });
  }
  // What is typed takes the place of a file.
  const { file, text } = loadForm().elements;
  text.addEventListener("input", () => (file.value = ""));
  const form = newForm();
  form.rule.append(...RULES.map(rule => make("option", { value: rule }, say("rule_name", { which: rule }))));
  form.opening.append(...OPENINGS.map(name => make("option", { value: name }, say("opening_name", { which: name }))));
  for (const range of ranges()) range.addEventListener("input", showRanges);
  for (const name of ["rule", "width", "height", "opening", "games", "black", "white"]) form[name].addEventListener("change", nameSeats);
  for (const engine of ["first", "second"]) form[engine].addEventListener("input", offerSeats);
  // What is refused stays in its dialog. Only the button that Enter presses is a submit button.
  const onSubmit = (name, act) => byId(`${name}-dialog`).addEventListener("submit", event => {
    event.preventDefault();
    act();
  });
  onSubmit("load", () => open(file.files[0], text.value).catch(tellError));
  onSubmit("new", () => mayReplace(state) && begin("new"));
  byId("use-here").addEventListener("click", ({ target }) => target.form.reportValidity() && begin("change"));
  prepareDrop();
  byId("games").addEventListener("change", async ({ target }) => {
    if (isReport) return;
    if (mayReplace(state) && await send({ do: "open_game", index: Number(target.value) })) replaced();
    target.value = state.game;
  });
  byId("save-svg").addEventListener("click", () => saveSvg(picture()));
  byId("save-png").addEventListener("click", () => savePng(picture()).catch(tellError));
  byId("save-dialog").addEventListener("click", event => {
    const link = event.target.closest("a[download]");
    if (!link) return;
    event.preventDefault();
    fetchFile(link.download).then(file => download(file, link.download)).catch(tellError);
  });
  // The file has the stones of a position that was set up, too.
  byId("copy-text").addEventListener("click", () => copy("moves.txt", text => text.trim(), say("moves_copied")).catch(tellError));
  byId("copy-link").addEventListener("click", () => copy("moves.sgf", text => link(text), say("link_copied")).catch(tellError));
  addEventListener("hashchange", openLink);
}

/** Copies a file of the game, as `change` makes it. */
async function copy(name, change, done) {
  byId("save-dialog").close();
  const text = change(await (await fetchFile(name)).text());
  // Pages of http from another computer have no clipboard.
  const copied = navigator.clipboard?.writeText(text) ?? Promise.reject();
  await copied.then(() => tell(done), () => tell(text));
}

/** Returns the page's address with a game, which opens there. */
const link = text => `${location.href.replace(/#.*/, "")}#${encodeURIComponent(text.trim())}`;

/** Opens the game of the address, if it has one. */
export function openLink() {
  const part = location.hash.slice(1);
  if (isReport || !part) return;
  history.replaceState(null, "", location.pathname);
  try {
    open(null, decodeURIComponent(part)).catch(tellError);
  } catch {
    tell(say("no_game_in_link"));
  }
}

/** Takes the newest state. */
export function update(newest) {
  if (!state) showFormats(newest.formats ?? []);
  state = newest;
  if (isReport) return;
  const { games, game } = state, list = byId("games"), newestGames = JSON.stringify(games);
  if (newestGames !== listedGames) {
    listedGames = newestGames;
    list.replaceChildren();
    // A call takes no more arguments than a hundred thousand or so.
    games.forEach(([black, white], i) => list.append(
      make("option", { value: i }, `${i + 1}. ${black || say("color", { which: "black" })} – ${white || say("color", { which: "white" })}`)));
  }
  list.value = game;
  show(list, games.length > 1);
}

/** Offers the formats of games. */
function showFormats(formats) {
  const read = formats.map(({ extension }) => `.${extension}`);
  setText(byId("readable"), say("a_file", { kinds: read.join(", ") }));
  loadForm().elements.file.accept = [...read, "text/plain"].join(",");
  byId("save-svg").before(...formats.map(({ name, extension }) => {
    const file = `game.${extension}`;
    return make("a", { class: "button", href: file, download: file }, `${say("format", { which: name, text: name })} (.${extension})`);
  }));
}

const ranges = () => byId("new-dialog").querySelectorAll("[type=range]");

/** Shows the number that each slider stands for. */
const showRanges = () => ranges().forEach(range => setText(range.nextElementSibling, range.value));

const newForm = () => byId("new-dialog").querySelector("form").elements;

const loadForm = () => byId("load-dialog").querySelector("form");

/** Shows the settings in the dialog of a new game. */
function showSettings() {
  const { settings, engines, most, chooses_engines: choosesEngines } = state;
  const form = newForm();
  [form.first.value, form.second.value] = [engines[0].command, engines[1]?.command ?? ""];
  for (const label of byId("new-dialog").querySelectorAll(".engine")) show(label, choosesEngines);
  offerSeats();
  for (const seat of ["black", "white"]) form[seat].value = form[seat].options[2] || settings[seat] !== "engine2" ? settings[seat] : "engine1";
  for (const key of ["rule", "width", "height", "opening", "games"]) form[key].value = settings[key];
  for (const key of ["level", "style"]) [form[key].value, form[`${key}2`].value] = settings[key];
  for (const key of ["threads", "memory"]) {
    form[key].max = most[key];
    form[key].value = Math.min(settings[key], most[key]);
  }
  form.turn.value = settings.turn / 1000;
  form.game.value = settings.game ? settings.game / 60_000 : "";
  form.increment.value = settings.increment / 1000;
  showRanges();
  nameSeats();
}

/** Returns the commands of the engines in the dialog. */
const commandsIn = ({ first, second }) => (second.value.trim() ? [first, second] : [first]).map(({ value }) => value.trim());

/** Offers the engines in the dialog as players. */
function offerSeats() {
  const form = newForm(), known = new Map(state.engines.map(({ command, name }) => [command, name]));
  const names = commandsIn(form).map(command => known.get(command) ?? (command || "Tengen"));
  if (names[0] === names[1]) names[1] += " (2)";
  const seats = [["person", say("person", { which: "you" })], ...names.map((name, i) => [`engine${i + 1}`, name])];
  for (const seat of ["black", "white"]) {
    const { value } = form[seat];
    form[seat].replaceChildren(...seats.map(([name, text]) => make("option", { value: name }, text)));
    form[seat].value = seats.some(([name]) => name === value) ? value : "engine1";
  }
  nameSeats();
}

const areEngines = ({ black, white }) => black.value !== "person" && white.value !== "person";

/** Returns true for a match of engines, of which each pair of games has an opening. */
const isMatch = form => areEngines(form) && Number(form.games.value) !== 1;

/** In an opening nobody has a colour yet. Two engines have a level and a style each. */
function nameSeats() {
  const form = newForm(), isTwo = areEngines(form);
  // Renju has openings of its own, which need room.
  const hasAll = form.rule.value === "renju" && Math.min(form.width.value, form.height.value) >= 9;
  OPENINGS.forEach((name, i) => (form.opening.options[i].disabled = i > 1 && !hasAll));
  if (form.opening.selectedOptions[0].disabled) form.opening.value = "free";
  const isFree = isMatch(form) || form.opening.value === "free";
  setText(byId("black-label"), isFree ? say("color", { which: "black" }) : say("places"));
  setText(byId("white-label"), isFree ? say("color", { which: "white" }) : say("chooses"));
  // A field that is hidden must be valid, too.
  if (!isTwo && !form.games.validity.valid) form.games.value = 1;
  show(form.games.closest("label"), isTwo);
  show(form.opening.closest("label"), !isMatch(form));
  const labels = [byId("black-label"), byId("white-label")].map(label => label.textContent);
  const name = (text, fields, isKnown) => fields.forEach((field, i) => {
    const label = form[field].closest("label");
    setText(label.firstElementChild, isTwo ? `${text}: ${labels[i]}` : text);
    show(label, isKnown && (isTwo || i === 0));
  });
  name(say("level"), ["level", "level2"], true);
  // Other engines need not know it.
  name(say("style"), ["style", "style2"], commandsIn(form).includes(""));
}

/** Begins a new game by the dialog, or goes on with this one by its settings. */
async function begin(what) {
  const form = newForm();
  const number = key => Number(form[key].value);
  const ofEach = key => [number(key), number(areEngines(form) ? `${key}2` : key)];
  const settings = {
    width: number("width"), height: number("height"), rule: form.rule.value, opening: isMatch(form) ? "free" : form.opening.value, games: number("games"),
    black: form.black.value, white: form.white.value, level: ofEach("level"), style: ofEach("style"), threads: number("threads"), memory: number("memory"),
    turn: Math.round(number("turn") * 1000), game: Math.round(number("game") * 60_000), increment: Math.round(number("increment") * 1000),
  };
  const commands = commandsIn(form);
  const isSame = commands.join("\n") === state.engines.map(({ command }) => command).join("\n");
  if (!isSame && state.chooses_engines && !await send({ do: "engines", commands })) return;
  if (!await send({ do: what, settings })) return;
  byId("new-dialog").close();
  if (what === "new") replaced();
}

/** Returns the bytes of a file: each is the low eight bits of a character. */
const bytesOf = async file => new TextDecoder("x-user-defined").decode(await file.arrayBuffer());

/** Opens a game from a file, or else from a text. If that was done, the dialog closes, and forgets what was typed. */
async function open(file, text) {
  const { size } = file ?? new Blob([text]);
  if (size > FILE_MAX) return void tell(say("too_large"));
  // A comment that is being written belongs to the game before.
  byId("comment").blur();
  const dialog = byId("load-dialog"), wasOpen = dialog.open;
  const content = file ? await bytesOf(file) : text;
  // If the dialog was closed meanwhile, nothing is opened.
  if (wasOpen && !dialog.open || !mayReplace(state) || !await send({ do: "load", text: content, file: file?.name ?? null })) return;
  dialog.close();
  loadForm().reset();
  replaced();
}

const isField = ({ target }) => target.closest?.("input, textarea");

/** Opens what is pasted, or dropped on the page. */
function prepareDrop() {
  const take = event => {
    const isDrop = event.type === "drop", data = isDrop ? event.dataTransfer : event.clipboardData;
    const [file] = data.files, text = data.getData("text");
    const takers = isDrop && file ? "dialog:not(#load-dialog)" : "input, textarea, dialog";
    const isTaken = !isReport && (file || text) && !event.target.closest?.(takers);
    // A browser would leave the page for a file or a link that is dropped.
    if (isTaken || isDrop && (file || !isField(event))) event.preventDefault();
    if (isTaken) open(file, text).catch(tellError);
  };
  for (const kind of ["paste", "drop"]) addEventListener(kind, take);
  addEventListener("dragover", event => {
    if (event.dataTransfer.types.includes("Files") || !isField(event)) event.preventDefault();
  });
}
