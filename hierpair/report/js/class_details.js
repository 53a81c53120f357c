// What is known of one class: parents, counts, figures, mistakes, curves.

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
      ...this.curves(node, system),
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

  curves(node, system) {
    const curves = levelCurves(this.tree, this.counts, node, system);
    if (curves === null) return [];
    return [el("h3", { text: "By depth below" }), ...curves,
      el("p", { class: "cls-note muted",
        text: `${node < 0 ? "Depth 0: the roots" : "Depth 0 is the class itself"}. Augmented counts, `
          + `added up over each level${this.below.isMore ? " of what is drawn below" : ""}.` })];
  }

  /** Where mistakes went, and what was taken for the class. */
  wrong(node, system) {
    const { below, counts, mistakes } = this;
    const { shown: kept, all, missed_alone: missed, wrong_alone: wrong } = mistakes.of(system);
    const lone = missed + wrong;
    const name = counts.systems[system];
    const isInner = below.counts(node).all > 0;
    const found = [el("h3", null, "Where mistakes went", counts.systems.length > 1
      ? [": ", named(name, 40)] : null)];
    if (isInner) found.push(...this.branches(node, system));
    if (node >= 0) {
      found.push(...this.list(`Missed ${isInner ? "this class itself" : "it"}; predicted instead`,
        mistakes.instead(system, node), "instead"),
      ...this.list(`Predicted ${isInner ? "this class itself" : "it"} wrongly; true was`,
        mistakes.takenFor(system, node), "taken"),
      ...(isInner ? this.list("Predicted a class below it wrongly; true was elsewhere",
        mistakes.entered(system, node), "entered") : []));
    }
    found.push(...this.alone(node, system, isInner));
    if (found.length === 1) found.push(el("p", { class: "muted", text: "No wrong pair is kept here." }));
    found.push(el("p", { class: "cls-note muted", "data-kept": kept, "data-all": all,
      text: keptText(kept, all, lone) }));
    if (["missed", "wrong"].some((side) => !mistakes.alone(side, system, node).whole)) {
      found.push(el("p", { class: "cls-note muted", text: "Labels that were missed, or predicted, alone are "
        + "counted for the classes with most of them; “at least” marks what may be more." }));
    }
    return found;
  }

  /** What is in no pair: missed labels of instances without a wrong one, and the other way round. */
  alone(node, system, isInner) {
    const lines = [["missed", "Missed, nothing wrong predicted instead: "],
      ["wrong", "Predicted wrongly, nothing missed: "]].map(([side, words]) => {
      const { own, sum, whole } = this.mistakes.alone(side, system, node);
      if (!sum) return null;
      const value = el("span", { class: "num", "data-value": sum, "data-alone": side, text: count(sum) });
      const itself = isInner && node >= 0 && sum ? `; of this class itself ${count(own)}` : "";
      return el("li", null, words, whole ? null : "at least ", value,
        isInner ? " labels in and below this class" : null, itself);
    }).filter(Boolean);
    return lines.length ? [el("div", { class: "cls-group", "data-list": "alone" },
      el("h4", { text: "Without a partner" }), el("ul", { class: "cls-alone" }, lines))] : [];
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
function keptText(kept, all, lone) {
  const pairs = "(missed class, wrong class)";
  if (all === 0 && lone) return "No instance has both a missed and a wrong label: there is no wrong pair.";
  if (all === 0) return "The system made no mistake.";
  if (all === 1) return `The only wrong pair ${pairs} of the system is counted here.`;
  if (kept === all) return `All ${count(all)} wrong pairs ${pairs} of the system are counted here.`;
  const share = (100 * kept / all).toFixed(1);
  return `Of ${count(all)} wrong pairs ${pairs} of the system the most frequent are kept: `
    + `${count(kept)}, ${share} %.`;
}

// Precision, recall and F by depth below a class, a line per system.

const CURVES_DRAWN = 8; // systems with a colour and dashes of their own

/** Sums of the augmented counts of a subtree per level and system: [level][system] -> {t, p, b}. */
function levelSums(tree, counts, node) {
  const base = node < 0 ? 0 : tree.depth[node];
  const [first, end] = tree.range(node);
  const levels = tree.levelsBelow(node) + (node < 0 ? 0 : 1);
  return counts.systems.map((_, system) => {
    const { t, p, b } = counts.of(system, "augmented");
    const sums = Array.from({ length: levels }, () => ({ t: 0, p: 0, b: 0 }));
    for (let i = first; i < end; i++) {
      const sum = sums[tree.depth[i] - base];
      sum.t += t[i];
      sum.p += p[i];
      sum.b += b[i];
    }
    return sums;
  });
}

/** Three small charts, their key and their numbers; null where there is one level only. */
function levelCurves(tree, counts, node, chosen) {
  const sums = counts.once(`levels ${node}`, () => levelSums(tree, counts, node));
  const levels = sums[0].length;
  if (levels < 2) return null;
  const systems = counts.systems.map((name, i) => ({ name, i }))
    .filter(({ i }) => i < CURVES_DRAWN || i === chosen);
  const figures = ["precision", "recall", "f"];
  const value = (figure, system, level) => {
    const { t, p, b } = sums[system][level];
    return FIGURES[figure].of(t, p, b);
  };
  const charts = figures.map((figure) => smallChart(FIGURES[figure].text, levels, systems, chosen,
    (system, level) => value(figure, system, level)));
  return [
    el("div", { class: "cls-curves" }, charts),
    counts.systems.length > 1 ? keyOf(systems) : null,
    systems.length < counts.systems.length
      ? el("p", { class: "cls-note muted",
        text: `Lines: ${systems.length} of ${counts.systems.length} systems.` }) : null,
    el("details", { class: "cls-more" }, el("summary", { text: "Numbers of these lines" }),
      levelTable(counts.systems, levels, figures, value)),
  ];
}

function smallChart(title, levels, systems, chosen, value) {
  const [width, height, left, top, bottom] = [150, 112, 20, 20, 16];
  const x = (level) => left + 4 + (level * (width - left - 10)) / (levels - 1);
  const y = (v) => top + (1 - v) * (height - top - bottom);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${title} by depth below the class; the numbers are in the table below` });
  chart.append(svg("text", { x: left, y: 11, class: "cls-axis strong", text: title }));
  for (const v of [0, 0.5, 1]) {
    chart.append(svg("line", { x1: left, x2: width, y1: y(v), y2: y(v), class: "cls-grid" }),
      svg("text", { x: left - 4, y: y(v) + 3, "text-anchor": "end", class: "cls-axis", text: v }));
  }
  const step = Math.ceil(levels / (levels > 100 ? 4 : 7)); // longer numbers, fewer of them
  for (let level = 0; level < levels; level += step) {
    chart.append(svg("text", { x: x(level), y: height - 4, "text-anchor": "middle",
      class: "cls-axis", text: level }));
  }
  for (const { name, i } of [...systems].sort((a, b) => (a.i === chosen) - (b.i === chosen))) {
    const line = svg("g", { class: `cls-line s${i % CURVES_DRAWN}${i === chosen ? " strong" : ""}` });
    let path = "";
    for (let level = 0; level < levels; level++) {
      const v = value(i, level);
      if (Number.isNaN(v)) continue;
      path += `${path ? "L" : "M"}${x(level).toFixed(1)} ${y(v).toFixed(1)}`;
      line.append(svg("circle", { cx: x(level), cy: y(v), r: i === chosen ? 2.4 : 1.6 },
        svg("title", { text: `${shortName(name, 60)}, depth ${level}: ${shown(v)}` })));
    }
    line.prepend(svg("path", { d: path }));
    chart.append(line);
  }
  return chart;
}

/** Which line is which system. */
function keyOf(systems) {
  return el("ul", { class: "cls-key" }, systems.map(({ name, i }) => el("li", null,
    svg("svg", { width: 26, height: 10, viewBox: "0 0 26 10", "aria-hidden": "true" },
      svg("g", { class: `cls-line s${i % CURVES_DRAWN}` }, svg("path", { d: "M1 5L25 5" }))),
    named(name, 40))));
}

function levelTable(systems, levels, figures, value) {
  const head = el("tr", null, el("th", { scope: "col", text: "depth" }),
    el("th", { scope: "col", text: "system" }),
    figures.map((figure) => el("th", { scope: "col", class: "num", text: FIGURES[figure].text })));
  const rows = [];
  for (let level = 0; level < levels; level++) {
    systems.forEach((name, i) => rows.push(el("tr", null, el("td", { text: level }),
      el("td", null, named(name, 40)), figures.map((figure) => {
        const v = value(figure, i, level);
        return el("td", { class: "num", "data-value": full(v),
          "data-figure": `${figure} ${i} ${level}`, text: shown(v) });
      }))));
  }
  return scrolled("Figures by depth below the class",
    el("table", { class: "plain" }, el("thead", null, head), el("tbody", null, rows)));
}
