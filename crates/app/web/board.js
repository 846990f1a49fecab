// The board on the page: a picture, and above it a grid of buttons for pointers, keys and voices.

import { draw, hasModifier, make } from "./dom.js";
import { cellFor, drawBoard, drawCandidate, drawDefinitions, drawMark, drawNote, drawStone, measure, middle } from "./drawing.js";
import { parsePoint, placeOf, pointName, say, sizeSeen } from "./words.js";

/** Below this size of a cell a finger aims first and plays then. */
const FINGER = 26;
/** Below this size a finger that stays for so many milliseconds gets a lens of so many pixels, so far from it. */
const SMALL = 30, STAY = 300, LENS = 150, GAP = 36;

export class Board {
  #host; #grid; #seen = null; #m = null; #model = null; #buttons = new Map(); #focus = "a1";
  #still = null; #moving = null; #aimed = null; #clicked = null; #shown = 0; #id = null;

  /** `chosen` is called with a point that was clicked, `pointed` with one under the pointer or null. */
  constructor(host, chosen, pointed) {
    this.#host = host;
    this.chosen = chosen;
    this.pointed = pointed;
    /** The picture. */
    this.picture = draw("svg", { "aria-hidden": "true", class: "picture" });
    this.#grid = make("div", { class: "points", role: "grid", "aria-label": say("board") });
    host.append(this.picture, this.#grid);
    this.#grid.addEventListener("click", event => this.#click(event));
    this.#grid.addEventListener("keydown", event => this.#key(event));
    this.#grid.addEventListener("pointermove", event => event.pointerType === "mouse" && this.#point(event.target));
    this.#grid.addEventListener("pointerleave", () => this.#point(null));
    this.#grid.addEventListener("focusin", event => this.#focused(event.target));
    this.#grid.addEventListener("focusout", () => this.#point(null));
    this.#prepareLens();
    new ResizeObserver(() => this.#resize()).observe(host);
    // A higher window has room for a larger board, but does not resize the host.
    addEventListener("resize", () => this.#resize());
  }

  /** Shows a model: id of the position, size, rows, view, stones, numbers, five, marks, notes, candidates, line, toMove and isActive. */
  show(model) {
    this.#model = model;
    const { size, rows, view } = model;
    const seen = { size, rows, view };
    if (JSON.stringify(seen) !== JSON.stringify(this.#seen)) {
      this.#seen = seen;
      this.#makeButtons();
      this.#resize(true);
    }
    if (model.id !== this.#id || !model.isActive || model.stones.some(({ at }) => at === this.#aimed)) this.#aimed = null;
    this.#id = model.id;
    this.#drawStones();
    this.#drawMarks();
    this.#label();
  }

  /** Shows thoughts and lines again, which change often. */
  showMarks(model) {
    this.#model = model;
    if (this.#m) this.#drawMarks();
  }

  /** Puts the keyboard on the board. */
  focus() {
    this.#buttons.get(this.#focus)?.focus();
  }

  #makeButtons() {
    const { size: [width, height], rows, view } = this.#seen;
    this.#focus = pointName([Math.floor(width / 2), Math.floor(height / 2)]);
    this.#aimed = null;
    this.#buttons.clear();
    const [columns, lines] = sizeSeen({ width, height, view });
    this.#grid.setAttribute("aria-rowcount", lines);
    this.#grid.setAttribute("aria-colcount", columns);
    const cells = Array.from({ length: lines }, () => []);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const name = pointName([x, y]);
        const [column, line] = placeOf([x, y], { width, height, rows, view });
        cells[line][column] = make("button", { type: "button", role: "gridcell", tabindex: "-1", "data-point": name });
        this.#buttons.set(name, cells[line][column]);
      }
    }
    this.#grid.replaceChildren(...cells.map(buttons => make("div", { role: "row", class: "points-row" }, ...buttons)));
    this.#buttons.get(this.#focus).tabIndex = 0;
  }

  #resize(isNew = false) {
    if (!this.#seen) return;
    const style = getComputedStyle(this.#host);
    const room = { width: this.#host.clientWidth, height: parseFloat(style.maxHeight) || innerHeight };
    const cell = cellFor(this.#seen, room);
    if (!isNew && this.#m?.cell === cell) return;
    const m = (this.#m = measure(this.#seen, cell));
    const svg = this.picture;
    svg.setAttribute("viewBox", `0 0 ${m.w} ${m.h}`);
    svg.setAttribute("width", m.w);
    svg.setAttribute("height", m.h);
    this.#still = draw("g", {});
    this.#moving = draw("g", {});
    svg.replaceChildren(drawDefinitions(), drawBoard(m), this.#still, this.#moving);
    const grid = this.#grid.style;
    const [columns, lines] = sizeSeen(m);
    const corner = `${m.margin + 0.5 - cell / 2}px`;
    Object.assign(grid, {
      left: corner, top: corner,
      width: `${columns * cell}px`, height: `${lines * cell}px`,
    });
    grid.setProperty("--cell", `${cell}px`);
    this.#host.parentElement.style.setProperty("--board-width", `${m.w}px`);
    if (this.#model) this.show(this.#model);
  }

  #drawStones() {
    const { stones, numbers, five = [] } = this.#model;
    const last = stones.at(-1);
    const wins = new Set(five);
    this.#still.replaceChildren(...stones.map(stone => {
      const text = numbers && stone.number ? String(stone.number) : "";
      return drawStone(this.#m, stone.at, stone.color, { text });
    }));
    // One stone more than before moves in.
    if (last && stones.length === this.#shown + 1) this.#still.lastChild.classList.add("new");
    this.#shown = stones.length;
    if (last?.number && !numbers) this.#still.append(drawMark(this.#m, last.at, "last", last.color));
    if (last?.number && numbers) this.#still.append(drawMark(this.#m, last.at, "ring", last.color));
    for (const stone of stones) {
      if (wins.has(stone.at)) this.#still.append(drawMark(this.#m, stone.at, "five", stone.color));
    }
  }

  #drawMarks() {
    const { marks = {}, candidates = [], line = null, stones, notes } = this.#model;
    const parts = [];
    const taken = new Set(stones.map(({ at }) => at));
    const free = points => points.filter(point => !taken.has(point));
    for (const [name, points] of Object.entries(marks)) {
      for (const point of free(points)) parts.push(name === "offered" ? drawStone(this.#m, point, "black", { ghost: true }) : drawMark(this.#m, point, name));
    }
    if (line) {
      let color = line.toMove;
      const seen = new Set(taken);
      line.moves.forEach((point, i) => {
        if (!seen.has(point)) parts.push(drawStone(this.#m, point, color, { text: String(i + 1), ghost: true }));
        seen.add(point);
        color = color === "black" ? "white" : "black";
      });
    } else {
      for (const candidate of candidates) {
        if (!taken.has(candidate.at)) parts.push(drawCandidate(this.#m, candidate.at, candidate));
      }
    }
    const colors = new Map(stones.map(({ at, color }) => [at, color]));
    // A candidate's number goes before a note.
    const covered = new Set(candidates.map(({ at }) => at));
    const noted = [...notes?.marks ?? [], ...notes?.labels ?? []];
    parts.push(...noted.flatMap(([point, what], i) =>
      (covered.has(point) ? [] : [drawNote(this.#m, point, what, i >= notes.marks.length, colors.get(point) ?? "wood")])));
    if (this.#aimed) {
      parts.push(drawMark(this.#m, this.#aimed, "aim"));
      if (this.#model.toMove !== "none") parts.push(drawStone(this.#m, this.#aimed, this.#model.toMove, { ghost: true }));
    }
    this.#moving.replaceChildren(...parts);
    this.#grid.classList.toggle("line-shown", Boolean(line));
  }

  /** Says what lies on each point. */
  #label() {
    const { stones, marks = {}, candidates = [], notes, fouls = [] } = this.#model;
    const words = new Map(stones.map((stone, i) => {
      let label = say("stone_at", { which: stone.color });
      if (stone.number) label = say("stone_move", { stone: label, number: stone.number });
      if (stone.number && i === stones.length - 1) label = say("stone_last", { stone: label });
      return [stone.at, label];
    }));
    (marks.forbidden ?? []).forEach((point, i) => words.set(point, say("point_forbidden", { why: say("foul", { which: fouls[i] }) })));
    for (const point of marks.excluded ?? []) words.set(point, say("point_excluded"));
    const noted = [...(notes?.marks ?? []).map(([at, which]) => [at, say("mark", { which })]), ...notes?.labels ?? []];
    for (const [at, what] of noted) words.set(at, [words.get(at), what].filter(Boolean).join(", "));
    for (const { at, label } of candidates) if (label) words.set(at, label);
    for (const point of marks.offered ?? []) words.set(point, say("point_offered"));
    for (const point of marks.hint ?? []) words.set(point, say("point_hint"));
    const taken = new Set([...stones.map(({ at }) => at), ...marks.forbidden ?? []]);
    for (const [name, button] of this.#buttons) {
      const label = `${name}, ${words.get(name) ?? say("point_empty")}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
      button.toggleAttribute("data-free", !taken.has(name));
      button.title = marks.forbidden?.includes(name) ? words.get(name) : "";
    }
    this.#grid.classList.toggle("active", this.#model.isActive);
    this.#grid.dataset.color = this.#model.toMove;
  }

  #click(event) {
    const { point } = event.target.dataset;
    if (!point) return;
    const isFinger = event.pointerType === "touch" && this.#m.cell < FINGER;
    // A double click is one click.
    if (event.detail > 1 && point === this.#clicked) return;
    this.#clicked = null;
    if (isFinger && this.#model.isActive && this.#aimed !== point) return this.#aim(point);
    this.#aim(null);
    this.#clicked = point;
    this.chosen(point);
  }

  /** A finger that stays sees the points under it in a lens: moving aims, lifting plays, leaving the board ends it. */
  #prepareLens() {
    const lens = draw("svg", { class: "picture lens", "aria-hidden": "true", width: LENS, height: LENS });
    let stay = null;
    const end = () => {
      clearTimeout(stay);
      stay = null;
      if (lens.isConnected) this.#aim(null);
      lens.remove();
    };
    const look = (element, { clientX: x, clientY: y }) => {
      const point = this.#grid.contains(element) && element.dataset.point;
      if (!point) return end();
      this.#aim(point);
      const reach = 1.8 * this.#m.cell, [left, top] = middle(this.#m, point).map(at => at - reach);
      lens.setAttribute("viewBox", `${left} ${top} ${2 * reach} ${2 * reach}`);
      lens.replaceChildren(...this.picture.cloneNode(true).childNodes);
      // Where there is no room above the finger, the lens is beside it.
      const above = y - GAP - LENS, beside = x < innerWidth / 2 ? x + GAP : x - GAP - LENS;
      lens.style.left = `${above < 0 ? beside : Math.min(Math.max(0, x - LENS / 2), innerWidth - LENS)}px`;
      lens.style.top = `${Math.max(0, above)}px`;
      this.#host.append(lens);
    };
    const on = (name, act) => this.#grid.addEventListener(name, act);
    on("pointerdown", event => {
      end();
      const isFinger = event.pointerType === "touch" && event.isPrimary;
      if (isFinger && this.#m.cell < SMALL && this.#model.isActive) stay = setTimeout(() => look(event.target, event), STAY);
    });
    on("pointercancel", end);
    on("touchmove", event => {
      if (!lens.isConnected) return;
      // The page would move instead.
      event.preventDefault();
      const [finger] = event.touches;
      look(document.elementFromPoint(finger.clientX, finger.clientY), finger);
    });
    on("touchend", event => {
      const point = lens.isConnected && this.#aimed;
      end();
      if (!point) return;
      event.preventDefault();
      this.chosen(point);
    });
    on("contextmenu", event => stay && event.preventDefault());
  }

  #aim(point) {
    this.#aimed = point;
    this.#drawMarks();
  }

  #key(event) {
    const [columns, lines] = sizeSeen(this.#m);
    const step = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-columns, 0], End: [columns, 0], PageUp: [0, -lines], PageDown: [0, lines],
    }[event.key];
    if (!step || hasModifier(event)) return;
    event.preventDefault();
    const [column, line] = placeOf(parsePoint(this.#focus), this.#m);
    const within = (number, count) => Math.min(count - 1, Math.max(0, number));
    this.#grid.children[within(line + step[1], lines)].children[within(column + step[0], columns)].focus();
  }

  #focused(button) {
    if (!button.dataset.point) return;
    this.#buttons.get(this.#focus).tabIndex = -1;
    this.#focus = button.dataset.point;
    button.tabIndex = 0;
    // What is thought of it may be new.
    this.#label();
    if (button.matches(":focus-visible")) this.#point(button);
  }

  #point(element) {
    this.pointed(element?.dataset.point ?? null);
  }
}
