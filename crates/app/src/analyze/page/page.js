// The page of a review: the board at each move, the curve of black's win rate, the moves and marks.

const { games } = JSON.parse(byId("data").textContent);

let game = games[0] ?? { positions: [], summaries: [], width: 15, height: 15 };
let shown = 0;
/** A line to show on the board: the position it begins at and its moves. */
let line = null;

const parsePoint = name => [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];
const other = color => (color === "black" ? "white" : "black");
const last = () => game.positions.length - 1;
const nameOf = position => position.move ?? (position.by ? "pass" : "position");

/** Returns the stones of a position. */
function stonesAt(ply) {
  let start = ply;
  while (start > 0 && !game.positions[start].stones) start--;
  const set = game.positions[start]?.stones ?? {};
  const stones = ["black", "white"].flatMap(color => (set[color] ?? []).map(name => ({ at: parsePoint(name), color })));
  for (let i = start + 1; i <= ply; i++) {
    const { move, by } = game.positions[i];
    if (move) stones.push({ at: parsePoint(move), color: by, number: i });
  }
  return stones;
}

/** Shows a game from a move on. */
function showGame(index, ply = 0) {
  game = games[index] ?? game;
  byId("games").value = String(index);
  const names = [game.black, game.white].map((name, i) => name || ["Black", "White"][i]);
  byId("title").textContent = game.black || game.white ? `${names[0]} – ${names[1]}` : game.place ?? "Review";
  document.title = `${byId("title").textContent}: review`;
  const facts = [game.rule, `${game.width}×${game.height}`, game.result, game.black || game.white ? game.place : null];
  byId("facts").textContent = facts.filter(Boolean).join(" · ");
  byId("sides").tBodies[0].replaceChildren(...game.summaries.map((side, i) => make("tr", {},
    make("th", { scope: "row", title: names[i] }, make("span", { class: `stone ${["black", "white"][i]}` }), names[i]),
    ...[side.moves ? `${side.best}/${side.moves}` : "–", side.inaccuracy, side.mistake, side.blunder, side.missed_wins, side.allowed_wins,
      side.moves ? `${(100 * side.average_loss).toFixed(1)}%` : "–"].map(text => make("td", {}, String(text))))));
  byId("list").replaceChildren(...game.positions.map((position, ply) => {
    const mark = MISTAKES[position.verdict?.mark];
    const sign = mark ? make("span", { class: `sign ${position.verdict.mark}`, title: position.verdict.words }, mark.sign) : null;
    const stone = position.by ? make("span", { class: `stone ${position.by}` }) : null;
    return make("li", {}, make("button", { type: "button", class: "move", onclick: () => stepTo(ply) },
      make("span", { class: "number" }, String(ply)), stone, ply === 0 ? "start" : nameOf(position), sign));
  }));
  shown = -1;
  stepTo(ply);
}

