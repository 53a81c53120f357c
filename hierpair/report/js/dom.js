// Elements, texts and numbers. What comes from the data becomes text nodes, never markup.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const LONGEST_NAME = 160; // characters shown of one name; more of it is in its title
const LONGEST_TITLE = 2000;
const BETWEEN_WORDS = /(?<=[\p{L}\p{N}][_./:-])(?=[\p{L}\p{N}])|(?<=…)/u; // where a line may end in a name

/** Give an element its attributes and children; null, undefined and false are left out. */
function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") {
      node.append(String(value));
    } else if (name === "on") {
      for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    } else {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element: el("p", {class: "note"}, "text", child). Strings become text nodes. */
function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

/** Take out all children. */
function clear(node) {
  node.replaceChildren();
  return node;
}

/** A text of at most so many characters; whole characters, not halves of them. */
function shortened(text, most = LONGEST_NAME) {
  if (text.length <= most) return text;
  const letters = Array.from(text);
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

/** A name cut in the middle: names that begin alike often differ at their ends. */
function shortName(text, most = LONGEST_NAME) {
  if (text.length <= most) return text;
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const end = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(letters.length - end).join("")}`;
}

/** A name out of the data: isolated, so that its direction does not move what stands around it. */
function named(text, most = LONGEST_NAME) {
  const whole = String(text);
  const short = shortName(whole, most);
  const title = short === whole ? null : shortened(whole, LONGEST_TITLE);
  const pieces = short.split(BETWEEN_WORDS).flatMap((piece, k) => (k ? [el("wbr"), piece] : [piece]));
  return el("bdi", { class: "name", title }, pieces);
}

/** A number as people read it; "–" where there is none. */
function shown(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return count(value);
  const text = size >= 1e-4 && size < 1e9 ? value.toFixed(digits) : value.toExponential(2);
  return text.replace(/-/g, "−");
}

/** A number in full, as it is read back: the shortest text that gives the same number. */
function full(value) {
  return value === null || value === undefined ? "" : String(value);
}

/** A whole number with commas between its thousands. */
function count(value) {
  return String(value).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A noun as it stands behind its number: noun(1, "instance"), noun(2, "class", "classes"). */
function noun(size, one, many = `${one}s`) {
  return size === 1 ? one : many;
}

/** A number with its noun: "1 instance", "2,000 instances". */
function counted(size, one, many) {
  return `${count(size)} ${noun(size, one, many)}`;
}

/** A p-value; a small one as what it is below. */
function pText(p) {
  if (p === null || p === undefined) return "–";
  return p < 1e-4 ? "< 0.0001" : p.toFixed(4);
}

/** A score: always with decimals, so that columns align. */
function scoreText(value, digits = 4) {
  return Number.isInteger(value) && Math.abs(value) < 1e9
    ? value.toFixed(digits).replace("-", "−")
    : shown(value, digits);
}

/** How the numbers of a column are written: whole numbers alone without decimals. */
function columnText(values) {
  return values.every((value) => value === null || Number.isInteger(value)) ? shown : scoreText;
}

/** A number on the page: short to read, whole in data-value for those who read the page back. */
function number(value, text = shown(value), attributes = {}) {
  return el("span", { ...attributes, "data-value": full(value), text });
}

/** What scrolls by itself where the screen is narrow; the keyboard reaches it. */
function scrolled(label, ...children) {
  const attributes = { class: "scroll", role: "region", "aria-label": label, tabindex: 0 };
  return el("div", attributes, ...children);
}

/** A button. */
function button(text, act, attributes = {}) {
  return el("button", { type: "button", ...attributes, on: { click: act } }, text);
}

/** A part of a view, under a heading. */
function part(title, ...children) {
  return el("section", { class: "panel" }, el("h2", { text: title }), ...children);
}

/** A labelled list of choices, each [value, text]; names that are cut are the titles of theirs. */
function choice(label, choices, value, act, key, most = 40) {
  const options = choices.map(([one, text]) => {
    const short = shortName(text, most);
    return el("option", { value: one, selected: one === value, title: short === text ? null : text, text: short });
  });
  const select = el("select", { "data-key": key, "aria-label": label, on: { change: () => act(select.value) } }, options);
  return el("label", { class: "choice" }, el("span", { text: label }), select);
}
