// Counts per class and system, and the figures made of them.

const FIGURES = {
  f: { text: "F-score", note: "2 · both / (true + predicted)",
    of: (t, p, b) => (t + p ? (2 * b) / (t + p) : NaN) },
  precision: { text: "precision", note: "both / predicted", of: (t, p, b) => (p ? b / p : NaN) },
  recall: { text: "recall", note: "both / true", of: (t, p, b) => (t ? b / t : NaN) },
};

const COUNTS = { augmented: "with all classes above", flat: "labels as given" };

/** Instances per class: true, predicted and both; flat and augmented; decoded at first use. */
class ClassCounts {
  constructor(pack, tree, systems) {
    this.pack = pack;
    this.tree = tree;
    this.systems = systems;
    this.kept = new Map();
  }

  once(key, make) {
    if (!this.kept.has(key)) this.kept.set(key, make());
    return this.kept.get(key);
  }

  /** The classes, each after all that are below it, by whatever parents. */
  fromBelow() {
    return this.once("from below", () => {
      const { n, parent, others } = this.tree;
      const order = new Int32Array(n);
      const children = new Int32Array(n); // that are not in the order yet
      let at = 0;
      const add = (above, by) => {
        children[above] += by;
        if (by < 0 && !children[above]) order[at++] = above;
      };
      const toParents = (i, by) => {
        if (parent[i] >= 0) add(parent[i], by);
        for (const above of others.get(i) ?? []) add(above, by);
      };
      for (let i = 0; i < n; i++) toParents(i, 1);
      for (let i = 0; i < n; i++) if (!children[i]) order[at++] = i;
      for (let k = 0; k < at; k++) toParents(order[k], -1);
      return order;
    });
  }

  /** Flat counts of "true", "pred" or "both", made of what is true, missed and wrong. */
  flat(what, system) {
    const truth = this.pack.ints("true");
    if (what === "true") return truth;
    return this.once(`${what} ${system}`, () => {
      const [missed, wrong] = ["missed", "wrong"].map((name) => this.pack.ints(`${name}:${system}`));
      return truth.map((n, i) => n - missed[i] + (what === "pred" ? wrong[i] : 0));
    });
  }

  /** Flat or augmented counts: those are sums of flat ones, less what is in several branches. */
  counts(what, system, kind) {
    const flat = this.flat(what, system);
    if (kind === "flat") return flat;
    const name = what === "true" ? "true_o" : `${what}_o:${system}`;
    return this.once(name, () => {
      const overlap = this.pack.ints(name);
      const { parent, others } = this.tree;
      const found = flat.map((n, i) => n - overlap[i]);
      for (const i of this.fromBelow()) {
        if (parent[i] >= 0) found[parent[i]] += found[i];
        for (const above of others.get(i) ?? []) found[above] += found[i];
      }
      return found;
    });
  }

  /** {t, p, b}: counts per class of a system. */
  of(system, kind) {
    const [t, p, b] = ["true", "pred", "both"].map((what) => this.counts(what, system, kind));
    return { t, p, b };
  }

  /** A figure of a class; of -1, which stands above several roots, there is none. */
  figure(name, i, system, kind) {
    if (i < 0) return NaN;
    const { t, p, b } = this.of(system, kind);
    return FIGURES[name].of(t[i], p[i], b[i]);
  }

  /** Sizes in which a drawing adds up: flat true labels, or classes. */
  sizes(by) {
    return this.once(`sizes ${by}`, () =>
      this.tree.sums(by === "classes" ? new Uint8Array(this.tree.n).fill(1) : this.pack.ints("true")));
  }
}
