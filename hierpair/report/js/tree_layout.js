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
    this.scaled = true; // whether heights are sizes everywhere
  }

  size(node) {
    return this.sizes[node < 0 ? this.tree.n : node];
  }

  draw() {
    const { top, height } = this;
    this.put({ node: top, level: 0, y: 0, h: height, parent: -1, more: 0, from: this.from });
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

  put(cell) {
    this.cells.push(cell);
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
    if (isTop && drawn.rest > 0 && drawn.list.length < FEW && high < room / 3) {
      drawn = this.listed(children, room);
      this.scaled = false;
    }
    let y = cell.y;
    const level = cell.level + 1;
    for (const { node, h } of drawn.list) {
      this.put({ node, level, y, h, parent, more: 0, from: 0 });
      y += h;
    }
    if (drawn.rest > 0) {
      const h = cell.y + room - y;
      const from = skipped + drawn.largest;
      this.put({ node: cell.node, level, y, h, parent, more: drawn.rest, from });
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
  const n = children.length;
  if (n < 2) return children;
  const keys = new Float64Array(n);
  let most = 0;
  for (let i = 0; i < n; i++) most = Math.max(most, sizes[children[i]]);
  for (let i = 0; i < n; i++) keys[i] = (most - sizes[children[i]]) * n + i;
  keys.sort(); // numbers, without a function to compare: 0.3 million in some 20 ms
  return Array.from(keys, (key) => children[key % n]);
}
