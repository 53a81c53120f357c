// Search over the names of all classes, as one types.

const MATCHES_LISTED = 40; // matches that are listed; how many more there are is said

/** A text as it is searched: in small letters, without accents. */
function folded(text) {
  if (!/[^ -~]/.test(text)) return text.toLowerCase(); // most names: plain letters
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  return plain.replace(/[\u0300-\u036f]/g, "");
}

/** {total, best}: classes that contain every word; whole names and beginnings first, then size. */
function foundClasses(texts, query, sizes) {
  const words = folded(query).split(/\s+/).filter(Boolean);
  const whole = words.join(" ");
  const kinds = [[], [], []]; // the whole name, its beginning, anywhere
  texts.forEach((text, i) => {
    if (!words.every((word) => text.includes(word))) return;
    kinds[!text.startsWith(whole) ? 2 : text.length === whole.length ? 0 : 1].push(i);
  });
  const best = [];
  for (const found of kinds) if (best.length < MATCHES_LISTED) best.push(...bySize(found, sizes).slice(0, MATCHES_LISTED));
  return { total: kinds.flat().length, best: best.slice(0, MATCHES_LISTED) };
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

  /** Fold all names; at the first visit of the field, before one types. */
  prepare() {
    const { names, titles } = this.tree;
    this.texts ??= names.map((name, i) => folded(titles?.[i] ? `${titles[i]}\t${name}` : name));
  }

  search() {
    this.prepare();
    const { total, best } = foundClasses(this.texts, this.input.value, this.sizes());
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
