// Search over the names of all classes, as one types.

const MATCHES_LISTED = 40; // matches that are listed; how many more there are is said

/** A text as it is searched: in small letters, without accents. */
function folded(text) {
  if (!/[^ -~]/.test(text)) return text.toLowerCase(); // most names: plain letters
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  return plain.replace(/[\u0300-\u036f]/g, "").replaceAll("\u0000", " ");
}

/** All names in one text, so that one scan of it finds what contains a word. */
class NameIndex {
  constructor(tree) {
    const { n, names, titles } = tree;
    const texts = new Array(n);
    this.starts = new Int32Array(n + 1);
    let at = 0;
    for (let i = 0; i < n; i++) {
      texts[i] = folded(titles?.[i] ? `${titles[i]}\t${names[i]}` : names[i]);
      this.starts[i] = at;
      at += texts[i].length + 1;
    }
    this.starts[n] = at;
    this.text = texts.join("\u0000");
  }

  /** {total, best}: classes that contain every word; whole names and beginnings first, then size. */
  find(query, sizes, most = MATCHES_LISTED) {
    const words = folded(query).split(/\s+/).filter(Boolean);
    if (!words.length) return { total: 0, best: [] };
    const whole = words.join(" ");
    const rare = words.reduce((a, b) => (b.length > a.length ? b : a));
    const others = words.filter((word) => word !== rare);
    const { text, starts } = this;
    const best = [];
    let total = 0;
    let i = 0;
    for (let at = text.indexOf(rare); at >= 0; at = text.indexOf(rare, starts[i])) {
      while (starts[i + 1] <= at) i += 1;
      const end = starts[i + 1] - 1;
      if (!others.length || others.every((word) => text.slice(starts[i], end).includes(word))) {
        total += 1;
        insertMatch(best, { node: i, kind: this.kind(i, whole, at), size: sizes[i] }, most);
      }
      i += 1;
    }
    return { total, best: best.map(({ node }) => node) };
  }

  /** 0: the whole name, 1: its beginning, 2: beginning of a word, 3: within a word. */
  kind(i, whole, at) {
    const start = this.starts[i];
    if (this.text.startsWith(whole, start)) {
      const after = this.text.charCodeAt(start + whole.length);
      return Number.isNaN(after) || after === 0 || after === 9 ? 0 : 1;
    }
    return at === start || !/[\p{L}\p{N}]/u.test(this.text[at - 1]) ? 2 : 3;
  }
}

const matchOrder = (a, b) => a.kind - b.kind || b.size - a.size || a.node - b.node;

/** Put a match in its place among the best ones. */
function insertMatch(best, match, most) {
  if (best.length === most && matchOrder(best[most - 1], match) <= 0) return;
  let at = best.length;
  while (at > 0 && matchOrder(match, best[at - 1]) < 0) at -= 1;
  best.splice(at, 0, match);
  if (best.length > most) best.pop();
}

/** The search field and its list (combobox with a list box). */
class SearchBox {
  constructor(tree, sizes, { choose, announce }) {
    Object.assign(this, { tree, sizes, choose, announce, at: -1, best: [] });
    this.list = el("ul", { id: "cls-found", role: "listbox", "aria-label": "Classes found",
      class: "cls-found", hidden: true });
    this.input = el("input", { type: "text", id: "cls-search", role: "combobox", autocomplete: "off",
      spellcheck: "false", "aria-autocomplete": "list", "aria-expanded": "false",
      "aria-controls": "cls-found", placeholder: `${count(tree.n)} classes`,
      on: { focus: () => setTimeout(() => this.prepare()), input: () => this.search(), keydown: (event) => this.steer(event),
        blur: () => this.close() } });
    this.list.addEventListener("pointerdown", (event) => event.preventDefault()); // focus stays
    this.list.addEventListener("click", (event) => {
      const item = event.target.closest("[role=option]");
      if (item) this.take(Number(item.dataset.class));
    });
    this.node = el("div", { class: "cls-search" },
      el("label", { for: "cls-search", text: "Find a class" }), this.input, this.list);
  }

  /** Put all names in one text; at the first visit of the field, before one types. */
  prepare() {
    this.index ??= new NameIndex(this.tree);
  }

  search() {
    this.prepare();
    const start = performance.now();
    const { total, best } = this.index.find(this.input.value, this.sizes());
    this.node.dataset.took = performance.now() - start;
    this.node.dataset.total = total;
    this.best = best;
    if (!this.input.value.trim()) {
      this.close();
      return;
    }
    const note = total > best.length ? `${count(total)} classes, the first ${best.length} listed`
      : total === 1 ? "1 class" : `${count(total)} classes`;
    this.list.replaceChildren(
      el("li", { role: "presentation", class: "cls-total muted", text: note }),
      ...best.map((node, i) => this.option(node, i)));
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
    this.mark(-1);
    this.announce(note);
  }

  option(node, i) {
    const { tree } = this;
    const parent = tree.parent[node];
    const where = parent >= 0 ? el("span", { class: "muted" }, " in ", named(tree.label(parent), 60)) : null;
    const name = tree.titles?.[node] ? el("span", { class: "muted" }, " ", named(tree.names[node], 40)) : null;
    return el("li", { role: "option", id: `cls-found-${i}`, "data-class": node,
      "aria-selected": "false" }, named(tree.label(node), 90), name, where);
  }

  /** Mark the option that Enter takes. */
  mark(at) {
    this.at = at;
    [...this.list.querySelectorAll("[role=option]")].forEach((item, i) => {
      item.setAttribute("aria-selected", i === at ? "true" : "false");
      if (i === at) item.scrollIntoView({ block: "nearest" });
    });
    if (at < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", `cls-found-${at}`);
  }

  steer(event) {
    const n = this.best.length;
    const isOpen = !this.list.hidden;
    if (event.key === "ArrowDown" && !isOpen) this.search();
    else if (event.key === "ArrowDown" && n) this.mark((this.at + 1) % n);
    else if (event.key === "ArrowUp" && isOpen && n) this.mark((this.at + n - (this.at < 0 ? 0 : 1)) % n);
    else if (event.key === "Enter" && isOpen && n) this.take(this.best[Math.max(this.at, 0)]);
    else if (event.key === "Escape" && isOpen) this.close();
    else if (event.key === "Escape") this.input.value = "";
    else return;
    event.preventDefault();
  }

  take(node) {
    this.input.value = "";
    this.close();
    this.choose(node);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
