// The icicle: its colours, where its cells go, and the cells as items of a tree that the keyboard walks through.

// Colours of figures. What is wrong stands out from the page: dark on light, bright on dark. Lightness
// falls or rises all along, so that colour-blind readers and grey print keep the order.

const SEQUENTIAL = { // from good to bad
  light: ["#dcefe6", "#b4ddcf", "#84c9bd", "#57afae", "#39919f", "#31728f", "#33537c", "#343462",
    "#241642"],
  dark: ["#2a5069", "#2d647b", "#357987", "#478f8e", "#68a790", "#93be91", "#c0d393", "#e7e5a6",
    "#fff9d6"],
};
const DIVERGING = {
  light: ["#8a3c00", "#cc5a00", "#f0a060", "#efece6", "#8fc1e6", "#2f86c5", "#00477a"],
  dark: ["#ffc08a", "#ee8a2e", "#9a5414", "#3b3f46", "#1f6196", "#3f9fe0", "#a6d8ff"],
};
const BOUNDS = [0.02, 0.05, 0.1, 0.2, 0.5, 1]; // ends of the scale of differences

const isDark = () => {
  if (window.matchMedia("print").matches) return false;
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
};

/** A colour scale: fill(value), ink(value) for text upon it, ticks for the legend. */
class Scale {
  constructor(stops, low, high) {
    Object.assign(this, { stops: stops.map(rgb), low, high });
    this.steps = Array.from({ length: 101 }, (_, i) => this.mixed(i / 100));
  }

  /** Where on the scale a value is, 0 to 1. */
  place(value) {
    return Math.min(1, Math.max(0, (value - this.low) / (this.high - this.low)));
  }

  step(value) {
    return this.steps[Math.round(100 * this.place(value))];
  }

  /** The value at a place of the scale. */
  value(place) {
    return this.low + place * (this.high - this.low);
  }

  mixed(t) {
    const at = Math.min(t * (this.stops.length - 1), this.stops.length - 1.000001);
    const [a, b] = [this.stops[Math.floor(at)], this.stops[Math.floor(at) + 1]];
    const colour = a.map((x, i) => Math.round(x + (b[i] - x) * (at % 1)));
    const [r, g, b2] = colour.map((x) => (x / 255) ** 2.2);
    const light = 0.2126 * r + 0.7152 * g + 0.0722 * b2; // 0.18 is as far from black as from white
    const hex = colour.map((x) => x.toString(16).padStart(2, "0")).join("");
    return { fill: `#${hex}`, ink: light < 0.18 ? "#ffffff" : "#000000" };
  }
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** Scale from 0 to 1. */
function sequentialScale() {
  return new Scale([...SEQUENTIAL[isDark() ? "dark" : "light"]].reverse(), 0, 1);
}

/** Scale of differences: its ends hold 95 in 100 of the values; the others have the end colours. */
function divergingScale(values) {
  const sizes = values.filter((x) => !Number.isNaN(x)).map(Math.abs).sort((a, b) => a - b);
  const most = sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1;
  const bound = BOUNDS.find((b) => b >= most) ?? 1;
  return new Scale(DIVERGING[isDark() ? "dark" : "light"], -bound, bound);
}

/** What the colours mean: a bar with its values below, and the pattern of "no value". */
function legendOf(scale, { text, ends, digits, width = 260, inner = [0.25, 0.5, 0.75] }) {
  const parts = 44;
  const bar = svg("svg", { class: "cls-bar", viewBox: `0 0 ${width} 26`, width, height: 26,
    role: "img", "aria-label": `${text}: from ${ends[0]} to ${ends[1]}` });
  for (let i = 0; i < parts; i++) {
    const fill = scale.step(scale.value((i + 0.5) / parts)).fill;
    bar.append(svg("rect", { x: (i * width) / parts, y: 0, width: width / parts + 0.5, height: 10,
      fill }));
  }
  const tick = (place, anchor, value) => bar.append(svg("text", { x: place * width, y: 23,
    "text-anchor": anchor, class: "cls-tick", text: value }));
  tick(0, "start", ends[0]);
  for (const place of inner) tick(place, "middle", digits(scale.value(place)));
  tick(1, "end", ends[1]);
  return bar;
}

// Where the cells of the icicle go: a column per level, heights by size. No drawing here.

const SMALLEST = 2; // pixels: what is lower is gathered in one stripe
const STRIPE = 14; // pixels that a stripe takes if it can
const READABLE = 16; // pixels that the chosen class takes if it can
const SPARSE = 0.12; // a last column of which less is filled is left out
const FEW = 6; // fewer cells than this in a small part of the column: the largest are listed

/**
 * Lay out what is below a class.
 *
 * {tree, sizes, top, from, chosen, columns, height} -> {cells, columns, scaled}. `from` leaves out that many
 * of the largest children of `top`; `chosen` is drawn even where it is small. A cell is
 * {node, level, y, h, parent, more, from}: `more` counts the gathered siblings of a stripe (0 for a
 * class), of which the largest is the child number `from` by size.
 */
function layoutIcicle(asked) {
  const layout = new Icicle(asked);
  layout.draw();
  return layout;
}

class Icicle {
  constructor({ tree, sizes, top, from = 0, chosen = top, columns, height }) {
    Object.assign(this, { tree, sizes, top, from, columns, height });
    this.chosen = new Set(tree.path(chosen));
    this.cells = [];
  }

