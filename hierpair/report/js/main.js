// Read what is packed in the page, make the views, and say when all is drawn.

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
