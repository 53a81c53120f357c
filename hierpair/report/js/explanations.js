// One explanation: the drawings and tables of its evidence, and what proves its value.

const MOST_CHIPS = 200; // of a set with more classes the first ones are shown, and how many are not

/** Draw what Explanation.to_dict() gives. */
function explanationPart(app, why) {
  const tools = { app, ...shownNames(new Map(Object.entries(why.titles ?? {}))), width: drawingWidth() };
  const kinds = { pairing: pairingEvidence, fields: fieldsEvidence, network: networkEvidence };
  const kind = Object.keys(kinds).find((key) => why[key]);
  const evidence = kind ? kinds[kind](why[kind], tools) : otherEvidence(why);
  const drawn = why.hierarchy.nodes.length
    ? [el("h3", { text: why.fields?.edges.length ? "The two graphs" : "In the hierarchy" }), hierarchyDrawing(why.hierarchy, tools.nameOf, tools.width)]
    : [];
  return el("div", { class: "explanation" }, evidence, drawn,
    el("details", null, el("summary", { text: "Signature" }), el("p", null, el("code", { text: why.signature }))));
}

/** How classes are called: by title where no other class has it (nameOf), by title and id (inFull). */
function shownNames(titles) {
  const times = new Map();
  for (const title of titles.values()) times.set(title, (times.get(title) ?? 0) + 1);
  const inFull = (name) => (titles.has(String(name)) ? `${titles.get(String(name))} (${name})` : String(name));
  const nameOf = (name) => (times.get(titles.get(String(name))) === 1 ? titles.get(String(name)) : inFull(name));
  return { nameOf, inFull };
}

/** Room for a drawing: that of the panel it comes to, within what is legible. */
function drawingWidth() {
  const room = Math.min(document.documentElement.clientWidth, 1500) - 64;
  const panel = room >= 936 ? room * 0.6 : room + 20;
  return Math.max(320, Math.min(720, Math.floor(panel - 50)));
}

function pairingEvidence(pairing, tools) {
  if (pairing.blocking.length) {
    return el("div", null, el("p", { text: `No pairing: ${pairing.why}` }),
      el("p", { text: "These cannot hold together; without any one of them the others could:" }),
      el("ul", null, pairing.blocking.map((row) => el("li", { text: row.text }))));
  }
  return el("div", null, el("h3", { text: "The pairing" }), networkDrawing(pairing, tools.nameOf, tools.width),
    pairing.bounds.length || pairing.counts.length ? el("ul", null, pairing.bounds.map((text) => el("li", { text: `bound: ${text}` })),
      pairing.counts.map((row) => el("li", { text: `paid ${shownCost(row.cost)}: ${row.text}` }))) : null,
    certificate(pairing, tools), pairTable(pairing, tools));
}

/** The sum that is the cost, and what proves that no pairing is cheaper. */
function certificate(pairing, { nameOf }) {
  const paid = pairing.pairs.filter((p) => p.chosen).map((p) => timesText(pairing, p.units ?? 1) + shownCost(p.cost)).join(" + ") || "0";
  const missing = [...pairing.predicted, ...pairing.true].filter((row) => row.n_missing)
    .map((row) => timesText(pairing, row.n_missing) + shownCost(row.default)).join(" + ");
  const counted = pairing.counts.map((row) => shownCost(row.cost)).join(" + ");
  const parts = [["pairs", paid], ["defaults", missing], ["numbers of pairs", counted]].filter(([, text]) => text)
    .map(([what, text]) => `${what} ${shortened(text, 300)}`).join(", ");
  const sum = ["Cost ", number(pairing.cost), ` = ${parts}. `];
  if (!pairing.optimal) return el("p", { class: "certificate" }, sum, "The flow could not be proved optimal; please report this.");
  const whole = pairing.lexicographic === null || pairing.lexicographic === undefined ? []
    : [`The lexicographic costs are ${pairing.lexicographic.map(shownCost).join(", then ")}, each the least after those before it. `];
  return el("p", { class: "certificate" }, sum, whole, "Proof: the dual prices show that every pairing costs at least ",
    number(pairing.bound), pairing.gap ? ` (costs were rounded; the optimum is within ${pairing.gap.toExponential(1)})` : "", ". ", howLarge(pairing), howFirm(pairing, nameOf));
}

