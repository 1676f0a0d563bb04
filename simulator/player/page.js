
// The host of the exported page: what anywidget's model is in a notebook, here on the page's own address.
const listeners = new Set();
const fromAddress = () => Number(/^#step=(\d+)$/.exec(location.hash)?.[1] ?? 1);
const host = {
  step: fromAddress(),
  view: document.getElementById("view").textContent,
  get: (name) => host[name],
  set(name, value) {
    if (host[name] === value) return;
    host[name] = value;
    for (const listener of listeners) listener();
  },
  on: (_, listener) => listeners.add(listener),
  off: (_, listener) => listeners.delete(listener),
  // The address is costly to write, so it follows when the steps have come to rest.
  save_changes() {
    clearTimeout(host.timer);
    host.timer = setTimeout(() => history.replaceState(null, "", `#step=${host.step}`), 120);
  },
};
addEventListener("hashchange", () => host.set("step", fromAddress()));
mount({ model: host, el: document.getElementById("player") });
performance.mark("player"); // what the benchmark waits for
