// The overview: warnings first, then systems by measures, and what stands behind each number.

const MOST_COLUMNS = 8; // measures shown at once; the first ones are those that were named first

function overviewView(app) {
  const { data } = app;
  const state = { panel: null };
  return {
    id: "overview",
    title: "Overview",
    draw(section) {
      const table = el("div");
      state.panel = table;
      const levels = data.tables.filter(({ id }) => id === "level").map(tablePart);
      section.append(...[warningsPart(data), factsPart(data), table, ...levels, measuresPart(data), notesPart(data)]
        .filter(Boolean));
    },
    show(_parts, query) {
      clear(state.panel).append(scoresPart(app, query));
    },
  };
}

function warningsPart(data) {
  if (!data.warnings.length) return null;
  const title = counted(data.warnings.length, "warning");
  const items = data.warnings.map((text) => el("li", { text: shortened(text, LONGEST_TITLE) }));
  return el("section", { class: "warnings" }, el("h2", { text: title }), el("ul", null, items));
}

function factsPart(data) {
  const fact = (name, value) => el("div", null, el("dt", { text: name }), el("dd", null, number(value)));
  const some = (list, one) => fact(noun(list.length, one), list.length);
  const { hierarchy } = data;
  return el("section", { class: "panel" },
    el("h2", { class: "visually-hidden", text: "What was scored" }),
    el("dl", { class: "facts" },
      fact(noun(data.n_instances, "instance"), data.n_instances), some(data.systems, "system"), some(data.measures, "measure"),
      data.n_labels && el("div", null, el("dt", { text: `true ${noun(data.n_labels.y_true, "label")} per instance` }),
        el("dd", null, number(data.n_labels.y_true, scoreText(data.n_labels.y_true, 2)))),
      hierarchy && fact(`${noun(hierarchy.n_classes, "class", "classes")} in a ${hierarchy.shape}`, hierarchy.n_classes)),
    hierarchy && el("details", null, el("summary", { text: "The hierarchy" }),
      [hierarchy.text, hierarchy.drawn].filter(Boolean).map((text) => el("p", { class: "muted", text }))));
}

/** The table of scores with what is chosen above it: order and reference. */
function scoresPart(app, query) {
  const { data } = app;
  const comparison = data.comparison;
  const paired = Boolean(comparison?.difference); // pairs of very many systems are left out
  const reference = paired && query.ref in data.systems ? Number(query.ref) : null;
  const set = (changes, how) => app.go("overview", [], { ...query, ...changes }, how);
  const systems = data.systems.map((name, i) => [String(i), name]);
  const n = data.measures.length;
  const from = n > MOST_COLUMNS && Number(query.from) < n ? Number(query.from) || 0 : 0;
  const columns = data.measures.map((_, m) => m).slice(from, from + MOST_COLUMNS);
  const starts = data.measures.map((_, m) => m).filter((m) => m % MOST_COLUMNS === 0)
    .map((m) => [String(m), `${m + 1} to ${Math.min(n, m + MOST_COLUMNS)} of ${n}`]);
  const controls = [
    paired && choice("Compare with", [["", "no reference"], ...systems], reference === null ? "" : String(reference),
      (ref) => set({ ref }), "reference"),
    n > MOST_COLUMNS && choice("Measures", starts, String(from), (start) => set({ from: start }), "measures"),
  ].filter(Boolean);
  return part("Scores", controls.length ? el("div", { class: "controls" }, controls) : null, scrolled("Scores of all systems",
    el("table", { class: "scores" }, scoresHead(data, query, set, columns), scoresBody(data, query, reference, columns))),
  legend(data, reference));
}

function scoresHead(data, query, set, columns) {
  const order = sortOf(data, query);
  const column = (key, label, measure) => {
    const sorted = order.key === key ? (order.turned > 0 ? "ascending" : "descending") : null;
    const turn = () => set({ sort: key, dir: nextDirection(sorted, measure) }, { replace: true });
    const sign = sorted === "ascending" ? " ▲" : sorted === "descending" ? " ▼" : " ↕";
    const sort = button("", turn, { class: "bare", "data-key": `sort-${key}`, title: "Sort by this column" });
    sort.append(named(label, MOST_OF_HEAD), sign);
    return el("th", { scope: "col", class: measure ? "num" : null, "aria-sort": sorted ?? "none" },
      el("span", { class: "head" }, sort, measure ? directionSign(measure) : null));
  };
  return el("thead", null, el("tr", null, column("name", "System", null),
    columns.map((m) => column(String(m), data.measures[m].label, data.measures[m]))));
}

/** The best first when a column is taken; the other way round when it is taken again. */
function nextDirection(sorted, measure) {
  if (sorted) return sorted === "ascending" ? "down" : "up";
  return measure?.higher ? "down" : "up";
}

function directionSign(measure) {
  const said = measure.higher ? "higher is better" : "lower is better";
  return el("span", { class: "arrow", title: said }, el("span", { "aria-hidden": "true", text: measure.higher ? "↑" : "↓" }),
    el("span", { class: "visually-hidden", text: said }));
}

