// A pairing as its network: predicted labels left, true labels right, the default class below.

const NETWORK = { row: 40, box: 30, gap: 12, top: 26, most: 40, thin: 150 };

/** Draw a pairing in so many pixels; nameOf gives the name of a class as it is shown. */
function networkDrawing(pairing, nameOf, width) {
  const columns = networkColumns(pairing);
  const box = Math.min(250, Math.round(width * 0.36));
  const rows = Math.max(columns.left.length, columns.right.length);
  const height = NETWORK.top + rows * NETWORK.row + 6;
  const place = (list, x, inner) => new Map(list.map((node, k) => [node.key,
    { x, inner, y: NETWORK.top + (k + (rows - list.length) / 2 + 0.5) * NETWORK.row }]));
  const left = place(columns.left, 1, 1 + box);
  const right = place(columns.right, width - box - 1, width - box - 1);
  const edges = networkEdges(pairing).filter((edge) => left.has(edge.from) && right.has(edge.to))
    .map((edge) => ({ ...edge, a: left.get(edge.from), b: right.get(edge.to) }));
  const drawn = (node, at) => nodeBox(node, at, box, nameOf);
  const picture = svg("svg", { class: "drawing fits", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": networkWords(pairing, nameOf) },
  svg("text", { class: "side", x: 4, y: 14, text: "predicted" }),
  svg("text", { class: "side", x: width - 4, y: 14, "text-anchor": "end", text: "true" }),
  edges.map(edgePath), costTexts(edges),
  columns.left.map((node) => drawn(node, left.get(node.key))),
  columns.right.map((node) => drawn(node, right.get(node.key))));
  return el("div", null, scrolled("The pairing as a network", picture), networkNote(pairing, columns));
}

/** The labels of both sides; true ones near their partners; the default class where it is used. */
function networkColumns(pairing) {
  const first = pairing.predicted.length;
  const partners = pairing.true.map((_, t) => pairing.arcs.filter((p) => p.units && p.head === first + t).map((p) => p.tail));
  const middle = (t) => (partners[t].length ? partners[t].reduce((a, b) => a + b, 0) / partners[t].length : Infinity);
  const order = pairing.true.map((_, t) => t).sort((s, t) => middle(s) - middle(t) || s - t);
  const label = (side) => (k) => ({ key: k, label: pairing[side][k], kind: side });
  const left = pairing.predicted.map((_, k) => k).slice(0, NETWORK.most).map(label("predicted"));
  const right = order.slice(0, NETWORK.most).map(label("true"));
  if (pairing.true.some((row) => row.missing)) left.push({ key: "default", kind: "default" });
  if (pairing.predicted.some((row) => row.missing)) right.push({ key: "default", kind: "default" });
  return { left, right };
}

function networkEdges(pairing) {
  const possible = pairing.arcs.filter((p) => p.upper !== 0 || p.units);
  const drawn = possible.length > NETWORK.thin ? possible.filter((p) => p.units) : possible;
  const edges = drawn.map((p) => ({ from: p.tail, to: p.head - pairing.predicted.length,
    cost: (p.units ? timesText(pairing, p.units) : "") + shownCost(p.cost), kind: p.units ? "chosen" : "unused" }));
  const toDefault = (row) => ({ kind: "to-default", cost: timesText(pairing, row.missing) + shownCost(row.cost) });
  pairing.predicted.forEach((row, k) => row.missing && edges.push({ from: k, to: "default", ...toDefault(row) }));
  pairing.true.forEach((row, k) => row.missing && edges.push({ from: "default", to: k, ...toDefault(row) }));
  return edges.sort((a, b) => (a.kind !== "unused") - (b.kind !== "unused")); // the used ones on top
}

/** Units as a mass, a fraction where it is a plain one; without masses just how many. */
function massText(pairing, units) {
  const whole = pairing.whole ?? 1;
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  const common = divisor(whole, units);
  if (whole / common > 1000 || !Number.isSafeInteger(units)) return shown(units / whole);
  return whole === common ? count(units / common) : `${units / common}/${whole / common}`;
}

/** What stands before a cost that is paid for so many units. */
function timesText(pairing, units) {
  return units === (pairing.whole ?? 1) ? "" : `${massText(pairing, units)} × `;
}

/** A cost as short as it is exact; what is not finite arrives as null. */
function shownCost(cost) {
  return cost === null ? "–" : shown(cost);
}

function nodeBox(node, at, width, nameOf) {
  const isDefault = node.kind === "default";
  const state = isDefault ? "is-default" : node.kind === "true" ? "is-true" : "is-pred";
  const name = isDefault ? "default class" : nameOf(node.label.of[0]);
  const most = Math.floor((width - 18) / 7.2);
  return svg("g", { class: state },
    svg("title", { text: shortened(name, LONGEST_TITLE) }),
    svg("rect", { class: "box", x: at.x, y: at.y - NETWORK.box / 2, width, height: NETWORK.box, rx: 7 }),
    svg("text", { class: "name", x: at.x + width / 2, y: at.y + 4.5, "text-anchor": "middle", text: fitting(name, most) }));
}

/** A name cut in its middle to a width in letters; wide letters (Chinese, emoji) count twice. */
function fitting(name, most) {
  const letters = [...shortened(String(name), LONGEST_TITLE)];
  const width = (letter) => (letter.codePointAt(0) > 0x2e80 ? 2 : 1);
  const sum = (some) => some.reduce((total, letter) => total + width(letter), 0);
  if (sum(letters) <= most) return letters.join("");
  const start = upTo(letters, Math.ceil(0.6 * (most - 1)), width);
  const end = upTo(letters.reverse(), most - 1 - sum(start), width).reverse();
  return `${start.join("")}…${end.join("")}`;
}

/** The first letters that take no more than a width. */
function upTo(letters, most, width) {
  let used = 0;
  const end = letters.findIndex((letter) => (used += width(letter)) > most);
  return end < 0 ? letters : letters.slice(0, end);
}

function edgePath({ a, b, kind }) {
  const middle = (a.inner + b.inner) / 2;
  return svg("path", { class: kind, d: `M${a.inner} ${a.y}C${middle} ${a.y} ${middle} ${b.y} ${b.inner} ${b.y}` });
}

/** The costs of the edges that are used, where no other cost stands yet. */
function costTexts(edges) {
  const taken = [];
  const free = ({ x, y }) => taken.every((other) => Math.abs(other.x - x) > 44 || Math.abs(other.y - y) > 16);
  return edges.filter((edge) => edge.kind !== "unused").map((edge) => {
    const spots = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78].map((t) => onPath(edge, t));
    const spot = spots.find(free) ?? spots[0];
    taken.push(spot);
    return svg("text", { class: "cost", x: spot.x, y: spot.y + 4.5, "text-anchor": "middle", text: edge.cost });
  });
}

