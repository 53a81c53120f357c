// One explanation: the drawings and tables of its evidence, and what proves its value.

const MOST_CHIPS = 200; // of a set with more classes the first ones are shown, and how many are not

/** Draw what Explanation.to_dict() gives, with its pictures. */
function explanationPart(app, why) {
  const tools = { app, ...shownNames(new Map(Object.entries(why.titles ?? {}))) };
  const kinds = { flow: flowEvidence, fields: fieldsEvidence };
  const kind = Object.keys(kinds).find((key) => why[key]);
  return el("div", { class: "explanation" },
    why.drawings.map(([title, picture]) => [el("h3", { text: title }), scrolled(title, pictureOf(picture))]),
    kind ? kinds[kind](why[kind], tools) : otherEvidence(why),
    el("details", null, el("summary", { text: "Signature" }), el("p", null, el("code", { text: why.signature }))));
}

/** A picture out of [tag, attributes, ...children]; texts become text nodes. */
function pictureOf([tag, attributes, ...children]) {
  return svg(tag, attributes, children.map((child) => (Array.isArray(child) ? pictureOf(child) : child)));
}

/** How classes are called: by title where no other class has it (nameOf), by title and id (inFull). */
function shownNames(titles) {
  const times = new Map();
  for (const title of titles.values()) times.set(title, (times.get(title) ?? 0) + 1);
  const inFull = (name) => (titles.has(String(name)) ? `${titles.get(String(name))} (${name})` : String(name));
  const nameOf = (name) => (times.get(titles.get(String(name))) === 1 ? titles.get(String(name)) : inFull(name));
  return { nameOf, inFull };
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

function flowEvidence(flow, tools) {
  return flow.counted.some((row) => row.kind === "node") ? networkEvidence(flow, tools) : pairingEvidence(flowRows(flow), tools);
}

/** A flow with its rows by what they are: pairs, labels of both sides, other sets. */
function flowRows(flow) {
  const side = (kind) => flow.counted.filter((row) => row.kind === kind);
  return { ...flow, predicted: side("predicted"), true: side("true"),
    sets: flow.counted.filter((row) => row.says || row.paid) };
}

/** What is said of a set of pairs in one sentence. */
function setText(pairing, row) {
  const mass = (units) => (units === null ? "∞" : massText(pairing, units));
  const allowed = [...new Set([row.lower, row.upper])].map(mass).join("…");
  return `${row.says || row.of.join(" ")}: ${mass(row.units)} of ${allowed}${row.paid ? `, paid ${shownCost(row.paid)}` : ""} (${row.source})`;
}

function pairingEvidence(pairing, tools) {
  if (pairing.blocking.length) {
    return el("div", null, el("p", { text: `No pairing: ${pairing.why}` }),
      el("p", { text: "These cannot hold together; without any one of them the others could:" }),
      el("ul", null, pairing.blocking.map((row) => el("li", { text: row.says }))));
  }
  return el("div", null,
    pairing.sets.length || pairing.remarks.length ? el("ul", null, pairing.sets.map((row) => el("li", { text: setText(pairing, row) })),
      pairing.remarks.map((text) => el("li", { text }))) : null,
    certificate(pairing, tools), pairTable(pairing, tools));
}

/** The sum that is the cost, and what proves that no pairing is cheaper. */
function certificate(pairing, { nameOf }) {
  const paid = pairing.arcs.filter((p) => p.units).map((p) => timesText(pairing, p.units) + shownCost(p.cost)).join(" + ") || "0";
  const missing = pairing.counted.filter((row) => row.missing)
    .map((row) => timesText(pairing, row.missing) + shownCost(row.cost)).join(" + ");
  const counted = pairing.counted.filter((row) => row.paid).map((row) => shownCost(row.paid)).join(" + ");
  const parts = [["pairs", paid], ["defaults", missing], ["numbers of pairs", counted]].filter(([, text]) => text)
    .map(([what, text]) => `${what} ${shortened(text, 300)}`).join(", ");
  const sum = ["Cost ", number(pairing.cost), ` = ${parts}. `];
  if (!pairing.optimal) return el("p", { class: "certificate" }, sum, "The flow could not be proved optimal; please report this.");
  const whole = !pairing.lexicographic.length ? []
    : [`The lexicographic costs are ${pairing.lexicographic.map(shownCost).join(", then ")}, each the least after those before it. `];
  return el("p", { class: "certificate" }, sum, whole, "Proof: the dual prices show that every pairing costs at least ",
    number(pairing.bound), pairing.gap ? ` (costs were rounded; the optimum is within ${pairing.gap.toExponential(1)})` : "", ". ", howFirm(pairing, nameOf));
}

/** Whether it is the only best pairing, and how a second best one differs. */
function howFirm(pairing, nameOf) {
  if (pairing.unique === null) return "";
  if (pairing.whole !== null) return `It is ${pairing.unique ? "the only best pairing" : "one of several best pairings"}.`;
  const limited = pairing.largest !== null;
  if (!pairing.second.length) return `It is the only pairing ${limited ? "with this largest cost" : "that there can be"}.`;
  const pairs = (chosen) => shortened(pairing.second.map((i) => pairing.arcs[i]).filter((p) => (p.units > 0) === chosen)
    .map((p) => p.of.map(nameOf).join("–")).join(", "), 200);
  const how = [["without", pairs(true)], ["with", pairs(false)]].filter(([, names]) => names).map((words) => words.join(" ")).join(" and ");
  if (!pairing.unique) return `It is one of several best pairings (another one: ${how}).`;
  const more = pairing.further ? ["costs ", number(pairing.further), " more"] : "costs more by a later cost only";
  return ["It is the only best pairing; the second best ", more, ` (${how}).`];
}

/** What one unit of the bounds of a row would save. */
function savesText(row) {
  return row.saves ? `${shownCost(row.saves)} (one ${row.by === "at most" ? "more" : "fewer"})` : "";
}

/** Within which costs of a pair the pairing stays a best one; null is any amount. */
function bestWhile(pair, pairing) {
  if (pairing.unique === null || pairing.largest !== null) return "";
  const low = pair.may_fall === null ? "" : shownCost(pair.cost - pair.may_fall);
  const high = pair.may_rise === null ? "" : shownCost(pair.cost + pair.may_rise);
  return low && high ? `${low} … ${high}` : low ? `≥ ${low}` : high ? `≤ ${high}` : "any";
}

/** Why a pair may not be chosen. */
function keptOut(pair, pairing) {
  return pairing.largest !== null && pair.cost !== null && pair.cost > pairing.largest ? "too dear" : "forbidden";
}

function pairTable(pairing, { inFull }) {
  const listed = [...pairing.arcs].sort((p, q) => (q.units > 0) - (p.units > 0) || (p.cost ?? Infinity) - (q.cost ?? Infinity)).slice(0, 200);
  const moved = pairing.whole !== null;
  const known = pairing.unique !== null;
  const mass = (units) => (units === null ? "∞" : massText(pairing, units));
  const rows = listed.map((p) => [p.units ? "●" : "", ...p.of.map((name) => named(inFull(name), 60)),
    p.cost === null ? "impossible" : number(p.cost),
    p.upper === 0 ? keptOut(p, pairing) : known ? bestWhile(p, pairing) : "", ...(moved ? [p.units ? mass(p.units) : ""] : [])]);
  const labels = pairing.counted.slice(0, 200).map((row) => [row.says ? "" : row.kind, named(row.says || inFull(row.of[0]), 120),
    mass(row.units), [...new Set([row.lower, row.upper])].map(mass).join("…"),
    row.missing ? mass(row.missing) : "", number(row.cost), number(row.price), savesText(row)]);
  const left = pairing.arcs.length - listed.length;
  return el("details", null, el("summary", { text: "Pairs and labels as tables" }),
    plainTable("All pairs", ["chosen", "predicted", "true", "cost", "best while", ...(moved ? ["mass"] : [])], rows, moved ? "lllrrr" : "lllrr"),
    left ? el("p", { class: "muted", text: `${count(left)} costlier pairs are not listed.` }) : null,
    plainTable("All labels", ["side", "class", moved ? "mass" : "partners", "allowed", "missing", "default", "dual price", "one unit saves"], labels, "llrrrrrr"));
}

/** Classes in named fields: those of the instance as chips, those of pairs and labels in a table. */
function fieldsEvidence(found, tools) {
  const states = { "in both": "is-both", "only true": "is-true", "only predicted": "is-pred", pruned: "is-other is-pruned" };
  const chips = found.fields.filter((field) => !field.predicted.length && !field.true.length)
    .map((field) => chipRow(field.name, field.classes, states[field.name] ?? "is-other", tools,
      new Map(field.numbers.map((value, k) => [String(field.classes[k]), value]))));
  const proof = found.proof && flowRows(found.proof);
  const counts = found.counts.map(([name, value], k) => [k ? ", " : "", `${name} = `, number(value)]);
  return el("div", null, el("h3", { text: `The classes that count: ${found.title}` }),
    found.amount ? el("p", { class: "muted", text: `Numbers in brackets: ${found.amount}.` }) : null,
    fieldsTable(found, tools), chips,
    found.remarks.map((text) => el("p", { class: "muted", text })),
    proof ? [certificate(proof, tools), pairTable(proof, tools)]
      : el("p", { class: "certificate" }, "What is counted: ", counts));
}

/** The fields of every pair of a path and a class, or of every label. */
function fieldsTable(found, { nameOf }) {
  const groups = new Map();
  for (const field of found.fields.filter((field) => field.predicted.length || field.true.length)) {
    const key = JSON.stringify([field.predicted, field.true]);
    groups.set(key, [...(groups.get(key) ?? []), field]);
  }
  if (!groups.size) return null;
  const names = [...groups.values()][0].map((field) => field.name);
  const list = (classes) => classes.map(nameOf).join(", ");
  const rows = [...groups.values()].slice(0, 200).map((fields) => [
    ...["predicted", "true"].map((side) => fields[0][side].map(nameOf).join(" → ")).map((text) => (text ? named(text, 120) : "(none)")),
    ...fields.map(({ classes }) => el("span", { title: shortened(list(classes), LONGEST_TITLE) }, number(classes.length)))]);
  const sums = new Map(found.counts.map(([name, value]) => [name.toUpperCase(), value]));
  if (names.every((name) => sums.has(name))) rows.push(["all pairs", "", ...names.map((name) => number(sums.get(name)))]);
  const left = groups.size - 200;
  return [plainTable(found.title, ["predicted", "true", ...names], rows, `ll${"r".repeat(names.length)}`),
    left > 0 ? el("p", { class: "muted", text: `${count(left)} more are not listed.` }) : null];
}

/** Classes as chips under a heading with their number. */
function chipRow(title, names, state, tools, amounts = new Map()) {
  const chips = names.slice(0, MOST_CHIPS).map((name) => {
    const amount = amounts.get(String(name));
    return el("li", null, classChip(tools.app, name, tools.nameOf(name), state, amount === undefined ? "" : ` (${shown(amount)})`));
  });
  const left = names.length - chips.length;
  return el("div", null, el("h4", null, `${title} `, el("span", { class: "muted" }, "(", number(names.length), ")")),
    names.length ? el("ul", { class: "chips" }, chips, left > 0 ? el("li", { class: "muted", text: `and ${count(left)} more` }) : null)
      : el("p", { class: "muted", text: "none" }));
}

/** A network that a rule wrote itself: what its arcs say and carry. */
function networkEvidence(network, { inFull }) {
  const families = new Map();
  for (const arc of network.arcs) families.set(arc.source, [...(families.get(arc.source) ?? []), arc]);
  const sums = [...families].map(([says, arcs]) => [named(says, 80), count(arcs.length),
    number(arcs.reduce((sum, arc) => sum + arc.units, 0)), number(arcs.reduce((sum, arc) => sum + arc.units * arc.cost, 0))]);
  const used = network.arcs.filter((arc) => arc.units);
  const pairs = used.filter((arc) => arc.kind === "pair");
  const rows = used.slice(0, 200).map((arc) => [named(arc.says, 80), `${arc.lower}…${arc.upper}`, number(arc.units), number(arc.cost), number(arc.price)]);
  const proof = network.optimal ? ["Proof: the dual prices show that every flow costs at least ", number(network.bound), "."]
    : ["The flow could not be proved optimal; please report this."];
  return el("div", null, el("h3", { text: "The flow" }),
    pairs.length ? el("ul", null, pairs.map(({ of: [p, t] }) => el("li", null, named(inFull(p), 60), " with ", named(inFull(t), 60)))) : null,
    plainTable("What carries something", ["flow", "allowed", "units", "cost of 1", "slack"], rows, "llrrr"),
    used.length > rows.length ? el("p", { class: "muted", text: `${count(used.length - rows.length)} more are not listed.` }) : null,
    plainTable("Families of arcs", ["arcs", "number", "flow", "cost"], sums, "lrrr"),
    el("p", { class: "certificate" }, "Cost ", number(network.cost), ". ", proof));
}

/** Evidence of a measure of one's own: as it is. */
function otherEvidence(why) {
  const known = new Set(["system", "instance", "measure", "value", "y_true", "y_pred", "titles", "drawings", "signature"]);
  const rest = Object.fromEntries(Object.entries(why).filter(([key]) => !known.has(key)));
  return el("pre", { class: "long-text", tabindex: 0, text: shortened(JSON.stringify(rest, null, 1), 20000) });
}

// Classes as chips with links to the class view, and plain tables.

/** The name of a class by its number: what people call it, with its id where they differ. */
function classNameOf(app, number) {
  return app.tree ? app.tree.label(number) : String(number);
}

/** The number of a class by its id, or undefined; the index is made when it is first asked for. */
function classNumberOf(app, name) {
  if (!app.tree) return undefined;
  app.numbers ??= new Map(app.tree.names.map((one, i) => [one, i]));
  return app.numbers.get(String(name));
}

/** A class as a chip; a link where the page has a view of classes. */
function classChip(app, name, text, state, after = "") {
  const at = app.data.has.classes ? classNumberOf(app, name) : undefined;
  return chip(text, state, at === undefined ? null : app.href("classes", [at]), after);
}

function chip(text, state, link, after = "", sign = "") {
  const inside = [sign ? el("span", { class: "sign", text: sign }) : null, named(text, 60), after];
  return link ? el("a", { class: `chip ${state}`, href: link }, inside) : el("span", { class: `chip ${state}` }, inside);
}

/** Labels by their numbers as [number, state, sign]; signs say what colours say. */
function labelChips(app, labels) {
  if (!labels.length) return el("span", { class: "muted", text: "none" });
  const chips = labels.slice(0, MOST_CHIPS).map(([i, state, sign]) => {
    const link = app.data.has.classes ? app.href("classes", [i]) : null;
    return el("li", null, chip(classNameOf(app, i), state, link, "", sign));
  });
  const left = labels.length - chips.length;
  return el("ul", { class: "chips" }, chips, left > 0 ? el("li", { class: "muted", text: `and ${count(left)} more` }) : null);
}

/** What was predicted, right or wrong, and what was missed. */
function judgedLabels(truth, predicted) {
  const [isTrue, isPredicted] = [new Set(truth), new Set(predicted)];
  return [
    ...predicted.map((i) => (isTrue.has(i) ? [i, "is-both", "✓"] : [i, "is-pred", "✗"])),
    ...truth.filter((i) => !isPredicted.has(i)).map((i) => [i, "is-true", "missed"]),
  ];
}

/** A table of texts and elements; align holds an l or r per column. */
function plainTable(label, header, rows, align) {
  const sides = align ?? "l".repeat(header.length);
  const cell = (tag, content, k, attributes = {}) => el(tag, { ...attributes, class: sides[k] === "r" ? "num" : null }, content);
  return scrolled(label, el("table", { class: "plain" },
    el("thead", null, el("tr", null, header.map((text, k) => cell("th", text, k, { scope: "col" })))),
    el("tbody", null, rows.map((row) => el("tr", null, row.map((content, k) => cell("td", content, k)))))));
}