  size(node) {
    return this.sizes[node < 0 ? this.tree.n : node];
  }

  draw() {
    const { top, height } = this;
    this.cells.push({ node: top, level: 0, y: 0, h: height, parent: -1, more: 0, from: this.from });
    for (let i = 0; i < this.cells.length; i++) {
      const cell = this.cells[i];
      if (!cell.more && cell.level + 1 < this.columns) this.place(cell, i);
    }
    this.trim();
  }

  /** Leave out the last columns while they are nearly empty: the others get their room. */
  trim() {
    const filled = new Array(this.columns).fill(0);
    let least = 0; // what is chosen stays
    for (const { node, level, h, more } of this.cells) {
      filled[level] += h;
      if (!more && this.chosen.has(node)) least = Math.max(least, level);
    }
    let columns = this.columns;
    while (columns > least + 1 && columns > 2 && filled[columns - 1] < SPARSE * this.height) columns -= 1;
    while (columns > 1 && filled[columns - 1] === 0) columns -= 1;
    this.columns = columns;
    this.cells = this.cells.filter((cell) => cell.level < columns);
  }

  /** The children of a cell: those of two pixels or more by size, the others in a stripe. */
  place(cell, parent) {
    if (cell.h < SMALLEST || !this.tree.hasChildren(cell.node)) return;
    const isTop = cell.level === 0;
    const { children, sum, skipped } = this.childrenOf(cell.node, isTop ? this.from : 0);
    if (children.length === 0) return;
    const own = skipped ? 0 : this.size(cell.node) - sum;
    const room = sum > 0 ? (cell.h * sum) / (sum + own) : isTop ? cell.h : 0;
    if (room < SMALLEST) return;
    let drawn = this.split(children, sum, room);
    const high = drawn.list.reduce((total, one) => total + one.h, 0);
    if (isTop && drawn.rest > 0 && drawn.list.length < FEW && high < room / 3) drawn = this.listed(children, room);
    let y = cell.y;
    const level = cell.level + 1;
    for (const { node, h } of drawn.list) {
      this.cells.push({ node, level, y, h, parent, more: 0, from: 0 });
      y += h;
    }
    if (drawn.rest > 0) {
      const h = cell.y + room - y;
      const from = skipped + drawn.largest;
      this.cells.push({ node: cell.node, level, y, h, parent, more: drawn.rest, from });
    }
  }

  /** The children of a class but the largest `from`, and the sum of their sizes. */
  childrenOf(node, from) {
    const { tree, sizes } = this;
    let children = tree.children(node);
    const skipped = Math.min(from, children.length - 1);
    if (skipped > 0) children = bySize(children, sizes).slice(skipped);
    let sum = 0;
    for (const child of children) sum += sizes[child];
    return { children, sum, skipped };
  }

  /** The children that are high enough, largest first, and how many are not. */
  split(children, sum, room) {
    const { sizes, chosen } = this;
    const forced = children.find((c) => chosen.has(c) && (sizes[c] * room) / sum < READABLE);
    const least = forced === undefined ? 0 : Math.min(READABLE, room / 3);
    let scale = (room - least) / sum;
    let large = children.filter((c) => c !== forced && sizes[c] * scale >= SMALLEST);
    const others = children.length - (forced === undefined ? 0 : 1);
    if (large.length < others) {
      const kept = large.reduce((total, c) => total + sizes[c], 0);
      const stripe = Math.min(STRIPE, room / 4);
      const free = room - least;
      if (free - kept * scale < stripe && kept > 0) {
        scale = (free - stripe) / kept;
        large = large.filter((c) => sizes[c] * scale >= SMALLEST);
      }
    }
    const list = bySize(large, sizes).map((node) => ({ node, h: sizes[node] * scale }));
    if (forced !== undefined) list.push({ node: forced, h: least });
    return { list, rest: children.length - list.length, largest: large.length };
  }

  /** The largest children at equal heights, where by size next to none could be seen. */
  listed(children, room) {
    const most = Math.max(1, Math.floor((room - STRIPE) / READABLE) - 1);
    const list = bySize(children, this.sizes).slice(0, most);
    const rest = children.length - list.length;
    const h = (room - (rest ? STRIPE : 0)) / list.length;
    const chosen = children.find((c) => this.chosen.has(c));
    const misses = chosen !== undefined && !list.includes(chosen);
    if (misses) list[list.length - 1] = chosen;
    return { list: list.map((node) => ({ node, h })), rest, largest: list.length - misses };
  }
}

/** Numbers of classes by falling size; of equal size: by number. */
function bySize(children, sizes) {
  return [...children].sort((a, b) => sizes[b] - sizes[a] || a - b);
}

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