function onPath({ a, b }, t) {
  const middle = (a.inner + b.inner) / 2;
  const [r, s] = [1 - t, 3 * t * (1 - t)];
  return {
    x: r ** 3 * a.inner + s * middle + t ** 3 * b.inner,
    y: (r ** 3 + s * r) * a.y + (t ** 3 + s * t) * b.y,
  };
}

/** What the picture shows, for those who do not see it. */
function networkWords(pairing, nameOf) {
  const short = (name) => shortened(nameOf(name), 60);
  const pairs = pairing.arcs.filter((p) => p.units)
    .map((p) => `${p.of.map(short).join(" with ")} at ${timesText(pairing, p.units)}${shownCost(p.cost)}`);
  const alone = pairing.counted.filter((row) => row.missing)
    .map((row) => `${short(row.of[0])} with the default class at ${shownCost(row.cost)}`);
  const words = [...pairs, ...alone];
  return shortened(words.length ? `Pairing: ${words.join("; ")}` : "No pair is chosen", 1500);
}

function networkNote(pairing, columns) {
  const hidden = pairing.predicted.length + pairing.true.length
    - [...columns.left, ...columns.right].filter((node) => node.label).length;
  const texts = ["Thick: the chosen pairs with their costs; thin: pairs that were possible; dashed: what the default class was paid."];
  if (hidden) texts.push(`${count(hidden)} more labels are not drawn; the table has all.`);
  return el("p", { class: "muted small", text: texts.join(" ") });
}
