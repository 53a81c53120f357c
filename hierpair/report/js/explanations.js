// One explanation: its drawings, and the tables and sentences that explain prints.

const MOST_CHIPS = 200; // of a set with more classes the first ones are shown, and how many are not

function explanationPart(why) {
  const tables = why.tables.map(({ title, header, rows, align, left }, k) => [
    plainTable(title || `Evidence, table ${k + 1}`, header, rows.map((row) => row.map((text) => named(text, 300))), align),
    left ? el("p", { class: "muted", text: `${count(left)} more are not listed.` }) : null]);
  return el("div", { class: "explanation" },
    why.drawings.map(([title, picture]) => [el("h3", { text: title }), scrolled(title, pictureOf(picture))]),
    tables, el("div", { class: "certificate" }, why.notes.map((text) => el("p", { text: shortened(text, LONGEST_TITLE) }))),
    el("details", null, el("summary", { text: "Signature" }), el("p", null, el("code", { text: why.signature }))));
}

/** A picture out of [tag, attributes, ...children]; texts become text nodes. */
function pictureOf([tag, attributes, ...children]) {
  return svg(tag, attributes, children.map((child) => (Array.isArray(child) ? pictureOf(child) : child)));
}

// Classes as chips with links to the class view, and plain tables.

/** The name of a class by its number: what people call it, with its id where they differ. */
function classNameOf(app, number) {
  return app.tree ? app.tree.label(number) : String(number);
}

function chip(text, state, link, sign) {
  const inside = [sign ? el("span", { class: "sign", text: sign }) : null, named(text, 60)];
  return link ? el("a", { class: `chip ${state}`, href: link }, inside) : el("span", { class: `chip ${state}` }, inside);
}

/** Labels by their numbers as [number, state, sign]; signs say what colours say. */
function labelChips(app, labels) {
  if (!labels.length) return el("span", { class: "muted", text: "none" });
  const chips = labels.slice(0, MOST_CHIPS).map(([i, state, sign]) => {
    const link = app.data.has.classes ? app.href("classes", [i]) : null;
    return el("li", null, chip(classNameOf(app, i), state, link, sign));
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
    el("thead", null, el("tr", null, header.map((text, k) => (text ? cell("th", text, k, { scope: "col" }) : cell("td", "", k))))),
    el("tbody", null, rows.map((row) => el("tr", null, row.map((content, k) => cell("td", content, k)))))));
}
