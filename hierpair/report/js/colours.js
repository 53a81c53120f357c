// Colours of figures. What is wrong stands out from the page: dark on light, bright on dark. Lightness
// falls or rises all along, so that colour-blind readers and grey print keep the order.

const SEQUENTIAL = { // from good to bad
  light: ["#dcefe6", "#b4ddcf", "#84c9bd", "#57afae", "#39919f", "#31728f", "#33537c", "#343462",
    "#241642"],
  dark: ["#2a5069", "#2d647b", "#357987", "#478f8e", "#68a790", "#93be91", "#c0d393", "#e7e5a6",
    "#fff9d6"],
};
const DIVERGING = {
  light: ["#8a3c00", "#cc5a00", "#f0a060", "#efece6", "#8fc1e6", "#2f86c5", "#00477a"],
  dark: ["#ffc08a", "#ee8a2e", "#9a5414", "#3b3f46", "#1f6196", "#3f9fe0", "#a6d8ff"],
};
const BOUNDS = [0.02, 0.05, 0.1, 0.2, 0.5, 1]; // ends of the scale of differences

const isDark = () => {
  if (window.matchMedia("print").matches) return false;
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
};

/** A colour scale: fill(value), ink(value) for text upon it, ticks for the legend. */
class Scale {
  constructor(stops, low, high, { root = false } = {}) {
    Object.assign(this, { stops: stops.map(rgb), low, high, root });
    this.steps = Array.from({ length: 101 }, (_, i) => this.mixed(i / 100));
  }

  /** Where on the scale a value is, 0 to 1. */
  place(value) {
    const t = this.high > this.low ? (value - this.low) / (this.high - this.low) : 0;
    const inside = Math.min(1, Math.max(0, t));
    return this.root ? Math.sqrt(inside) : inside;
  }

  step(value) {
    return this.steps[Math.round(100 * this.place(value))];
  }

  fill(value) {
    return this.step(value).fill;
  }

  ink(value) {
    return this.step(value).ink;
  }

  /** The value at a place of the scale. */
  value(place) {
    return this.low + (this.root ? place * place : place) * (this.high - this.low);
  }

  mixed(t) {
    const at = Math.min(t * (this.stops.length - 1), this.stops.length - 1.000001);
    const [a, b] = [this.stops[Math.floor(at)], this.stops[Math.floor(at) + 1]];
    const colour = a.map((x, i) => Math.round(x + (b[i] - x) * (at % 1)));
    const light = luminance(colour);
    const onBlack = (light + 0.05) / 0.05;
    const onWhite = 1.05 / (light + 0.05);
    const hex = colour.map((x) => x.toString(16).padStart(2, "0")).join("");
    return { fill: `#${hex}`, ink: onWhite >= onBlack ? "#ffffff" : "#000000" };
  }
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** Relative luminance of WCAG 2. */
function luminance(colour) {
  const [r, g, b] = colour.map((x) => {
    const part = x / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Scale from 0 to `high`; `good` says at which end a value is good: "high" or "low". */
function sequentialScale(high, good, options = {}) {
  const stops = isDark() ? SEQUENTIAL.dark : SEQUENTIAL.light;
  return new Scale(good === "low" ? stops : [...stops].reverse(), 0, high, options);
}

/**
 * Scale of differences: its ends hold 95 in 100 of the values; the others have the end colours.
 * `good`, "high" or "low", gets the blue ones.
 */
function divergingScale(values, good) {
  const sizes = values.filter((x) => !Number.isNaN(x)).map(Math.abs).sort((a, b) => a - b);
  const most = sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 1;
  const bound = BOUNDS.find((b) => b >= most) ?? 1;
  const stops = isDark() ? DIVERGING.dark : DIVERGING.light;
  return new Scale(good === "low" ? [...stops].reverse() : stops, -bound, bound);
}

/** What the colours mean: a bar with its values below, and the pattern of "no value". */
function legendOf(scale, { text, ends, digits, width = 260, inner = [0.25, 0.5, 0.75] }) {
  const parts = 44;
  const bar = svg("svg", { class: "cls-bar", viewBox: `0 0 ${width} 26`, width, height: 26,
    role: "img", "aria-label": `${text}: from ${ends[0]} to ${ends[1]}` });
  for (let i = 0; i < parts; i++) {
    const fill = scale.fill(scale.value((i + 0.5) / parts));
    bar.append(svg("rect", { x: (i * width) / parts, y: 0, width: width / parts + 0.5, height: 10,
      fill }));
  }
  const tick = (place, anchor, value) => bar.append(svg("text", { x: place * width, y: 23,
    "text-anchor": anchor, class: "cls-tick", text: value }));
  tick(0, "start", ends[0]);
  for (const place of inner) tick(place, "middle", digits(scale.value(place)));
  tick(1, "end", ends[1]);
  return bar;
}
