// The board on the page: a picture, and above it a grid of buttons for pointers, keys and voices.

import { draw, make } from "./dom.js";
import { cellFor, drawBoard, drawCandidate, drawDefinitions, drawMark, drawStone, measure, middle } from "./drawing.js";
import { isSamePoint, pointName } from "./words.js";

/** Below this size of a cell a finger aims first and plays then. */
const FINGER = 26;

export class Board {
  #host; #svg; #grid; #size = null; #m = null; #model = null; #buttons = []; #focus = [0, 0];
  #still = null; #moving = null; #aimed = null;

  /** `chosen` is called with a point that was clicked, `pointed` with one under the pointer or null. */
  constructor(host, chosen, pointed) {
    this.#host = host;
    this.chosen = chosen;
    this.pointed = pointed;
    this.#svg = draw("svg", { "aria-hidden": "true", class: "picture" });
    this.#grid = make("div", { class: "points", role: "grid", "aria-label": "Board" });
    host.append(this.#svg, this.#grid);
    this.#grid.addEventListener("click", event => this.#click(event));
    this.#grid.addEventListener("keydown", event => this.#key(event));
    this.#grid.addEventListener("pointermove", event => event.pointerType === "mouse" && this.#point(event.target));
    this.#grid.addEventListener("pointerleave", () => this.#point(null));
    this.#grid.addEventListener("focusin", event => this.#focused(event.target));
    this.#grid.addEventListener("focusout", () => this.#point(null));
    new ResizeObserver(() => this.#resize()).observe(host);
    // A higher window has room for a larger board, but does not resize the host.
    addEventListener("resize", () => this.#resize());
  }

  /** Shows a model: size, stones, numbers, five, marks, candidates, line, toMove and isActive. */
  show(model) {
    this.#model = model;
    if (!this.#size || this.#size[0] !== model.size[0] || this.#size[1] !== model.size[1]) {
      this.#size = [...model.size];
      this.#makeButtons();
      this.#resize(true);
    }
    const isTaken = ({ at }) => this.#aimed && isSamePoint(at, this.#aimed);
    if (!model.isActive || model.stones.some(isTaken)) this.#aimed = null;
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
    this.#button(this.#focus)?.focus();
  }

  /** Returns the picture. */
  get picture() {
    return this.#svg;
  }

  #makeButtons() {
    const [width, height] = this.#size;
    this.#focus = [Math.floor(width / 2), Math.floor(height / 2)];
    this.#aimed = null;
    this.#grid.setAttribute("aria-rowcount", height);
    this.#grid.setAttribute("aria-colcount", width);
    this.#buttons = [];
    this.#grid.replaceChildren(...Array.from({ length: height }, (_, y) =>
      make("div", { role: "row", class: "points-row" }, ...Array.from({ length: width }, (_, x) => {
        const button = make("button", { type: "button", role: "gridcell", tabindex: "-1", "data-point": pointName([x, y]) });
        button.point = [x, y];
        this.#buttons.push(button);
        return button;
      }))));
    this.#button(this.#focus).tabIndex = 0;
  }

