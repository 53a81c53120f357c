// The view of all classes: controls, path, icicle, legend, and the chosen class.

const labelsText = (n) => `${count(n)} true ${n === 1 ? "label" : "labels"}`;
const classesText = (n) => `${count(n)} ${n === 1 ? "class" : "classes"}`;

/** The view; its state is the address: #/classes/12?by=recall&of=1&minus=0&size=classes&from=30. */
function classesView(app) {
  const view = new ClassesView(app);
  return { id: "classes", title: "Classes", draw: (section) => view.draw(section),
    show: (parts, query) => view.show(parts, query) };
}

class ClassesView {
  constructor(app) {
    this.app = app;
    this.tree = app.tree;
    this.systems = app.data.systems;
    this.counts = new ClassCounts(app.pack, app.tree, this.systems);
    this.below = new Below(app.tree);
    this.mistakes = new Mistakes(app.pack, app.tree, this.below);
  }

  draw(section) {
    const { app, tree, counts } = this;
    this.chart = new ClassChart(tree, { open: (cell) => this.open(cell), up: () => this.up() });
    this.details = new ClassDetails(app, counts, this.mistakes, (node) => this.hrefOf(node));
    this.search = new SearchBox(tree, () => counts.sizes("labels"),
      { choose: (node) => this.go(node), announce: (text) => app.announce(text) });
    this.controls = el("div", { class: "controls" });
    this.path = el("nav", { class: "cls-path", "aria-label": "Path" });
    this.legend = el("div", { class: "cls-legend" });
    this.notes = el("p", { class: "cls-note muted" });
    const keys = "Click or Enter opens a class, Escape goes up, arrows move.";
    const drawn = app.data.hierarchy.drawn;
    section.append(el("div", { class: "cls-view" },
      el("section", { class: "panel cls-map", "aria-label": "Hierarchy" },
        el("div", { class: "cls-head-row" }, this.search.node, this.controls),
        this.path, this.chart.node, this.legend, this.notes,
        el("p", { class: "cls-note muted" }, keys, drawn ? ` ${drawn}` : null)),
      this.details.node));
    this.watch();
  }

  /** Draw again where the width or the colours have changed. */
  watch() {
    const { chart } = this;
    const isSeen = () => chart.node.clientWidth > 0 && this.state;
    const again = () => {
      chart.measure();
      this.map();
    };
    new ResizeObserver(() => {
      if (isSeen() && chart.node.clientWidth !== chart.width) again();
    }).observe(chart.node);
    window.addEventListener("themechange", () => isSeen() && again());
    window.matchMedia("print").addEventListener("change", () => isSeen() && again());
  }

  /** The state that an address gives; what is not known there is as by default. */
  read(parts, query) {
    const { tree, systems } = this;
    const whole = (text, most) => (/^\d+$/.test(text ?? "") && Number(text) < most ? Number(text) : null);
    const node = whole(parts[0], tree.n) ?? tree.top;
    const system = whole(query.of, systems.length) ?? 0;
    const minus = whole(query.minus, systems.length);
    this.state = {
      node,
      by: Object.hasOwn(FIGURES, query.by) ? query.by : "f",
      count: Object.hasOwn(COUNTS, query.count) ? query.count : "augmented",
      of: system,
      minus: minus === system ? null : minus,
      size: query.size === "classes" ? "classes" : "labels",
      from: whole(query.from, tree.n) ?? 0,
    };
    this.top = tree.hasChildren(node) ? node : tree.parent[node];
  }

  /** The address parts of a state; defaults are left out. */
  address(node, changes = {}) {
    const { by, count: kind, of, minus, size, from } = { ...this.state, from: 0, ...changes };
    const query = { by: by === "f" ? null : by, count: kind === "augmented" ? null : kind,
      of: of || null, minus, size: size === "labels" ? null : size, from: from || null };
    return [node === this.tree.top ? [] : [node], query];
  }

  hrefOf(node) {
    return this.app.href("classes", ...this.address(node));
  }

  go(node, changes, how) {
    this.app.go("classes", ...this.address(node, changes), how);
  }

