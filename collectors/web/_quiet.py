"""Scripts that run in pages: they tell when a document rests, and hand over elements."""

KEY = "worldtape.quiet"
"""The symbol below which a page's own timers are counted."""

WATCH = """(() => {
  const key = Symbol.for("worldtape.quiet");
  if (window[key]) return;
  const SHORT_MS = 1000, CHAIN = 2;
  const pending = new Set();
  const start = window.setTimeout, stop = window.clearTimeout;
  let level = 0;
  window.setTimeout = function setTimeout(what, delay, ...rest) {
    const counts = typeof what === "function" && !(delay > SHORT_MS) && level < CHAIN;
    if (!counts) return start.call(window, what, delay, ...rest);
    const mine = level + 1;
    const id = start.call(window, function (...given) {
      pending.delete(id);
      const before = level;
      level = mine;
      try { return what.apply(this, given); } finally { level = before; }
    }, delay, ...rest);
    pending.add(id);
    return id;
  };
  window.clearTimeout = function clearTimeout(id) { pending.delete(id); return stop.call(window, id); };
  Object.defineProperty(window, key, {value: {pending, start}});
})()"""
"""Counts short timers that a page has set: a menu that opens in 200 ms has not settled. Chains count twice at most."""

REST = """([quiet, cap]) => new Promise(done => {
  const watch = window[Symbol.for("worldtape.quiet")] || {pending: new Set(), start: window.setTimeout};
  const began = performance.now();
  let last = began, changes = 0;
  const observer = new MutationObserver(list => { changes += list.length; last = performance.now(); });
  observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const look = () => {
    const now = performance.now(), busy = watch.pending.size > 0 || window.closed;
    const rests = !busy && now - last >= quiet;
    if (rests || now - began >= cap) { observer.disconnect(); done([rests, changes]); return; }
    watch.start.call(window, look, busy ? 10 : Math.max(1, quiet - (now - last)));
  };
  watch.start.call(window, look, quiet);
})"""
"""Resolves with [rests, changes] when nothing changed for `quiet` ms and no short timer is open, or after `cap` ms."""

LEND = "function (key) { this.ownerDocument.defaultView[Symbol.for(key)] = this; }"
"""Called on an element: puts it where `TAKE` finds it."""

TAKE = "key => { const s = Symbol.for(key), found = window[s]; delete window[s]; return found; }"

__all__ = ["KEY", "LEND", "REST", "TAKE", "WATCH"]
