// The icicle as SVG: cells as items of a tree that the keyboard walks through.

const LETTERS = 13; // pixels of height from which a cell bears its name
const NARROWEST = 96; // pixels of a column
const TOP = 0.55; // width of the first column, of that of the others
const WIDE = 150; // pixels of a column in which figures stand too

/** Draws a layout and tells what is done to it: open(cell), up(). */
class ClassChart {
  constructor(tree, { open, up }) {
    this.tree = tree;
    this.acts = { open, up };
    this.tip = el("div", { class: "cls-tip", hidden: true, "aria-hidden": "true" });
    const hatch = svg("pattern", { id: "cls-hatch", width: 6, height: 6,
      patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { width: 6, height: 6, class: "cls-hatch-paper" }),
    svg("rect", { width: 1.5, height: 6, class: "cls-hatch-line" }));
    const thin = svg("pattern", { id: "cls-thin", width: 3, height: 3, patternUnits: "userSpaceOnUse" },
      svg("rect", { width: 3, height: 3, class: "cls-hatch-paper" }),
      svg("rect", { width: 3, height: 1, class: "cls-thin-line" }));
    this.items = svg("g", { role: "tree", "aria-label": "Classes, a column per level" });
    this.texts = svg("g", { "aria-hidden": "true", class: "cls-texts" });
    this.outline = svg("rect", { class: "cls-outline", rx: 2, "aria-hidden": "true" });
    this.ring = svg("rect", { class: "cls-ring", rx: 3, "aria-hidden": "true" });
    this.svg = svg("svg", { class: "cls-icicle" }, svg("defs", null, hatch, thin), this.items,
      this.texts, this.outline, this.ring);
    this.node = el("div", { class: "cls-chart" }, this.svg, this.tip);
    this.pen = document.createElement("canvas").getContext("2d");
    this.listen();
  }

  listen() {
    const { items } = this;
    const cellOf = (event) => this.layout?.cells[event.target.getAttribute("data-cell")];
    items.addEventListener("click", (event) => {
      const cell = cellOf(event);
      if (!cell) return;
      this.focus(event.target.getAttribute("data-cell"));
      this.acts.open(cell);
    });
    items.addEventListener("keydown", (event) => this.steer(event));
    // Not on the items: chromium lets the keyboard stop at an SVG element that listens to the focus.
    this.node.addEventListener("focusin", (event) => {
      if (!items.contains(event.target)) return;
      this.frame(this.ring, event.target);
      this.point(event.target);
    });
    this.node.addEventListener("focusout", () => {
      this.frame(this.ring, null);
      this.point(null);
    });
    this.svg.addEventListener("pointermove", (event) =>
      event.pointerType !== "touch" && this.point(cellOf(event) ? event.target : null, event));
    this.svg.addEventListener("pointerleave", () => this.point(null));
  }

  /** Columns that fit. */
  most() {
    return Math.max(2, Math.floor(this.width / NARROWEST + 1 - TOP));
  }

  /** Look how much room there is; before anything is changed, as that would cost a layout. */
  measure() {
    this.width = Math.max(240, this.node.clientWidth);
    this.height = Math.round(Math.min(680, Math.max(380, window.innerHeight * 0.62)));
    this.font ??= `12px ${getComputedStyle(this.node).fontFamily}`;
  }

  /** Where columns begin, and where the last ends; the first is narrower. */
  edges(columns) {
    if (columns === 1) return [0, this.width];
    const first = Math.max(72, (TOP * this.width) / (columns - 1 + TOP));
    const unit = (this.width - first) / (columns - 1);
    return [0, ...Array.from({ length: columns }, (_, i) => first + i * unit)];
  }

  /** Draw: `look(cell)` gives {fill, ink, label, figure, tip}; the chosen class gets the focus back. */
  draw(layout, chosen, look) {
    const { width, height } = this;
    const edges = this.edges(layout.columns);
    const focused = this.items.contains(document.activeElement);
    this.layout = layout;
    this.look = look;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", height);
    const rects = [];
    const texts = [];
    layout.cells.forEach((cell, i) => {
      const [x, next] = [edges[cell.level], edges[cell.level + 1]];
      const { fill, ink, label, figure } = look(cell);
      const isChosen = !cell.more && cell.node === chosen;
      rects.push(svg("rect", { role: "treeitem", "data-cell": i, x: x + 0.5, y: cell.y + 0.25,
        width: next - x - 1, height: Math.max(cell.h - (cell.h > 5 ? 1 : 0.5), 0.5), fill,
        rx: cell.h > 8 ? 2 : null, class: cell.more ? "more" : null,
        "aria-level": cell.level + 1, "aria-selected": isChosen ? "true" : null,
        "aria-label": label }));
      if (cell.h >= LETTERS) texts.push(...this.text(cell, x, next, ink, isChosen, figure));
    });
    this.items.replaceChildren(...rects);
    this.texts.replaceChildren(...texts);
    const main = layout.cells.findIndex((cell) => !cell.more && cell.node === chosen);
    rects[Math.max(main, 0)].setAttribute("tabindex", 0);
    this.frame(this.outline, rects[main]);
    this.frame(this.ring, null);
    this.point(null);
    if (focused) this.focus(Math.max(main, 0));
  }