/** Where the largest cost is minimised first: how large it is, and why none smaller will do. */
function howLarge(pairing) {
  if (pairing.largest === null || pairing.largest === undefined) return "";
  const why = pairing.smaller.length ? `: with cheaper ones only, ${pairing.why_largest}` : "";
  return ["The largest cost is ", number(pairing.largest), `, and none smaller will do${why}. `];
}

/** Whether it is the only best pairing, and how a second best one differs. */
function howFirm(pairing, nameOf) {
  if (pairing.untold) return `What would change the pairing is not told: ${pairing.untold}.`;
  if (pairing.unique === null || pairing.unique === undefined) return "";
  if ((pairing.whole ?? null) !== null) return `It is ${pairing.unique ? "the only best pairing" : "one of several best pairings"}.`;
  const limited = pairing.largest !== null && pairing.largest !== undefined;
  if (!pairing.second.length) return `It is the only pairing ${limited ? "with this largest cost" : "that there can be"}.`;
  const pairs = (chosen) => shortened(pairing.second.map((i) => pairing.pairs[i]).filter((p) => p.chosen === chosen)
    .map((p) => `${nameOf(pairing.predicted[p.predicted].name)}–${nameOf(pairing.true[p.true].name)}`).join(", "), 200);
  const how = [["without", pairs(true)], ["with", pairs(false)]].filter(([, names]) => names).map((words) => words.join(" ")).join(" and ");
  if (!pairing.unique) return `It is one of several best pairings (another one: ${how}).`;
  const more = pairing.further ? ["costs ", number(pairing.further), " more"] : "costs more by a later cost only";
  return ["It is the only best pairing; the second best ", more, ` (${how}).`];
}

/** Bounds of which one unit would save something, the dearest first. */
function savingRows(pairing) {
  return [...pairing.savings].sort((a, b) => b.saved - a.saved).slice(0, 200).map((row) => [named(row.value === null
    ? `${row.counted}: one ${row.noun} ${row.bound === "at most" ? "more" : "fewer"} (${row.constraint})`
    : `${row.counted}: ${row.bound} ${row.value} ${row.noun}${row.value === 1 ? "" : "s"}`, 120), number(row.saved)]);
}

/** Within which costs of a pair the pairing stays a best one; null is any amount. */
function bestWhile(pair, pairing) {
  if (pairing.unique === null || (pairing.largest !== null && pairing.largest !== undefined)) return "";
  const low = pair.may_fall === null ? "" : shownCost(pair.cost - pair.may_fall);
  const high = pair.may_rise === null ? "" : shownCost(pair.cost + pair.may_rise);
  return low && high ? `${low} … ${high}` : low ? `≥ ${low}` : high ? `≤ ${high}` : "any";
}

/** Why a pair may not be chosen. */
function keptOut(pair, pairing) {
  const limited = pairing.largest !== null && pairing.largest !== undefined;
  return limited && pair.cost !== null && pair.cost > pairing.largest ? "too dear" : "forbidden";
}

