// What is known of one class: parents, counts, figures, mistakes.

const BARS = 8; // classes listed of each kind; how many more there are is said

/** The panel beside the icicle. */
class ClassDetails {
  constructor(app, counts, mistakes, hrefOf) {
    Object.assign(this, { app, tree: app.tree, counts, mistakes, below: mistakes.below, hrefOf });
    this.node = el("section", { class: "panel cls-details", "aria-labelledby": "cls-name" });
  }

  draw(node, system) {
    this.node.replaceChildren(...[
      this.heading(node),
      ...this.parents(node),
      node < 0 ? null : this.table(node),
      ...(this.mistakes.present(system) ? this.wrong(node, system) : []),
    ].filter((part) => part !== null && part !== undefined));
  }

  /** Give the focus to the heading. */
  focus() {
    this.node.querySelector("h2").focus({ preventScroll: true });
  }

  link(node, most = 60) {
    return el("a", { href: this.hrefOf(node), "data-class": node },
      named(this.tree.label(node), most));
  }

  heading(node) {
    const { tree } = this;
    const { all, elsewhere } = this.below.counts(node);
    const facts = node < 0 ? [`${count(tree.roots.length)} roots`]
      : [`depth ${tree.depth[node]}`];
    facts.push(all ? `${classesText(all)} below` : "no class below");
    if (elsewhere) facts.push(`${count(elsewhere)} of them drawn elsewhere`);
    const name = node >= 0 && tree.titles?.[node] ? tree.names[node] : null;
    return el("header", { class: "cls-head" },
      el("h2", { id: "cls-name", tabindex: -1 }, named(tree.label(node), 300)),
      el("p", { class: "muted" }, name ? [named(name), " · "] : null, facts.join(" · ")));
  }

  parents(node) {
    const link = (other) => this.link(other);
    return [classLinks("Also below ", this.tree.others.get(node) ?? [], link),
      classLinks("Also above, drawn elsewhere: ", this.below.elsewhere(node), link)];
  }

  /** Counts and figures per system, flat and augmented. */
  table(node) {
    const { counts } = this;
    const head = ["system", "pred.", "both", "P", "R", "F"];
    const words = [null, "predicted", null, "precision", "recall", "F-score"];
    const groups = ["flat", "augmented"].map((kind) => {
      const { t } = counts.of(0, kind);
      const title = el("tr", { class: "cls-kind" }, el("th", { colspan: head.length, scope: "rowgroup" },
        `${kind}, ${COUNTS[kind]}: `, el("span", { "data-value": full(t[node]),
          "data-figure": `true ${kind}`, text: count(t[node]) }), " true"));
      return el("tbody", null, title, counts.systems.map((name, i) => this.row(node, name, i, kind)));
    });
    return scrolled("Counts and figures of the class", el("table", { class: "plain cls-table" },
      el("caption", { class: "visually-hidden", text: "Counts of instances and figures per system" }),
      el("thead", null, el("tr", null, head.map((text, i) =>
        el("th", { scope: "col", class: i ? "num" : null },
          words[i] ? el("abbr", { title: words[i], text }) : text)))),
      groups));
  }

  row(node, name, system, kind) {
    const { t, p, b } = this.counts.of(system, kind);
    const cell = (what, value) => el("td", { class: "num", "data-value": full(value),
      "data-figure": `${what} ${system} ${kind}`, text: what in FIGURES ? scoreText(value) : count(value) });
    return el("tr", null, el("th", { scope: "row" }, named(name, 40)),
      cell("predicted", p[node]), cell("both", b[node]),
      ["precision", "recall", "f"].map((figure) =>
        cell(figure, FIGURES[figure].of(t[node], p[node], b[node]))));
  }

  /** Where mistakes went, and what was taken for the class. */
  wrong(node, system) {
    const { below, counts, mistakes } = this;
    const { shown: kept, all } = mistakes.of(system);
    const name = counts.systems[system];
    const isInner = below.counts(node).all > 0;
    const found = [el("h3", null, "Where mistakes went", counts.systems.length > 1
      ? [": ", named(name, 40)] : null)];
    if (isInner) found.push(...this.branches(node, system));
    if (node >= 0) {
      found.push(...this.list(`Missed ${isInner ? "this class itself" : "it"}; predicted instead`,
        mistakes.instead(system, node), "instead"),
      ...this.list(`Predicted ${isInner ? "this class itself" : "it"} wrongly; true was`,
        mistakes.takenFor(system, node), "taken"));
    }
    if (found.length === 1) found.push(el("p", { class: "muted", text: "No wrong pair is kept here." }));
    found.push(el("p", { class: "cls-note muted", "data-kept": kept, "data-all": all,
      text: keptText(kept, all) }));
    return found;
  }

  branches(node, system) {
    const groups = this.mistakes.branches(system, node);
    const total = groups.reduce((sum, group) => sum + group.count, 0);
    const most = Math.max(...groups.flatMap((group) => group.branches.map(([, n]) => n)), 1);
    return groups.map((group) => {
      const isInside = group.above === node;
      const title = isInside ? ["Stayed below ", named(this.tree.label(node), 40)]
        : ["Left the path below ", this.link(group.above, 40)];
      const share = ` – ${count(group.count)}, ${(100 * group.count / total).toFixed(1)} %`;
      return el("div", { class: "cls-group", "data-above": group.above, "data-count": group.count },
        el("h4", null, title, el("span", { class: "muted", text: share })),
        this.bars(group.branches, most, (branch) => branch === group.above));
    });
  }

  list(title, pairs, key) {
    if (!pairs.length) return [];
    return [el("div", { class: "cls-group", "data-list": key }, el("h4", { text: title }),
      this.bars(pairs, pairs[0][1], () => false))];
  }

  /** Classes with counts as bars. */
  bars(pairs, most, isSelf) {
    const rows = pairs.slice(0, BARS).map(([node, n]) => {
      const bar = el("span", { class: "cls-fill" });
      bar.style.width = `${Math.max(1, (100 * n) / most)}%`;
      return el("li", null,
        el("span", { class: "cls-what" }, this.link(node), isSelf(node) ? " itself" : null),
        el("span", { class: "cls-rail", "aria-hidden": "true" }, bar),
        el("span", { class: "num", "data-value": n, text: count(n) }));
    });
    const rest = pairs.slice(BARS);
    if (rest.length) {
      const sum = rest.reduce((total, [, n]) => total + n, 0);
      rows.push(el("li", { class: "muted" },
        el("span", { class: "cls-what", text: `${count(rest.length)} more` }), el("span"),
        el("span", { class: "num", "data-value": sum, text: count(sum) })));
    }
    return el("ul", { class: "cls-bars" }, rows);
  }
}

/** How many of all pairs of a missed and a wrong class the page has. */
function keptText(kept, all) {
  if (all === 0) return "No instance has both a missed and a wrong label: there is no wrong pair.";
  return `${count(kept)} of ${counted(all, "wrong pair")} (missed class, wrong class) of the system `
    + `${noun(kept, "is", "are")} counted here${kept < all ? ": the most frequent ones" : ""}.`;
}
