// Instances: lists of the worst and of the largest differences, and one of them in full.

const MANY_MEASURES = 7; // with more of them a table has a row, not a column, for each
const MANY_SYSTEMS = 8; // with more of them only those of the list are shown at once

function instancesView(app) {
  const found = app.pack.json("instances");
  let section = null;
  return {
    id: "instances",
    title: "Instances",
    draw(panel) {
      section = panel;
    },
    show(parts, query) {
      const chosen = instanceChoice(app, found, query);
      const row = Number(parts[0] in found.rows ? parts[0] : chosen.rows[0] ?? -1);
      clear(section).append(
        el("div", { class: "two" }, listPart(app, found, chosen, row, query),
          row < 0 ? part("No instance", el("p", { text: "This list is empty." }))
            : instancePart(app, found.rows[row], row, chosen, query)));
    },
  };
}

/** The list that the address asks for, or the first that fits as far as it asks. */
function instanceChoice(app, found, query) {
  const keys = ["kind", "system", "measure"];
  let fitting = found.lists;
  const options = {};
  for (const key of keys) {
    options[key] = [...new Set(fitting.map((list) => listKey(list, key)))];
    const value = options[key].includes(query[key]) ? query[key] : options[key][0];
    fitting = fitting.filter((list) => listKey(list, key) === value);
  }
  return { options, list: fitting[0], rows: fitting[0]?.rows ?? [] };
}

/** A property of a list as it stands in an address. */
function listKey(list, key) {
  const value = list[key];
  return value === null || value === undefined ? "all" : Array.isArray(value) ? value.join("-") : String(value);
}

function listPart(app, found, chosen, row, query) {
  const { list, options } = chosen;
  const { data } = app;
  const { why: _why, ...kept } = query;
  const set = (changes) => app.go("instances", [], { ...kept, ...changes });
  const words = {
    kind: { worst: "worst values", difference: "largest differences" },
    system: (key) => key.split("-").map((i) => data.systems[i] ?? "all systems").join(" and "),
    measure: (key) => data.measures[key]?.label ?? "all measures",
  };
  const titles = { kind: "Show", system: "System", measure: "Measure" };
  const selects = Object.keys(options).filter((key) => options[key].length > 1).map((key) => {
    const text = (value) => (key === "kind" ? words.kind[value] ?? value : words[key](value));
    return choice(titles[key], options[key].map((value) => [value, text(value)]), listKey(list, key),
      (value) => set({ [key]: value }), `list-${key}`);
  });
  return el("section", { class: "panel" },
    el("h2", null, named(list?.title ?? "Instances", 120)),
    el("div", { class: "controls" }, selects),
    list ? instanceTable(app, found, chosen, row, query) : null,
    found.note ? el("p", { class: "muted small", text: found.note }) : null);
}

function instanceTable(app, found, { list, rows }, chosen, query) {
  const { data } = app;
  const systems = [list.system].flat();
  const { why: _why, ...passed } = query;
  const valueOf = (r, i) => found.rows[r].values[i][list.measure];
  const text = columnText(rows.flatMap((r) => systems.map((i) => valueOf(r, i))));
  const line = (r) => {
    const { id, text: said } = found.rows[r];
    const link = el("a", { href: app.href("instances", [r], passed), "data-key": `row-${r}` }, named(id, 60));
    return el("tr", { "aria-current": r === chosen ? "true" : null },
      el("td", null, link, said ? el("div", { class: "muted small" }, named(said, 90)) : null),
      systems.map((i) => el("td", { class: "num" }, number(valueOf(r, i), text(valueOf(r, i))))));
  };
  const head = systems.map((i) => el("th", { scope: "col", class: "num" }, named(data.systems[i], MOST_OF_HEAD)));
  return scrolled("The instances of this list", el("table", { class: "rows" },
    el("thead", null, el("tr", null, el("th", { scope: "col", text: "Instance" }), head)),
    el("tbody", null, rows.map(line))));
}

/** One instance: its text, the labels and values of all systems, and why it got a value. */
function instancePart(app, row, at, { list }, query) {
  const scored = app.data.systems.map((_, i) => i);
  const few = scored.length <= MANY_SYSTEMS;
  const first = few ? scored : scored.filter((i) => [list?.system].flat().includes(i));
  const others = few ? [] : scored.filter((i) => !first.includes(i));
  const tables = (systems) => [labelTable(app, row, systems), valueTable(app, row, systems)];
  return el("section", { class: "panel instance", "data-instance": row.id },
    el("h2", null, "Instance ", named(row.id)),
    row.text ? el("div", { class: "long-text", tabindex: 0, role: "region", "aria-label": "Text of the instance", dir: "auto", text: row.text }) : null,
    tables(first),
    others.length ? el("details", null, el("summary", { text: `Labels and values of ${counted(others.length, "other system")}` }), tables(others)) : null,
    whyPart(app, row, at, list, query));
}

function labelTable(app, row, systems) {
  const line = (title, labels) => el("tr", null, el("th", { scope: "row" }, title), el("td", null, labelChips(app, labels)));
  return el("div", null, el("h3", { text: "Labels" }), scrolled("Labels of the systems", el("table", { class: "labels" },
    el("tbody", null, line("true", row.true.map((i) => [i, "is-true", ""])),
      systems.map((i) => line(named(app.data.systems[i], 40), judgedLabels(row.true, row.pred[i])))))));
}

/** Values of systems by measures; of many measures, the other way round. */
function valueTable(app, { values }, shownSystems) {
  const { systems, measures } = app.data;
  const texts = measures.map((_, m) => columnText(shownSystems.map((i) => values[i][m])));
  const cell = (i, m) => number(values[i][m], texts[m](values[i][m]), { "data-system": i, "data-measure": m });
  const [names, labels] = [shownSystems.map((i) => named(systems[i], MOST_OF_HEAD)), measures.map(({ label }) => named(label, MOST_OF_HEAD))];
  const turned = measures.length > MANY_MEASURES;
  const header = turned ? ["measure", ...names] : ["system", ...labels];
  const rows = turned
    ? labels.map((label, m) => [label, ...shownSystems.map((i) => cell(i, m))])
    : names.map((name, k) => [name, ...measures.map((_, m) => cell(shownSystems[k], m))]);
  const table = plainTable("Values of the systems", header, rows, `l${"r".repeat(header.length - 1)}`);
  return el("div", null, el("h3", { text: "Values" }), table);
}

/** The explanation that is asked for: of the list's system and measure unless another is chosen. */
function whyPart(app, row, at, list, query) {
  const keys = Object.keys(row.explained);
  if (!keys.length) return el("p", { class: "muted", text: "Not explained on this page: see the cap beside the list." });
  const { data } = app;
  const first = list && `${[list.system].flat()[0]},${list.measure}`;
  const key = [query.why, first, keys[0]].find((one) => keys.includes(one));
  const text = (one) => {
    const [i, m] = one.split(",").map(Number);
    return `${data.measures[m].label} of ${data.systems[i]}`;
  };
  const select = choice("Why did it get this value?", keys.map((one) => [one, text(one)]), key,
    (why) => app.go("instances", [at], { ...query, why }), "why");
  const why = row.explained[key];
  return el("div", { class: "why", "data-why": key }, el("div", { class: "controls" }, select),
    el("p", { class: "value-line" }, named(text(key)), why.value === null ? " has no value" : [" = ", number(why.value)], "."),
    explanationPart(why));
}
