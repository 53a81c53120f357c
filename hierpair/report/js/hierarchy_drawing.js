// The part of the hierarchy around the labels of an instance: levels from left to right.

const LAYERS = { row: 30, box: 24, gap: 34, letter: 7.2, most: [28, 22, 18], margin: 8, bulge: 34 };

/** How a class is drawn, and what it is called in the legend. */
const CLASS_STATES = {
  both: "true and predicted", true: "true", pred: "predicted", shared: "above or in both",
  "above-true": "above true", "above-pred": "above predicted", several: "in several fields", other: "other",
};

/** Draw a neighbourhood; its nodes stand with parents before children. Names are cut to the room. */
function hierarchyDrawing(around, nameOf, room) {
  const cutTo = (most) => around.nodes.map((node, i) => ({ node, state: classState(around, i), text: fitting(nameOf(node.name), most) }));
  const tried = LAYERS.most.map(cutTo);
  const nodes = tried.find((some) => layered(around, some).width <= room) ?? tried[1];
  const { width, height, places } = layered(around, nodes);
  const framed = new Set(around.lcas ?? []);
  const arcs = around.pairs.filter(([predicted, truth]) => predicted !== truth);
  const picture = svg("svg", { class: "drawing", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": hierarchyWords(around, nameOf) },
  around.edges.map(([parent, child]) => branch(places[parent], places[child])),
  arcs.map(([predicted, truth]) => pairArc(places[predicted], places[truth])),
  nodes.map(({ node, state, text }, i) => classBox(places[i], node, nameOf(node.name), state, text, framed.has(i))));
  return el("div", null, scrolled("The classes around the labels", picture), hierarchyLegend(around, nodes));
}

/** Which of the states a class is in; of a confusion matrix, its field. */
function classState(around, i) {
  const node = around.nodes[i];
  if (around.fields) {
    const fields = around.fields[i];
    if (fields.length > 1) return "several";
    return { TP: "both", FN: "true", FP: "pred" }[fields[0]] ?? "other";
  }
  if (node.true && node.predicted) return "both";
  if (node.true) return "true";
  if (node.predicted) return "pred";
  if (node.above_true && node.above_predicted) return "shared";
  return node.above_true ? "above-true" : node.above_predicted ? "above-pred" : "other";
}

/** A column per level that occurs; a row per leaf, parents in the middle of their children. */
function layered(around, nodes) {
  const levels = [...new Set(around.nodes.map((node) => node.level))].sort((a, b) => a - b);
  const widths = levels.map(() => 0);
  const column = around.nodes.map((node) => levels.indexOf(node.level));
  nodes.forEach(({ text, node }, i) => {
    const letters = [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e80 ? 2 : 1), 0);
    widths[column[i]] = Math.max(widths[column[i]], letters * LAYERS.letter + 18 + (node.n_hidden ? 15 : 0));
  });
  const starts = widths.map((_, k) => LAYERS.margin + widths.slice(0, k).reduce((sum, w) => sum + w + LAYERS.gap, 0));
  const rows = rowsOf(around);
  const last = Math.max(0, ...rows);
  const places = rows.map((row, i) => ({ x: starts[column[i]], y: LAYERS.margin + (row + 0.5) * LAYERS.row, width: widths[column[i]] }));
  const right = starts.at(-1) + widths.at(-1) + LAYERS.margin;
  return { places, width: Math.ceil(right + (around.pairs.length ? LAYERS.bulge * 1.4 : 36)), height: 2 * LAYERS.margin + (last + 1) * LAYERS.row };
}

/** The row of each class; a class with several parents stands below the first of them. */
function rowsOf(around) {
  const parent = around.nodes.map(() => -1);
  const children = around.nodes.map(() => []);
  for (const [p, c] of around.edges) {
    if (parent[c] >= 0) continue;
    parent[c] = p;
    children[p].push(c);
  }
  const rows = around.nodes.map(() => 0);
  let next = 0;
  const place = (i) => {
    children[i].forEach(place);
    const inside = children[i].map((c) => rows[c]);
    rows[i] = inside.length ? (inside[0] + inside.at(-1)) / 2 : next++;
  };
  parent.forEach((p, i) => p < 0 && place(i));
  return rows;
}

function branch(above, below) {
  const [x, y, to] = [above.x + above.width, above.y, below.x];
  const middle = (x + to) / 2;
  return svg("path", { d: `M${x} ${y}C${middle} ${y} ${middle} ${below.y} ${to} ${below.y}` });
}

/** A chosen pair, beside the boxes of its two labels. */
function pairArc(predicted, truth) {
  const [x, to] = [predicted.x + predicted.width, truth.x + truth.width];
  const out = Math.max(x, to) + LAYERS.bulge;
  return svg("path", { class: "pair", d: `M${x} ${predicted.y}C${out} ${predicted.y} ${out} ${truth.y} ${to} ${truth.y}` });
}

function classBox(at, node, name, state, text, framed) {
  const [y, height] = [at.y - LAYERS.box / 2, LAYERS.box];
  const hidden = node.n_hidden ? `; ${count(node.n_hidden)} more children are not shown` : "";
  return svg("g", { class: `is-${state}` },
    svg("title", { text: `${shortened(name, LONGEST_TITLE)}: ${CLASS_STATES[state]}${hidden}` }),
    framed ? svg("rect", { class: "frame", x: at.x - 3.5, y: y - 3.5, width: at.width + 7, height: height + 7, rx: 8 }) : null,
    svg("rect", { class: "box", x: at.x, y, width: at.width, height, rx: 5 }),
    svg("text", { class: "name", x: at.x + 9, y: at.y + 4.5, text }),
    node.n_hidden ? svg("text", { class: "more", x: at.x + at.width - 6, y: at.y + 4.5, "text-anchor": "end", text: "+" }) : null);
}

function hierarchyWords(around, nameOf) {
  const of = (wanted) => around.nodes.filter(wanted).map((node) => shortened(nameOf(node.name), 60)).join(", ") || "none";
  return shortened(`Hierarchy around the labels. True: ${of((n) => n.true)}. Predicted: ${of((n) => n.predicted)}. `
    + `Above both: ${of((n) => n.above_true && n.above_predicted && !n.true && !n.predicted)}.`, 1500);
}

function hierarchyLegend(around, nodes) {
  const names = around.fields ? { ...CLASS_STATES, both: "TP", true: "FN", pred: "FP", other: "TN or none" } : CLASS_STATES;
  const seen = Object.keys(names).filter((state) => nodes.some((one) => one.state === state));
  const items = seen.map((state) => el("li", { class: `chip is-${state}`, text: names[state] }));
  const texts = [
    around.pairs.length ? "Dashed arcs: pairs of different classes." : "",
    around.lcas?.length ? "Double border: a chosen lowest common ancestor." : "",
    around.nodes.some((node) => node.n_hidden) ? "+: has more children." : "",
    around.n_left_out ? `${count(around.n_left_out)} more ancestors are left out.` : "",
  ].filter(Boolean);
  return [el("ul", { class: "legend", "aria-label": "Legend" }, items),
    texts.length ? el("p", { class: "muted small", text: texts.join(" ") }) : null];
}
