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
      const [steps, behind, times] = ["missed", "wrong", "times"].map((name) =>
        this.pack.ints(`conf_${name}:${system}`));
      const sources = steps.slice();
      for (let i = 1; i < sources.length; i++) sources[i] += sources[i - 1];
      const targets = behind.map((step, i) => sources[i] + step);
      const counts = times;
      this.kept.set(system, { sources, targets, counts, ...this.pack.json("conf_of")[system] });
    }
    return this.kept.get(system);
  }

  /** Labels that are alone, "missed" or "wrong", by class: {places, times, all} of a system. */
  aloneOf(side, system) {
    const key = `${side} ${system}`;
    if (!this.kept.has(key)) {
      const name = `alone_${side}`;
      const has = this.pack.has(`${name}:${system}`);
      const places = has ? this.pack.ints(`${name}:${system}`).slice() : [];
      for (let i = 1; i < places.length; i++) places[i] += places[i - 1];
      const times = has ? this.pack.ints(`${name}_times:${system}`) : [];
      this.kept.set(key, { places, times, all: this.of(system)[`${side}_alone`] });
    }
    return this.kept.get(key);
  }

  /**
   * How many labels in and below a class were missed in instances without a wrong label, or the
   * other way round: {own, sum, whole}; `whole` says whether all of them are on the page.
   */
  alone(side, system, node) {
    const { places, times, all } = this.aloneOf(side, system);
    const kept = times.reduce((total, n) => total + n, 0);
    let [own, sum] = [0, 0];
    for (const [first, end] of this.below.ranges(node)) {
      for (let i = placeIn(places, first); i < places.length && places[i] < end; i++) {
        if (places[i] === node) own += times[i];
        sum += times[i];
      }
    }
    const isTop = node === this.tree.top;
    return { own, sum: isTop ? all : sum, whole: isTop || kept === all };
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

  /** What was missed elsewhere where a class below a class was predicted wrongly. */
  entered(system, node) {
    const { below } = this;
    const { sources, targets, counts } = this.of(system);
    const found = new Map();
    if (node === this.tree.top) return [];
    for (let i = 0; i < targets.length; i++) {
      if (targets[i] === node || !below.within(targets[i], node)) continue;
      if (!below.within(sources[i], node)) {
        found.set(sources[i], (found.get(sources[i]) ?? 0) + counts[i]);
      }
    }
    return rankedPairs([...found]);
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