  /** Open a cell: a class, or the stripe of those that were too small. */
  open(cell) {
    if (cell.more) this.go(cell.node, { from: cell.from });
    else if (cell.node === this.state.node && cell.node === this.top) this.up();
    else if (!this.tree.hasChildren(cell.node) && this.tree.parent[cell.node] === this.top) {
      this.go(cell.node, { from: this.state.from });
    } else this.go(cell.node);
  }

  /** To the class above; from the small ones of a class first to the class itself. */
  up() {
    const { node, from } = this.state;
    if (from) this.go(this.top);
    else if (node !== this.tree.top) this.go(node < 0 ? node : this.tree.parent[node]);
  }

  show(parts, query) {
    const start = performance.now();
    const focused = document.activeElement;
    const inLinks = [this.path, this.details.node].some((node) => node.contains(focused));
    this.chart.measure();
    this.read(parts, query);
    this.choices();
    this.crumbs();
    this.map();
    this.details.draw(this.state.node, this.state.of);
    if (inLinks && !focused.dataset.key) this.details.focus(); // its link is gone
    performance.measure("classes", { start });
  }

  choices() {
    const { systems, state } = this;
    const set = (key) => (value) =>
      this.go(state.node, { from: state.from, [key]: value }, { replace: true });
    const number = (key) => (value) => set(key)(value === "" ? null : Number(value));
    const each = systems.map((name, i) => [String(i), name]);
    const all = [
      choice("Colour", Object.entries(FIGURES).map(([key, { text }]) => [key, text]), state.by,
        set("by"), "cls-by"),
      choice("Counts", Object.keys(COUNTS).map((key) => [key, key]), state.count, set("count"),
        "cls-count"),
    ];
    if (systems.length > 1) {
      all.push(choice("System", each, String(state.of), number("of"), "cls-of"),
        choice("minus", [["", "–"], ...each.filter(([i]) => Number(i) !== state.of)],
          state.minus === null ? "" : String(state.minus), number("minus"), "cls-minus"));
    }
    all.push(choice("Height", [["labels", "true labels"], ["classes", "classes"]], state.size,
      set("size"), "cls-size"));
    this.controls.replaceChildren(...all);
  }

  crumbs() {
    const { tree, state, top } = this;
    const path = tree.path(state.node);
    const items = path.map((node, i) => el("li", null, i + 1 === path.length && !state.from
      ? el("span", { "aria-current": "location" }, named(tree.label(node), 60))
      : el("a", { href: this.hrefOf(node), "data-class": node }, named(tree.label(node), 40))));
    if (state.from) {
      const at = path.indexOf(top) + 1;
      items.splice(at, 0, el("li", null, el("span", { class: "muted",
        text: `from number ${count(state.from + 1)} by size` })));
    }
    const isTop = state.node === tree.top && !state.from;
    this.path.replaceChildren(button("↑ Up", () => this.up(), { class: "cls-up", "data-key": "cls-up",
      "aria-disabled": isTop ? "true" : null }), el("ol", null, items));
  }

  /** The figure that gives a class its colour. */
  value(node) {
    const { by, count: kind, of, minus } = this.state;
    const value = this.counts.figure(by, node, of, kind);
    return minus === null ? value : value - this.counts.figure(by, node, minus, kind);
  }

  map() {
    const { tree, counts, state, chart, top } = this;
    const all = counts.sizes(state.size);
    const isEmpty = all[top < 0 ? tree.n : top] === 0;
    const sizes = isEmpty ? counts.sizes("classes") : all;
    const most = Math.min(chart.most(), tree.levelsBelow(top) + 1);
    const layout = layoutIcicle({ tree, sizes, top, from: state.from, chosen: state.node,
      columns: most, height: chart.height });
    const values = layout.cells.map((cell) => (cell.more ? NaN : this.value(cell.node)));
    this.scale = this.scaleOf(values);
    chart.draw(layout, state.node, (cell) => this.look(cell));
    this.explain(layout, isEmpty);
  }

