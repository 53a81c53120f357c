// The frame: views as tabs, the address as the state of the page; and what starts it all.

/** What an address says: #/view/part/part?key=value. */
function routeOf(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view, ...parts] = path.split("/").filter(Boolean).map(decoded);
  return { view: view ?? "", parts, query: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand: a lone percent sign
  }
}

/** The address of a view: addressOf("instances", [3], {measure: 1}) is #/instances/3?measure=1. */
function addressOf(view, parts = [], query = {}) {
  const known = Object.entries(query).filter(([, value]) => value !== null && value !== "");
  const asked = new URLSearchParams(known).toString();
  const path = [view, ...parts].map(encodeURIComponent).join("/");
  return `#/${path}${asked ? `?${asked}` : ""}`;
}

/** The tabs and their panels; views are drawn when they are first visited. */
class Shell {
  constructor(views) {
    this.views = views;
    this.drawn = new Set();
    this.tabs = new Map(views.map((view) => [view.id, this.tab(view)]));
    this.panels = new Map(views.map((view) => [view.id, this.panel(view)]));
    this.open = null;
  }

  /** Take the place of what is shown without scripts, and follow the address from now on. */
  start(title) {
    const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
    list.append(...this.tabs.values());
    list.addEventListener("keydown", (event) => this.steer(event));
    const top = document.getElementById("top");
    top.append(el("h1", null, named(title)), el("div", { class: "bar" }, list, themeButton()));
    top.hidden = false;
    const main = document.getElementById("main");
    document.getElementById("static").remove();
    main.append(...this.panels.values());
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault(); // its address is not that of a view
      main.focus();
    });
    window.addEventListener("hashchange", () => this.show());
    window.addEventListener("beforeprint", () => this.unfold());
    this.show();
  }

  tab(view) {
    const attributes = { role: "tab", id: `tab-${view.id}`, "aria-controls": `view-${view.id}` };
    return el("a", { ...attributes, href: addressOf(view.id), text: view.title });
  }

  panel(view) {
    const attributes = { role: "tabpanel", id: `view-${view.id}`, "aria-labelledby": `tab-${view.id}` };
    return el("section", { ...attributes, class: "view", tabindex: 0, hidden: true });
  }

  /** Arrows, Home and End go from tab to tab and open it, as in every row of tabs. */
  steer(event) {
    const ids = [...this.tabs.keys()];
    const at = ids.findIndex((id) => this.tabs.get(id) === event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1, " ": at };
    if (at < 0 || !(event.key in to)) return;
    event.preventDefault();
    const tab = this.tabs.get(ids[(to[event.key] + ids.length) % ids.length]);
    tab.focus();
    location.hash = tab.getAttribute("href");
  }

  /** On paper nothing can be opened: what is folded is printed, and folded again. */
  unfold() {
    const folded = [...this.panels.get(this.open).querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
    const fold = () => folded.forEach((details) => details.removeAttribute("open"));
    window.addEventListener("afterprint", fold, { once: true });
  }

  /** Show what the address says. What had the focus has it again if it was drawn anew. */
  show() {
    const route = routeOf(location.hash);
    const view = this.views.find((one) => one.id === route.view) ?? this.views[0];
    const focused = document.activeElement?.dataset.key;
    for (const [id, tab] of this.tabs) {
      const isOpen = id === view.id;
      tab.setAttribute("aria-selected", isOpen);
      tab.tabIndex = isOpen ? 0 : -1;
      this.panels.get(id).hidden = !isOpen;
      if (isOpen && location.hash) tab.setAttribute("href", location.hash); // where one left off
    }
    const panel = this.panels.get(view.id);
    if (!this.drawn.has(view.id)) view.draw(panel);
    this.drawn.add(view.id);
    view.show(route.parts, route.query);
    if (this.open !== null && this.open !== view.id) window.scrollTo(0, 0);
    this.open = view.id;
    refocus(panel, focused);
  }
}

/** Give the focus to what bears the key of what had it. */
function refocus(panel, key) {
  if (!key || panel.contains(document.activeElement)) return;
  const again = [...panel.querySelectorAll("[data-key]")].find((node) => node.dataset.key === key);
  again?.focus({ preventScroll: true });
}

/** A button between the colours of the reader's system and the other ones. */
function themeButton() {
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const turn = button("", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
  }, { class: "theme" });
  const say = () => {
    turn.textContent = isDark() ? "Light colours" : "Dark colours";
    window.dispatchEvent(new Event("themechange"));
  };
  system.addEventListener("change", say);
  say();
  return turn;
}

/** What the views share: the data, the packed arrays, the tree, and the way to other views. */
async function makeApp() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const pack = await openContainer(document.getElementById("packed").textContent);
  const live = el("p", { class: "visually-hidden", role: "status" });
  document.body.append(live);
  return {
    data,
    pack,
    tree: pack.has("names") ? readTree(pack) : null,
    href: addressOf,
    go(view, parts = [], query = {}, { replace = false } = {}) {
      const address = addressOf(view, parts, query);
      if (address === location.hash) return;
      if (!replace) {
        location.hash = address;
        return;
      }
      history.replaceState(null, "", address);
      window.dispatchEvent(new HashChangeEvent("hashchange"));
    },
    announce(text) {
      live.textContent = text;
    },
  };
}

async function start() {
  const app = await makeApp();
  const { data } = app;
  const views = [overviewView(app)];
  if (data.has.classes) views.push(classesView(app));
  if (data.has.instances) views.push(instancesView(app));
  if (data.has.charts || data.tables.length) views.push(measuresView(app));
  new Shell(views).start(data.title);
  document.getElementById("foot").prepend(`hierpair ${data.version}. `);
  document.documentElement.dataset.ready = "1";
  performance.mark("ready");
}

/** Say what went wrong, above what is shown without scripts. */
function sayFault(fault) {
  const text = `Only what is below can be shown: ${fault.message}`;
  document.getElementById("main").prepend(el("p", { class: "warnings", role: "alert", text }));
  throw fault;
}

start().catch(sayFault);
