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
