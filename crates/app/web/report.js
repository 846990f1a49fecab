// The page of finished reviews, in the place of the link with a program: games and moves are chosen here. Nothing here needs
// files of a program, which only controls for a live game fetch.

import { byId, make, show } from "./dom.js";
import * as tabs from "./tabs.js";
import { say } from "./words.js";

export const isReport = true;

const { games } = JSON.parse(byId("data").textContent);
let index = 0;
let shown = 0;
let handlers = {};

/** Shows the first game, or the one that the address names, once all parts of the page are prepared. */
export function listen(newest) {
  handlers = newest;
  document.body.classList.add("report");
  queueMicrotask(prepare);
}

/** Carries out a command: no other one than to show a position of the game. */
export async function send({ do: what, ply }) {
  if (what === "show") stepTo(ply);
  return what === "show";
}

function prepare() {
  tabs.select(byId("tab-review"));
  byId("games").append(...games.map((game, i) => make("option", { value: i }, [namesOf(game), game.place].filter(Boolean).join(", "))));
  show(byId("games"), games.length > 1);
  show(byId("facts"), true);
  byId("games").addEventListener("change", event => showGame(Number(event.target.value), 0));
  addEventListener("hashchange", showAddress);
  showAddress();
}

const colorName = which => say("color", { which });

/** Returns the players of a game that names one. */
const namesOf = ({ players: [black, white] }) => (black || white ? `${black || colorName("black")} – ${white || colorName("white")}` : null);

/** Shows what the address names: a game and a move. */
function showAddress() {
  const [, number, ply] = /^#(\d+)\/(\d+)$/.exec(location.hash) ?? [];
  showGame(games[number - 1] ? number - 1 : 0, Number(ply ?? 0));
}

function showGame(chosen, ply) {
  [index, shown] = [chosen, -1];
  const game = games[index];
  if (!game) return;
  byId("games").value = index;
  const title = namesOf(game) ?? game.place;
  document.querySelector(".title").textContent = title;
  document.title = say("review_of", { title });
  const facts = [say("rule_short", { which: game.rule }), game.size.join("×"), game.result, namesOf(game) && game.place];
  byId("facts").textContent = facts.filter(Boolean).join(" · ");
  stepTo(ply);
  handlers.review(game.review);
}

function stepTo(wanted) {
  const game = games[index], ply = Math.max(0, Math.min(game.moves.length, wanted));
  if (ply === shown) return;
  shown = ply;
  // The address keeps game and move.
  history.replaceState(null, "", `#${index + 1}/${shown}`);
  const position = game.review.positions[shown];
  const player = (name, i) => ({ name: name || colorName(["black", "white"][i]), engine: null, left: null, acts: false, is_timed: false });
  handlers.state({
    ...game, id: `${index}/${shown}`, shown, to_move: position.to_move, over: position.over ? position : null,
    players: game.players.map(player), engines: [{ name: "", can_analyse: false }], settings: {}, opening: null,
    running: false, may_play: false, unsaved: false, forbidden: [], excluded: [], hint: [], hinting: false,
    analysing: false, is_analysis_over: false, lines: 1,
  });
}