/** The column by which systems are sorted, and whether it rises; the first measure, the best first. */
function sortOf(data, query) {
  if (query.sort !== "name" && !Object.hasOwn(data.measures, query.sort)) return { key: "0", turned: data.measures[0].higher ? -1 : 1 };
  return { key: query.sort, turned: query.dir === "up" ? 1 : -1 };
}

/** Systems in the order that is asked for; those without a value come last. */
function systemOrder(data, query) {
  const order = data.systems.map((_, i) => i);
  const { key, turned } = sortOf(data, query);
  if (key === "name") {
    return order.sort((i, j) => turned * data.systems[i].localeCompare(data.systems[j]));
  }
  const of = (i) => data.scores[i][key];
  return order.sort((i, j) => {
    if (of(i) === null || of(j) === null) return (of(i) === null) - (of(j) === null);
    return turned * (of(i) - of(j));
  });
}

function scoresBody(data, query, reference, columns) {
  const rows = systemOrder(data, query).map((i) =>
    el("tr", { class: i === reference ? "reference" : null, "data-system": i },
      el("th", { scope: "row" }, named(data.systems[i], 60),
        i === reference ? el("span", { class: "sub", text: "reference" }) : null),
      columns.map((m) => reference === null || i === reference
        ? valueCell(data, i, m) : differenceCell(data, i, m, reference))));
  return el("tbody", null, rows);
}

function valueCell(data, i, m) {
  const value = data.scores[i][m];
  const { comparison } = data;
  if (!comparison) return el("td", { class: "num", "data-measure": m }, number(value, scoreText(value), { class: "value" }));
  const [low, high, rank] = [comparison.low[i][m], comparison.high[i][m], comparison.ranks[i][m]];
  const worse = comparison.worse[i][m];
  return el("td", { class: rank === 1 ? "num best" : "num", "data-measure": m },
    number(value, scoreText(value), { class: "value" }),
    worse ? el("span", { class: "mark", title: "significantly worse than the best", text: " †" }) : null,
    interval(low, high),
    el("span", { class: "sub" }, "rank ", number(rank)));
}

/** The difference of a system to the reference, with its interval and p-value. */
function differenceCell(data, i, m, reference) {
  const { comparison, measures } = data;
  const at = (field) => comparison[field]?.[m]?.[i]?.[reference] ?? null;
  const [value, low, high, p] = ["difference", "difference_low", "difference_high", "p_adjusted"].map(at);
  const sure = p !== null && p < comparison.alpha && value !== 0;
  const better = value > 0 === measures[m].higher;
  return el("td", { class: "num", "data-measure": m },
    number(value, signed(value), { class: "value" }),
    sure ? el("span", { class: better ? "better" : "worse", text: better ? " better" : " worse" }) : null,
    interval(low, high),
    el("span", { class: "sub" }, "p ", number(p, pText(p))));
}

function interval(low, high) {
  if (low === null || low === undefined || high === null || high === undefined) return null;
  return el("span", { class: "sub interval" }, "[", number(low, scoreText(low)), ", ", number(high, scoreText(high)), "]");
}

const signed = (value) => (value > 0 ? `+${scoreText(value)}` : scoreText(value));

function legend(data, reference) {
  const { comparison } = data;
  if (!comparison) return null;
  const level = `${shown(100 * comparison.level, 1)} %`;
  const said = reference === null
    ? `In brackets: the ${level} interval. † significantly worse than the best system of the column `
      + `(adjusted p below ${comparison.alpha}). Ranks: 1 is best.`
    : `Differences to the reference with their ${level} intervals; p-values are adjusted. `
      + `“better” and “worse”: significant at ${comparison.alpha}.`;
  return [el("p", { class: "muted small", text: said }),
    el("details", null, el("summary", { text: "How systems were compared" }),
      el("p", null, el("code", { text: comparison.signature })),
      comparison.notes.map((text) => el("p", { class: "muted", text })))];
}

// What stands behind a column: the meaning, the conventions in words, the signature on demand.

/** What a measure says, its direction and range, and its conventions in words. */
function aboutMeasure(measure) {
  return [
    el("p", { text: measure.meaning }),
    el("p", { class: "muted", text: `${measure.higher ? "Higher" : "Lower"} is better; range ${measure.range}.` }),
    measure.conventions ? el("p", { text: measure.conventions }) : null,
    el("details", { class: "small" }, el("summary", { text: "Signature" }), el("p", null, el("code", { text: measure.signature }))),
  ];
}

/** All measures with their conventions, for those who read or print it from top to bottom. */
function measuresPart(data) {
  const about = data.measures.map((measure) => el("div", null,
    el("h3", null, named(measure.label), " ", directionSign(measure)), aboutMeasure(measure)));
  return part("What was measured, and how", el("div", { class: "measures" }, about));
}

function notesPart(data) {
  const list = (title, texts) => (texts.length
    ? [el("h2", { text: title }), el("ul", null, texts.map((text) => el("li", { text: shortened(text, LONGEST_TITLE) })))]
    : []);
  const lists = [...list("Notes", data.notes), ...list("What this page lacks, and why", data.absent)];
  return lists.length ? el("section", { class: "panel notes" }, lists) : null;
}
