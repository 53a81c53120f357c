// Measures: which conclusions depend on conventions, how far measures agree, and charts.

const FIRST_ROWS = 10; // of a longer table the first rows are shown, the others on demand
const MOST_OF_HEAD = 32; // characters of the head of a column; the whole of it is its title
const CHART_SCALE = 1.45; // pixels of the page per point of a chart: its letters are small
const LEAST_CHART = 0.65; // of its width: on a narrow screen a chart and its legend scroll rather than shrink below

function measuresView(app) {
  const { data, pack } = app;
  return {
    id: "measures",
    title: "Measures",
    draw(section) {
      const order = ["conclusions", "conventions", "agreement"];
      const place = (table) => (order.indexOf(table.id) + order.length + 1) % (order.length + 1);
      const tables = data.tables.filter(({ id }) => id !== "level").sort((a, b) => place(a) - place(b));
      section.append(...tables.map(tablePart));
      const charts = pack.has("charts") ? pack.json("charts") : [];
      const known = data.comparison?.signature; // said in the overview
      if (charts.length) section.append(el("div", { class: "charts" }, charts.map((chart) => chartPart(chart, known))));
    },
    show() {},
  };
}

function tablePart(table) {
  return part(table.title, noteOf(table), foldedTable(table));
}

function noteOf(thing) {
  return thing.note ? el("p", { class: "muted small", text: thing.note }) : null;
}

/** A table whose first rows are shown; a button shows the others. */
function foldedTable(table) {
  const rows = table.rows.map((row) => row.map((text) => el("span", { text: shortened(text, LONGEST_TITLE) })));
  const header = table.header.map((text) => named(text, MOST_OF_HEAD));
  const drawn = plainTable(table.title, header, rows, table.align);
  const hidden = [...drawn.querySelectorAll("tbody tr")].slice(FIRST_ROWS);
  if (hidden.length < 3) return el("div", { "data-table": table.id }, drawn);
  const fold = () => {
    const folded = more.getAttribute("aria-expanded") === "false";
    for (const row of hidden) row.hidden = !folded;
    more.setAttribute("aria-expanded", folded);
    more.textContent = folded ? "Show fewer rows" : `Show all ${count(rows.length)} rows`;
  };
  const more = button("", fold, { "aria-expanded": "true" });
  fold();
  return el("div", { "data-table": table.id }, drawn, more);
}

/** A chart as an image: its own styles stay inside it. */
function chartPart(chart, known) {
  const points = /<svg[^>]* width="([\d.]+)pt"/.exec(chart.svg.slice(0, 2000))?.[1];
  const image = el("img", { alt: chart.alt, src: `data:image/svg+xml,${encodeURIComponent(chart.svg)}` });
  if (points) {
    const width = Math.round(points * CHART_SCALE);
    image.style.width = `${width}px`;
    image.style.minWidth = `${Math.round(LEAST_CHART * width)}px`;
  }
  return el("section", { class: "panel", "data-chart": chart.id }, el("h2", { text: chart.title }),
    el("figure", null, scrolled(chart.title, image), chart.note && chart.note !== known ? el("figcaption", { text: chart.note }) : null));
}