  #button([x, y]) {
    return this.#buttons[y * this.#size[0] + x];
  }

  #resize(isNew = false) {
    if (!this.#size) return;
    const style = getComputedStyle(this.#host);
    const room = { width: this.#host.clientWidth, height: parseFloat(style.maxHeight) || innerHeight };
    const cell = cellFor(this.#size, room);
    if (!isNew && this.#m?.cell === cell) return;
    const m = (this.#m = measure(this.#size, cell));
    const svg = this.#svg;
    svg.setAttribute("viewBox", `0 0 ${m.w} ${m.h}`);
    svg.setAttribute("width", m.w);
    svg.setAttribute("height", m.h);
    this.#still = draw("g", {});
    this.#moving = draw("g", {});
    svg.replaceChildren(drawDefinitions(), drawBoard(m), this.#still, this.#moving);
    const grid = this.#grid.style;
    const [left, top] = middle(m, [0, 0]);
    Object.assign(grid, {
      left: `${left - cell / 2}px`, top: `${top - cell / 2}px`,
      width: `${m.width * cell}px`, height: `${m.height * cell}px`,
    });
    grid.setProperty("--cell", `${cell}px`);
    this.#host.parentElement.style.setProperty("--board-width", `${m.w}px`);
    if (this.#model) this.show(this.#model);
  }

  #drawStones() {
    const { stones, numbers, five = [] } = this.#model;
    const last = stones.at(-1);
    const wins = new Set(five.map(pointName));
    this.#still.replaceChildren(...stones.map(stone => {
      const text = numbers && stone.number ? String(stone.number) : "";
      return drawStone(this.#m, stone.at, stone.color, { text });
    }));
    if (last?.number && !numbers) this.#still.append(drawMark(this.#m, last.at, "last", last.color));
    if (last?.number && numbers) this.#still.append(drawMark(this.#m, last.at, "ring", last.color));
    for (const stone of stones) {
      if (wins.has(pointName(stone.at))) this.#still.append(drawMark(this.#m, stone.at, "five", stone.color));
    }
  }

  #drawMarks() {
    const { marks = {}, candidates = [], line = null, stones } = this.#model;
    const parts = [];
    const taken = new Set(stones.map(stone => pointName(stone.at)));
    const free = points => points.filter(point => !taken.has(pointName(point)));
    for (const [name, points] of Object.entries(marks)) {
      for (const point of free(points)) parts.push(drawMark(this.#m, point, name));
    }
    if (line) {
      let color = line.toMove;
      const seen = new Set(taken);
      line.moves.forEach((point, i) => {
        if (!seen.has(pointName(point))) parts.push(drawStone(this.#m, point, color, { text: String(i + 1), ghost: true }));
        seen.add(pointName(point));
        color = color === "black" ? "white" : "black";
      });
    } else {
      for (const candidate of candidates) {
        if (!taken.has(pointName(candidate.at))) parts.push(drawCandidate(this.#m, candidate.at, candidate));
      }
    }
    if (this.#aimed) {
      parts.push(drawMark(this.#m, this.#aimed, "aim"));
      if (this.#model.toMove !== "none") parts.push(drawStone(this.#m, this.#aimed, this.#model.toMove, { ghost: true }));
    }
    this.#moving.replaceChildren(...parts);
  }

  /** Says what lies on each point. */
  #label() {
    const { stones, marks = {} } = this.#model;
    const words = new Map(stones.map((stone, i) => {
      const number = stone.number ? `, move ${stone.number}` : "";
      const last = stone.number && i === stones.length - 1 ? ", the last one" : "";
      return [pointName(stone.at), `${stone.color} stone${number}${last}`];
    }));
    for (const point of marks.forbidden ?? []) words.set(pointName(point), "forbidden for black");
    for (const point of marks.blocked ?? []) words.set(pointName(point), "blocked");
    for (const point of marks.best ?? []) words.set(pointName(point), "best move");
    for (const point of marks.hint ?? []) words.set(pointName(point), "hint");
    for (const button of this.#buttons) {
      const name = button.dataset.point;
      const label = `${name}, ${words.get(name) ?? "empty"}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
    const taken = new Set([...stones.map(({ at }) => at), ...marks.forbidden ?? []].map(pointName));
    for (const button of this.#buttons) button.toggleAttribute("data-free", !taken.has(button.dataset.point));
    this.#grid.classList.toggle("active", this.#model.isActive);
    this.#grid.dataset.color = this.#model.toMove;
  }

  #click(event) {
    const point = event.target.point;
    if (!point) return;
    const isFinger = event.pointerType === "touch" && this.#m.cell < FINGER;
    const isAimed = this.#aimed && isSamePoint(this.#aimed, point);
    if (isFinger && this.#model.isActive && !isAimed) {
      this.#aimed = point;
      this.#drawMarks();
      return;
    }
    this.#aimed = null;
    this.#drawMarks();
    this.chosen(point);
  }

  #key(event) {
    const [width, height] = this.#size;
    let [x, y] = this.#focus;
    const step = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-width, 0], End: [width, 0], PageUp: [0, -height], PageDown: [0, height],
    }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    x = Math.min(width - 1, Math.max(0, x + step[0]));
    y = Math.min(height - 1, Math.max(0, y + step[1]));
    this.#button([x, y]).focus();
  }

  #focused(button) {
    if (!button.point) return;
    this.#button(this.#focus).tabIndex = -1;
    this.#focus = button.point;
    button.tabIndex = 0;
    if (button.matches(":focus-visible")) this.#point(button);
  }

  #point(element) {
    this.pointed(element?.point ?? null);
  }
}