function pairTable(pairing, { inFull }) {
  const listed = [...pairing.pairs].sort((p, q) => q.chosen - p.chosen || (p.cost ?? Infinity) - (q.cost ?? Infinity)).slice(0, 200);
  const moved = (pairing.whole ?? null) !== null;
  const known = (pairing.unique ?? null) !== null;
  const rows = listed.map((p) => [p.chosen ? "●" : "", named(inFull(pairing.predicted[p.predicted].name), 60),
    named(inFull(pairing.true[p.true].name), 60), p.cost === null ? "impossible" : number(p.cost),
    !p.allowed ? keptOut(p, pairing) : known ? bestWhile(p, pairing) : "", ...(moved ? [p.chosen ? massText(pairing, p.units) : ""] : [])]);
  const labels = ["predicted", "true"].flatMap((side) => pairing[side].map((row) => [side, named(inFull(row.name), 60),
    massText(pairing, row.n_partners), [...new Set([row.lower, row.upper])].map((x) => massText(pairing, x)).join("…"),
    row.n_missing ? massText(pairing, row.n_missing) : "", number(row.default), number(row.dual)]));
  const left = pairing.pairs.length - listed.length;
  return el("details", null, el("summary", { text: "Pairs and labels as tables" }),
    plainTable("All pairs", ["chosen", "predicted", "true", "cost", "best while", ...(moved ? ["mass"] : [])], rows, moved ? "lllrrr" : "lllrr"),
    left ? el("p", { class: "muted", text: `${count(left)} costlier pairs are not listed.` }) : null,
    pairing.savings.length ? plainTable("Bounds that cost something", ["one unit of this bound", "would save"], savingRows(pairing), "lr") : null,
    plainTable("All labels", ["side", "class", moved ? "mass" : "partners", "allowed", "missing", "default", "dual price"], labels.slice(0, 200), "llrrrrr"));
}

/** Classes in named fields: those of the instance as chips, those of pairs and labels in a table. */
function fieldsEvidence(found, tools) {
  const states = { "in both": "is-both", "only true": "is-true", "only predicted": "is-pred", pruned: "is-other is-pruned" };
  const chips = found.fields.filter((field) => !field.predicted.length && !field.true.length)
    .map((field) => chipRow(field.name, field.classes, states[field.name] ?? "is-other", tools,
      new Map(field.numbers.map((value, k) => [String(field.classes[k]), value]))));
  const counts = found.counts.map(([name, value], k) => [k ? ", " : "", `${name} = `, number(value)]);
  return el("div", null, el("h3", { text: `The classes that count: ${found.title}` }),
    found.amount ? el("p", { class: "muted", text: `Numbers in brackets: ${found.amount}.` }) : null,
    fieldsTable(found, tools), chips,
    found.remarks.map((text) => el("p", { class: "muted", text })),
    found.proof ? [el("h3", { text: "The pairing of paths and classes" }), networkDrawing(found.proof, tools.nameOf, tools.width),
      certificate(found.proof, tools), pairTable(found.proof, tools)]
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
  for (const arc of network.arcs) families.set(arc.family, [...(families.get(arc.family) ?? []), arc]);
  const sums = [...families].map(([says, arcs]) => [named(says, 80), count(arcs.length),
    number(arcs.reduce((sum, arc) => sum + arc.flow, 0)), number(arcs.reduce((sum, arc) => sum + arc.flow * arc.cost, 0))]);
  const used = network.arcs.filter((arc) => arc.flow);
  const rows = used.slice(0, 200).map((arc) => [named(arc.says, 80), `${arc.lower}…${arc.upper}`, number(arc.flow), number(arc.cost), number(arc.slack)]);
  const proof = network.optimal ? ["Proof: the dual prices show that every flow costs at least ", number(network.bound), "."]
    : ["The flow could not be proved optimal; please report this."];
  return el("div", null, el("h3", { text: "The flow" }),
    network.pairs.length ? el("ul", null, network.pairs.map(([p, t]) => el("li", null, named(inFull(p), 60), " with ", named(inFull(t), 60)))) : null,
    plainTable("What carries something", ["flow", "allowed", "units", "cost of 1", "slack"], rows, "llrrr"),
    used.length > rows.length ? el("p", { class: "muted", text: `${count(used.length - rows.length)} more are not listed.` }) : null,
    plainTable("Families of arcs", ["arcs", "number", "flow", "cost"], sums, "lrrr"),
    el("p", { class: "certificate" }, "Cost ", number(network.cost), ". ", proof));
}

/** Evidence of a measure of one's own: as it is. */
function otherEvidence(why) {
  const known = new Set(["system", "instance", "measure", "value", "y_true", "y_pred", "titles", "hierarchy", "signature"]);
  const rest = Object.fromEntries(Object.entries(why).filter(([key]) => !known.has(key)));
  return el("pre", { class: "long-text", tabindex: 0, text: shortened(JSON.stringify(rest, null, 1), 20000) });
}