  scaleOf(values) {
    return this.state.minus === null ? sequentialScale() : divergingScale(values);
  }

  /** {fill, ink, label, tip} of a cell. */
  look(cell) {
    const { tree, counts, state, scale } = this;
    const labels = counts.sizes("labels");
    if (cell.more) {
      const label = `${count(cell.more)} more of ${shortened(tree.label(cell.node), 80)}`;
      return { fill: "url(#cls-thin)", ink: null, label,
        tip: () => [el("strong", { text: `${count(cell.more)} more classes` }),
          el("span", null, "below ", named(tree.label(cell.node), 60)),
          el("span", { class: "muted", text: "too small to draw here; open to see them" })] };
    }
    const value = this.value(cell.node);
    const has = !Number.isNaN(value);
    const sum = labels[cell.node < 0 ? tree.n : cell.node];
    const text = has ? this.text(value) : "no value";
    const [first, end] = tree.range(cell.node);
    return { ...(has ? scale.step(value) : { fill: "url(#cls-hatch)", ink: null }),
      figure: has ? text : null,
      label: `${shortened(tree.label(cell.node), 120)}, ${FIGURES[state.by].text} ${text}, `
        + labelsText(sum),
      tip: () => [el("strong", null, named(tree.label(cell.node), 120)),
        el("span", { "data-value": full(value), text: `${this.title()}: ${text}` }),
        el("span", { text: `${labelsText(sum)}, ${classesText(end - first)}${this.drawnHere()}` })] };
  }

  /** Said of numbers that go by the drawing, where the hierarchy has more. */
  drawnHere() {
    return this.below.isMore ? ", as drawn" : "";
  }

  text(value) {
    return this.state.minus !== null && value > 0 ? `+${scoreText(value)}` : scoreText(value);
  }

  title() {
    const { by, count: kind, of, minus } = this.state;
    const [a, b] = [of, minus].map((i) => (i === null ? null : shortName(this.systems[i], 40)));
    return `${FIGURES[by].text}, ${kind}${b === null ? "" : ", difference"}`
      + (this.systems.length > 1 ? ` (${a}${b === null ? "" : ` − ${b}`})` : "");
  }

  /** Which colours are the better ones. */
  better() {
    const { of, minus } = this.state;
    if (minus === null) return `${isDark() ? "darker" : "lighter"} is better`;
    const [a, b] = [of, minus].map((i) => shortName(this.systems[i], 40));
    return `blue: ${a} is better; orange: ${b} is better`;
  }

  /** Legend and notes below the drawing. */
  explain(layout, isEmpty) {
    const { tree, state, scale, top } = this;
    const short = (x) => String(+x.toFixed(3)).replace("-", "−");
    const ends = state.minus === null ? [short(scale.low), short(scale.high)]
      : [`≤ ${short(scale.low)}`, `≥ ${short(scale.high)}`];
    const title = this.title();
    const sample = svg("svg", { width: 22, height: 12, viewBox: "0 0 22 12", "aria-hidden": "true" },
      svg("rect", { width: 22, height: 12, fill: "url(#cls-hatch)" }));
    this.legend.replaceChildren(el("div", { class: "cls-key-bar" }, el("span", { text: title }),
      legendOf(scale, { text: title, ends, digits: short,
      inner: state.minus === null ? [0.25, 0.5, 0.75] : [0.5] }),
      el("span", { class: "muted cls-better", text: this.better() })),
    el("span", { class: "cls-none" }, sample, " no value"));
    const deeper = tree.levelsBelow(top) + 1 - layout.columns;
    this.notes.replaceChildren([
      `${FIGURES[state.by].text}: ${FIGURES[state.by].note}.`,
      isEmpty ? `No true labels here: heights are numbers of classes${this.drawnHere()}.`
        : state.size === "labels" ? `Heights: true labels in and below a class${this.drawnHere()}.`
          : `Heights: number of classes${this.drawnHere()}.`,
      deeper > 0 ? `${deeper} more ${deeper === 1 ? "level" : "levels"} below (›).` : "",
    ].filter(Boolean).join(" "));
  }
}
