// Where mistakes went: wrong pairs (true class missed, class predicted instead) and their branches.

/** The wrong pairs of each system, and how they are grouped along the path of a class. */
class Mistakes {
  constructor(pack, tree, below) {
    this.pack = pack;
    this.tree = tree;
    this.below = below;
    this.kept = new Map();
  }

  present(system) {
    return this.pack.has(`conf_times:${system}`);
  }

  /** {sources, targets, counts, shown, all, …} of a system; sorted by source. */
  of(system) {
    if (!this.kept.has(system)) {
      const [steps, behind, counts] = ["missed", "wrong", "times"].map((name) =>
        this.pack.ints(`conf_${name}:${system}`));
      const sources = steps.slice();
      for (let i = 1; i < sources.length; i++) sources[i] += sources[i - 1];
      const targets = behind.map((step, i) => sources[i] + step);
      this.kept.set(system, { sources, targets, counts, ...this.pack.json("conf_of")[system] });
    }
    return this.kept.get(system);
  }

  /** Pairs whose missed class is within a range: their places, first and one past the last. */
  between(system, first, end) {
    const { sources } = this.of(system);
    return [placeIn(sources, first), placeIn(sources, end)];
  }

  /** What was predicted where a class itself was missed: [class, count], largest first. */
  instead(system, node) {
    const { targets, counts } = this.of(system);
    const [first, end] = this.between(system, node, node + 1);
    const found = [];
    for (let i = first; i < end; i++) found.push([targets[i], counts[i]]);
    return rankedPairs(found);
  }

  /** What was missed where a class was predicted wrongly: [class, count], largest first. */
  takenFor(system, node) {
    const { sources, targets, counts } = this.of(system);
    const found = [];
    for (let i = targets.indexOf(node); i >= 0; i = targets.indexOf(node, i + 1)) {
      found.push([sources[i], counts[i]]);
    }
    return rankedPairs(found);
  }

  /**
   * What was predicted for all missed classes in and below a class, by the branch in which it lies:
   * for each class of the path, nearest first, {above, count, branches: [class, count]}. The branch
   * of a prediction that is a class of the path is that class itself.
   */
  branches(system, node) {
    const { tree, below } = this;
    const { targets, counts } = this.of(system);
    const path = tree.path(node).reverse();
    const found = path.map((above) => ({ above, count: 0, branches: new Map() }));
    for (const range of below.ranges(node)) {
      const [first, end] = this.between(system, ...range);
      for (let i = first; i < end; i++) {
        const target = targets[i];
        const group = found[path.findIndex((above) => below.within(target, above))];
        const branch = below.branch(target, group.above);
        group.count += counts[i];
        group.branches.set(branch, (group.branches.get(branch) ?? 0) + counts[i]);
      }
    }
    return found.filter((group) => group.count > 0)
      .map((group) => ({ ...group, branches: rankedPairs([...group.branches]) }));
  }
}

const rankedPairs = (found) => found.sort((a, b) => b[1] - a[1] || a[0] - b[0]);

// What is below a class by the hierarchy: also what is drawn elsewhere, under another parent.

const LINKS = 8; // classes that are named at once; the others are in a fold

/** Children by further parents, and the stretches of classes below a class. */
class Below {
  constructor(tree) {
    this.tree = tree;
    this.children = new Map(); // those that are drawn below another parent
    for (const [child, parents] of tree.others) {
      for (const above of parents) {
        if (!this.children.has(above)) this.children.set(above, []);
        this.children.get(above).push(child);
      }
    }
    this.above = Int32Array.from(this.children.keys()).sort();
    this.kept = new Map();
  }

  /** Whether classes have several parents, so that a drawing does not show all that is below. */
  get isMore() {
    return this.above.length > 0;
  }

  /** Stretches [first, end] of classes: what is drawn below a class, and what is drawn elsewhere. */
  ranges(node) {
    if (!this.kept.has(node)) this.kept.set(node, this.collected(node));
    return this.kept.get(node);
  }

  collected(node) {
    const { tree, above } = this;
    const found = [tree.range(node)];
    if (node < 0 || !this.isMore) return found;
    const seen = new Uint8Array(tree.n).fill(1, ...found[0]);
    for (let k = 0; k < found.length; k++) {
      const [first, end] = found[k];
      for (let i = placeIn(above, first); i < above.length && above[i] < end; i++) {
        for (const child of this.children.get(above[i])) {
          if (seen[child]) continue;
          found.push(tree.range(child));
          seen.fill(1, ...found.at(-1));
        }
      }
    }
    found.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    const outer = [];
    for (const range of found) { // one may hold another
      if (!outer.length || range[1] > outer.at(-1)[1]) outer.push(range);
    }
    return outer;
  }

  /** How many classes are below a class, and how many of them are drawn elsewhere. */
  counts(node) {
    const [first, end] = this.tree.range(node);
    const all = this.ranges(node).reduce((sum, [a, b]) => sum + b - a, 0);
    return { all: all - (node < 0 ? 0 : 1), elsewhere: all - (end - first) };
  }

  /** Whether a class is another one or below it. */
  within(i, node) {
    return this.tree.within(i, node) || (this.isMore && this.stretch(i, node) >= 0);
  }

  /** The branch of a class in which another lies: a child, or the highest that is drawn elsewhere. */
  branch(i, node) {
    if (i === node) return node;
    return this.tree.within(i, node) ? this.tree.branch(i, node) : this.stretch(i, node);
  }

  /** The first of the stretch of a class in which another lies, or -1. */
  stretch(i, node) {
    const ranges = this.ranges(node);
    const [first, end] = ranges[placeIn(ranges, i + 1, (range) => range[0]) - 1] ?? [-1, -1];
    return i < end ? first : -1;
  }

  /** The children of a class that are drawn below another parent. */
  elsewhere(node) {
    return this.children.get(node) ?? [];
  }
}

/** The place of the first of ascending values that is not below one. */
function placeIn(values, least, of = (value) => value) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(values[middle]) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Classes by name, after some words; more than a few are folded. */
function classLinks(words, nodes, link) {
  if (!nodes.length) return null;
  const listed = (some) => some.map((node, i) => [i ? ", " : null, link(node)]);
  const rest = nodes.slice(LINKS);
  return el("div", { class: "cls-parents" }, words, listed(nodes.slice(0, LINKS)),
    rest.length ? el("details", { class: "cls-more" }, el("summary", { text: `${count(rest.length)} more` }),
      listed(rest)) : ".");
}
