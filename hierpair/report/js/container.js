// The packed data: text -> inflated bytes -> named sections, each decoded when first asked for.

/** Open the container of the page; sections are decoded once, at their first use. */
async function openContainer(packed) {
  const bytes = await inflated(bytesOf(packed.trim()));
  let start = 4 + new DataView(bytes.buffer).getUint32(0, true);
  const parsed = (part) => JSON.parse(new TextDecoder().decode(part));
  const sections = new Map(parsed(bytes.subarray(4, start)).map(([name, isNumbers, length]) => {
    const part = bytes.subarray(start, start += length);
    return [name, () => (isNumbers ? integers(part) : parsed(part))];
  }));
  if (start !== bytes.length) {
    throw new Error(`The data of this page are cut off: ${bytes.length} of ${start} bytes.`);
  }
  const decoded = new Map();
  const get = (name) => {
    if (!decoded.has(name)) decoded.set(name, sections.get(name)());
    return decoded.get(name);
  };
  return { has: (name) => sections.has(name), json: get, ints: get };
}

/** Base64, letter by letter, as its text may be of many megabytes. */
function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Seven bits in a byte, the low ones first; 0, 1, 2, 3 … are 0, -1, 1, -2 … */
function integers(bytes) {
  const values = new Int32Array(bytes.reduce((n, byte) => n + (byte < 128), 0));
  for (let i = 0, at = 0; i < values.length; i++) {
    let value = 0;
    let byte = 128;
    for (let shift = 0; byte > 127; shift += 7) {
      byte = bytes[at++];
      value |= (byte & 127) << shift;
    }
    values[i] = (value >>> 1) ^ -(value & 1);
  }
  return values;
}

/** The drawn tree out of preorder and depth; -1 stands above the roots. */
class DrawnTree {
  constructor(pack) {
    this.pack = pack;
    this.depth = pack.ints("up").slice();
    this.n = this.depth.length;
    for (let i = 0, last = -1; i < this.n; i++) {
      last += 1 - this.depth[i]; // so far is the parent above the class before
      this.depth[i] = last;
    }
    this.parent = new Int32Array(this.n);
    this.end = new Int32Array(this.n); // one past the last class below
    this.below = new Uint16Array(this.n); // levels below
    this.roots = [];
    this.others = new Map(); // further parents of classes that have several
    const [steps, up] = [pack.ints("more"), pack.ints("more_up")];
    for (let k = 0, child = 0; k < steps.length; k++) {
      child += steps[k];
      this.others.set(child, [...(this.others.get(child) ?? []), child - up[k]]);
    }
    this.link();
    this.top = this.roots.length === 1 ? 0 : -1;
    this.height = this.roots.reduce((most, root) => Math.max(most, this.below[root] + 1), 0);
  }

  link() {
    const { depth, parent, end, below, n } = this;
    const open = [];
    for (let i = 0; i < n; i++) {
      while (open.length > depth[i]) end[open.pop()] = i;
      if (open.length !== depth[i]) throw new Error("The classes of this page are out of order.");
      parent[i] = open.length ? open.at(-1) : -1;
      if (!open.length) this.roots.push(i);
      open.push(i);
    }
    while (open.length) end[open.pop()] = n;
    for (let i = n - 1; i >= 0; i--) {
      if (parent[i] >= 0) below[parent[i]] = Math.max(below[parent[i]], below[i] + 1);
    }
  }

  /** Names and titles are unpacked when the first is shown. */
  get names() {
    return this.pack.json("names");
  }

  get titles() {
    return this.pack.has("titles") ? this.pack.json("titles") : null;
  }

  /** What a class is called: its title if it has one; a blank in quotes, so that it is seen. */
  label(i) {
    if (i < 0) return "All classes";
    const text = this.titles?.[i] || this.names[i];
    return text.trim() ? text : `“${text}”`;
  }

  /** First number below, and one past the last; of -1: all classes. */
  range(i) {
    return i < 0 ? [0, this.n] : [i, this.end[i]];
  }

  levelsBelow(i) {
    return i < 0 ? this.height : this.below[i];
  }

  hasChildren(i) {
    return i < 0 || this.end[i] > i + 1;
  }

  /** Whether a class is another one or below it. */
  within(i, other) {
    return other < 0 || (i >= other && i < this.end[other]);
  }

  children(i) {
    if (i < 0) return this.roots;
    const found = [];
    for (let c = i + 1; c < this.end[i]; c = this.end[c]) found.push(c);
    return found;
  }

  /** The class and those above it, from the top. */
  path(i) {
    const path = [];
    for (let c = i; c >= 0; c = this.parent[c]) path.push(c);
    if (this.top < 0) path.push(-1);
    return path.reverse();
  }

  /** The child of a class in whose branch another class lies. */
  branch(i, above) {
    let c = i;
    while (this.parent[c] !== above) c = this.parent[c];
    return c;
  }

  /** Sums over each class and all below it; the last entry is the sum of all. */
  sums(own) {
    const total = new Float64Array(this.n + 1);
    for (let i = this.n - 1; i >= 0; i--) {
      total[i] += own[i];
      total[this.parent[i] < 0 ? this.n : this.parent[i]] += total[i];
    }
    return total;
  }
}

const readTree = (pack) => new DrawnTree(pack);
