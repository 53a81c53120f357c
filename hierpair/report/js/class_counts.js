// Counts per class and system, and the figures made of them.

const FIGURES = {
  f: { text: "F-score", note: "2 · both / (true + predicted)",
    of: (t, p, b) => (t + p ? (2 * b) / (t + p) : NaN) },
  precision: { text: "precision", note: "both / predicted", of: (t, p, b) => (p ? b / p : NaN) },
  recall: { text: "recall", note: "both / true", of: (t, p, b) => (t ? b / t : NaN) },
  errors: { text: "share of all errors",
    note: "(true + predicted − 2 · both) / its sum over all classes but a single root, as in hF",
    of: (t, p, b, all) => (all && t + p ? (t + p - 2 * b) / all : NaN) },
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

  /** The classes, those that are true most often first; what is missed is written like this. */
  byTrue() {
    return this.once("by true", () => {
      const counts = this.pack.ints("true");
      const most = counts.reduce((a, b) => Math.max(a, b), 0);
      const starts = new Int32Array(most + 2); // where the classes of a count begin
      for (const count of counts) starts[most - count + 1] += 1;
      for (let k = 0; k <= most; k++) starts[k + 1] += starts[k];
      const order = new Int32Array(counts.length);
      for (let i = 0; i < counts.length; i++) order[starts[most - counts[i]]++] = i;
      return order;
    });
  }

  /** The classes, those with something drawn below first; overlaps are written like this. */
  innerFirst() {
    return this.once("inner first", () => {
      const order = new Int32Array(this.tree.n);
      let at = 0;
      for (const inner of [true, false]) {
        for (let i = 0; i < order.length; i++) {
          if (this.tree.hasChildren(i) === inner) order[at++] = i;
        }
      }
      return order;
    });
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
      const found = truth.slice();
      const [missed, wrong] = ["missed", "wrong"].map((name) => this.pack.ints(`${name}:${system}`));
      const order = this.byTrue();
      for (let k = 0; k < missed.length; k++) found[order[k]] -= missed[k];
      if (what === "pred") for (let i = 0; i < found.length; i++) found[i] += wrong[i];
      return found;
    });
  }

  /** Flat or augmented counts: those are sums of flat ones, less what is in several branches. */
  counts(what, system, kind) {
    const flat = this.flat(what, system);
    if (kind === "flat") return flat;
    const name = what === "true" ? "true_o" : `${what}_o:${system}`;
    return this.once(name, () => {
      const overlap = this.pack.ints(name);
      const order = this.innerFirst();
      const { parent, others } = this.tree;
      const found = flat.slice();
      for (let k = 0; k < overlap.length; k++) found[order[k]] -= overlap[k];
      for (const i of this.fromBelow()) {
        if (parent[i] >= 0) found[parent[i]] += found[i];
        for (const above of others.get(i) ?? []) found[above] += found[i];
      }
      return found;
    });
  }

  /** {t, p, b, all}: counts per class of a system, and the errors of all classes but one root. */
  of(system, kind) {
    return this.once(`${system} ${kind}`, () => {
      const t = this.counts("true", system, kind);
      const p = this.counts("pred", system, kind);
      const b = this.counts("both", system, kind);
      let all = 0;
      for (let i = this.tree.top + 1; i < t.length; i++) all += t[i] + p[i] - 2 * b[i];
      return { t, p, b, all };
    });
  }

  /** A figure of a class; of -1, which stands above several roots, there is none. */
  figure(name, i, system, kind) {
    if (i < 0 || (name === "errors" && i === this.tree.top)) return NaN;
    const { t, p, b, all } = this.of(system, kind);
    return FIGURES[name].of(t[i], p[i], b[i], all);
  }

  /** Sizes in which a drawing adds up: flat true labels, or classes. */
  sizes(by) {
    return this.once(`sizes ${by}`, () =>
      this.tree.sums(by === "classes" ? new Uint8Array(this.tree.n).fill(1) : this.pack.ints("true")));
  }
}