  /** The name of a cell, its figure where the column is wide, and a sign where more is below. */
  text(cell, x, next, ink, isChosen, figure) {
    const isDeeper = !cell.more && cell.level + 1 === this.layout.columns
      && this.tree.hasChildren(cell.node);
    const y = cell.y + (cell.level === 0 ? Math.min(cell.h / 2, 16) : cell.h / 2) + 4;
    const end = next - (isDeeper ? 16 : 7);
    this.pen.font = `${isChosen ? "bold " : ""}${this.font}`;
    const look = isChosen ? "chosen" : null;
    const name = cell.more ? `${count(cell.more)} more` : this.tree.label(cell.node);
    let wide = figure && next - x >= WIDE ? this.pen.measureText(figure).width + 10 : 0;
    if (next - x < 2 * WIDE && this.fitted(name, end - x - 6 - wide) !== name) wide = 0; // names first
    const put = (at, text, anchor) =>
      svg("text", { x: at, y, fill: ink, class: look, "text-anchor": anchor, text });
    return [put(x + 6, this.fitted(name, end - x - 6 - wide)),
      ...(wide ? [put(end, figure, "end")] : []), ...(isDeeper ? [put(next - 10, "›")] : [])];
  }

  /** As much of a text as there is room for. */
  fitted(text, room) {
    const letters = Array.from(text.slice(0, 120));
    const wide = (n) => this.pen.measureText(letters.slice(0, n).join("")).width;
    if (text.length > 120) letters.pop(); // it may be half a character
    else if (wide(letters.length) <= room) return text;
    let [low, high] = [0, letters.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (wide(middle) + 9 <= room) low = middle;
      else high = middle - 1;
    }
    return low ? `${letters.slice(0, low).join("").trimEnd()}…` : "";
  }

  /** Put an outline around a cell; above its neighbours, which would cover its own. */
  frame(outline, rect) {
    for (const side of ["x", "y", "width", "height"]) {
      outline.setAttribute(side, rect ? rect.getAttribute(side) : 0);
    }
    outline.setAttribute("visibility", rect ? "visible" : "hidden");
  }

  rect(i) {
    return this.items.querySelector(`[data-cell="${i}"]`);
  }

  /** Move the focus to a cell. */
  focus(i) {
    for (const one of this.items.querySelectorAll("[tabindex]")) one.removeAttribute("tabindex");
    const rect = this.rect(i);
    rect.setAttribute("tabindex", 0);
    rect.focus({ preventScroll: true });
  }

  /** Arrows walk in the drawing, Enter and space open, Escape and Backspace go up. */
  steer(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { cells } = this.layout;
    const at = Number(event.target.getAttribute("data-cell"));
    const cell = cells[at];
    const same = cells.map((one, i) => [one, i]).filter(([one]) => one.level === cell.level);
    const place = same.findIndex(([, i]) => i === at);
    const child = cells.findIndex((one) => one.parent === at);
    const goes = {
      ArrowDown: () => same[place + 1]?.[1],
      ArrowUp: () => same[place - 1]?.[1],
      ArrowRight: () => (child < 0 ? undefined : child),
      ArrowLeft: () => (cell.parent < 0 ? undefined : cell.parent),
      Home: () => same[0][1],
      End: () => same.at(-1)[1],
    };
    if (event.key in goes) {
      const to = goes[event.key]();
      if (to !== undefined) this.focus(to);
      else if (event.key === "ArrowLeft") this.acts.up();
      else if (event.key === "ArrowRight") this.acts.open(cell);
    } else if (event.key === "Enter" || event.key === " ") {
      this.acts.open(cell);
    } else if (event.key === "Escape" || event.key === "Backspace") {
      this.acts.up();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Show what a cell is, beside it. */
  point(rect, event) {
    const cell = rect && this.layout.cells[rect.getAttribute("data-cell")];
    this.tip.hidden = !cell;
    if (!cell) return;
    const key = rect.getAttribute("data-cell");
    if (this.pointed !== rect) this.tip.replaceChildren(...this.look(cell).tip());
    this.pointed = rect;
    const frame = this.node.getBoundingClientRect();
    const box = rect.getBoundingClientRect();
    const x = event ? event.clientX - frame.left + 14 : box.left - frame.left + box.width / 2;
    const y = event ? event.clientY - frame.top + 16 : box.bottom - frame.top + 6;
    const most = frame.width - this.tip.offsetWidth - 4;
    const under = y + this.tip.offsetHeight <= frame.height + 8;
    const over = (event ? event.clientY : box.top) - frame.top - this.tip.offsetHeight - 8;
    this.tip.style.left = `${Math.max(0, Math.min(x, most))}px`;
    this.tip.style.top = `${under ? y : Math.max(0, over)}px`;
    this.tip.dataset.cell = key;
  }
}