function stepTo(ply) {
  const target = Math.max(0, Math.min(last(), ply));
  if (target === shown) return;
  shown = target;
  line = null;
  // The address tells game and move, so that it can be kept.
  history.replaceState(null, "", `#${games.indexOf(game) + 1}/${shown}`);
  for (const [i, item] of [...byId("list").children].entries()) {
    const button = item.firstChild;
    if (i === shown) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  const item = byId("list").children[shown], list = byId("list");
  // The list scrolls, and the page does not.
  if (item && (item.offsetTop < list.scrollTop + list.offsetTop || item.offsetTop + item.offsetHeight > list.scrollTop + list.offsetTop + list.clientHeight))
    list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
  byId("ply").textContent = `Move ${shown} of ${Math.max(0, last())}`;
  for (const id of ["first", "back"]) byId(id).disabled = shown <= 0;
  for (const id of ["next", "last"]) byId(id).disabled = shown >= last();
  byId("worse-back").disabled = marked(-1) === null;
  byId("worse-next").disabled = marked(1) === null;
  describe();
  renderBoard();
  renderCurve();
}

/** Returns the next marked move in a direction, or null. */
function marked(direction) {
  for (let ply = shown + direction; ply >= 0 && ply <= last(); ply += direction)
    if (game.positions[ply].verdict?.mark) return ply;
  return null;
}

function renderBoard() {
  const host = byId("board");
  const size = [game.width, game.height];
  const room = { width: host.clientWidth, height: parseFloat(getComputedStyle(host).maxHeight) || innerHeight };
  const m = measure(size, cellFor(size, room));
  const svg = draw("svg", { class: "picture", width: m.w, height: m.h, viewBox: `0 0 ${m.w} ${m.h}`, "aria-hidden": "true" });
  svg.append(drawDefinitions(), drawBoard(m));
  host.parentElement.style.setProperty("--board-width", `${m.w}px`);
  const ply = line ? line.ply : shown;
  const position = game.positions[ply];
  const stones = position ? stonesAt(ply) : [];
  const numbers = byId("numbers").checked;
  for (const stone of stones) svg.append(drawStone(m, stone.at, stone.color, { text: numbers && stone.number ? String(stone.number) : "" }));
  const newest = position?.move ? stones.at(-1) : null;
  if (newest) svg.append(drawMark(m, newest.at, numbers ? "ring" : "last", newest.color));
  const row = new Set(line ? [] : position?.row);
  for (const stone of stones) if (row.has(pointName(stone.at))) svg.append(drawMark(m, stone.at, "five", stone.color));
  const taken = new Set(stones.map(stone => pointName(stone.at)));
  if (line) {
    let color = position.toMove;
    line.moves.forEach((name, i) => {
      if (!taken.has(name)) svg.append(drawStone(m, parsePoint(name), color, { text: String(i + 1), ghost: true }));
      taken.add(name);
      color = other(color);
    });
  } else if (position?.line) {
    svg.append(drawCandidate(m, parsePoint(position.line[0]), { rank: 0, rate: position.toMove === "black" ? position.rate : 1 - position.rate, value: "" }));
    if (position.verdict?.mark && position.verdict.best && !taken.has(position.verdict.best) && position.verdict.best !== position.line[0])
      svg.append(drawMark(m, parsePoint(position.verdict.best), "hint"));
  }
  host.replaceChildren(svg);
  host.setAttribute("aria-label", `Board after ${ply} moves: ${stones.map(stone => `${stone.color} ${pointName(stone.at)}`).join(", ") || "empty"}`);
  const black = position?.rate ?? 0.5;
  const bar = byId("chances");
  bar.setAttribute("aria-label", `Win rate: black ${percent(black)}, white ${percent(1 - black)}`);
  bar.children[0].style.width = `${100 * black}%`;
  bar.children[1].textContent = percent(black);
  bar.children[2].textContent = percent(1 - black);
}

function renderCurve() {
  const host = byId("curve"), { positions } = game;
  if (!host.clientWidth || last() < 1) return host.replaceChildren();
  drawCurve({
    plies: last(), shown,
    rates: positions.map(position => position.rate),
    marks: positions.map(position => position.verdict?.mark),
    titles: positions.map((position, ply) => `${ply}. ${nameOf(position)}: black ${percent(position.rate)}`),
    label: "Position on the curve of black's win rate",
  });
}

/** Returns the moves of a line as buttons that show it on the board. */
const movesOf = (ply, moves) => make("span", { class: "line" }, ...moves.map((name, i) =>
  make("button", { type: "button", "data-ply": ply, "data-length": i + 1 }, name)));

/** Says what is thought of the move that led here, and of the position. */
function describe() {
  const position = game.positions[shown], before = game.positions[shown - 1];
  const parts = [];
  if (position?.verdict) {
    const { words, best, before: was, after: is, mark } = position.verdict;
    parts.push(make("p", {}, make("b", {}, `${shown}. ${nameOf(position)}`), ` is ${words} `,
      mark ? make("span", { class: `sign ${mark}` }, MISTAKES[mark].sign) : null));
    parts.push(make("p", { class: "rates quiet" }, `Win rate of ${position.by}: ${percent(was)} before, ${percent(is)} after.`));
    if (best && before?.line) parts.push(make("p", { class: "best" }, mark ? "Better was" : "Best was", movesOf(shown - 1, before.line)));
  } else if (position?.by) {
    parts.push(make("p", {}, make("b", {}, `${shown}. ${nameOf(position)}`)));
  }
  if (position?.over) parts.push(make("p", {}, make("b", {}, `${capital(position.over)}.`)));
  if (position?.line) {
    const side = position.toMove;
    const value = position.winIn ? `${side} wins in ${position.winIn}` : position.lossIn ? `${other(side)} wins in ${position.lossIn}`
      : `win rate of ${side} ${percent(side === "black" ? position.rate : 1 - position.rate)}, score ${position.score > 0 ? "+" : ""}${position.score}`;
    parts.push(make("p", { class: "best" }, `Best for ${side}`, movesOf(shown, position.line)));
    parts.push(make("p", { class: "quiet" }, `${capital(value)}; depth ${position.depth}.`));
  }
  if (position?.comment) parts.push(make("p", { class: "comment" }, position.comment));
  byId("judgement").replaceChildren(...parts);
}

function showLine(event) {
  const button = event?.target.closest?.("[data-length]");
  const ply = Number(button?.dataset.ply);
  line = button ? { ply, moves: game.positions[ply].line.slice(0, Number(button.dataset.length)) } : null;
  renderBoard();
}

byId("first").addEventListener("click", () => stepTo(0));
byId("back").addEventListener("click", () => stepTo(shown - 1));
byId("next").addEventListener("click", () => stepTo(shown + 1));
byId("last").addEventListener("click", () => stepTo(last()));
byId("worse-back").addEventListener("click", () => stepTo(marked(-1) ?? shown));
byId("worse-next").addEventListener("click", () => stepTo(marked(1) ?? shown));
byId("numbers").addEventListener("change", renderBoard);
byId("curve").addEventListener("click", event => event.target.dataset.ply && stepTo(Number(event.target.dataset.ply)));
for (const name of ["pointerover", "focusin"]) byId("judgement").addEventListener(name, showLine);
for (const name of ["pointerleave", "focusout"]) byId("judgement").addEventListener(name, () => showLine(null));
document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("select")) return;
  const go = {
    ArrowLeft: () => stepTo(shown - 1), ArrowRight: () => stepTo(shown + 1), Home: () => stepTo(0), End: () => stepTo(last()),
    ArrowUp: () => stepTo(marked(-1) ?? shown), ArrowDown: () => stepTo(marked(1) ?? shown),
  }[event.key];
  if (!go) return;
  event.preventDefault();
  go();
});
show(byId("games"), games.length > 1);
byId("games").append(...games.map((each, i) => make("option", { value: i }, each.black || each.white ? `${each.black || "Black"} – ${each.white || "White"}, ${each.place}` : each.place)));
byId("games").addEventListener("change", event => showGame(Number(event.target.value)));
const resized = () => { renderBoard(); renderCurve(); };
new ResizeObserver(resized).observe(document.body);
// A higher window has room for a larger board, but may not resize the body.
addEventListener("resize", resized);
const [, index, ply] = /^#(\d+)\/(\d+)$/.exec(location.hash) ?? [];
showGame(index && games[index - 1] ? index - 1 : 0, Number(ply ?? 0));
