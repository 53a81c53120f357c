// What stands behind a column: the meaning, the conventions in words, the signature on demand.

const MOST_UNFOLDED = 6; // measures; of more what is said is folded, as the heads of columns say it too

/** The button in the head of a column that opens what is said about its measure. */
function aboutButton(measure, m) {
  return el("button", { type: "button", class: "about", popovertarget: `about-${m}`,
    "aria-label": `About ${shortened(measure.label, 60)}`, "data-key": `about-${m}` }, "i");
}

function aboutPopover(measure, m) {
  return el("div", { popover: "auto", id: `about-${m}`, role: "dialog", "aria-label": `About ${shortened(measure.label, 60)}` },
    el("h2", null, named(measure.label)), aboutMeasure(measure));
}

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
  const title = "What was measured, and how";
  const list = el("div", { class: "measures" }, about);
  if (about.length <= MOST_UNFOLDED) return part(title, list);
  return el("section", { class: "panel" }, el("details", { class: "whole" },
    el("summary", null, el("h2", { text: title })), list));
}

function notesPart(data) {
  const list = (title, texts) => (texts.length
    ? [el("h2", { text: title }), el("ul", null, texts.map((text) => el("li", { text: shortened(text, LONGEST_TITLE) })))]
    : []);
  const lists = [...list("Notes", data.notes), ...list("What this page lacks, and why", data.absent)];
  return lists.length ? el("section", { class: "panel notes" }, lists) : null;
}
