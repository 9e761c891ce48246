// What the apps share: elements, screens by hash, a store that survives a reload, dialogs and a line at the bottom.
"use strict";

const seed = Number(document.body.dataset.seed);

function el(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made[name] = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  for (const one of inside.flat(Infinity)) if (one !== null && one !== undefined && one !== false) made.append(one);
  return made;
}

function chance(number) {  // numbers from 0 to 1, the same for the same seed
  let state = (number * 2654435761 + 40503) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffled(list, next) {
  const all = [...list];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1));
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all;
}

const app = {name: "", title: "", tabs: [], screens: {}, store: null, told: "", undo: null};

app.start = (name, title, fresh) => {
  Object.assign(app, {name, title});
  document.title = title;
  app.store = JSON.parse(localStorage.getItem(name)) || fresh();
  app.save();
  window.onhashchange = () => app.show();
  app.show();
};

app.save = () => localStorage.setItem(app.name, JSON.stringify(app.store));
app.go = (path) => { if (location.hash === `#${path}`) app.show(); else location.hash = path; };
app.say = (text, undo = null) => { app.told = text; app.undo = undo; };

app.show = () => {
  const [screen, ...rest] = (location.hash.slice(2) || app.tabs[0][1]).split("/");
  const draw = app.screens[screen];
  const found = draw ? draw(...rest.map(decodeURIComponent)) : null;
  const {title, back, actions = [], body} = found || {title: "Not found", back: app.tabs[0][1], body: [el("p", {class: "text"}, "This is not here any more.")]};
  const top = el("header", {}, back !== undefined && el("button", {"aria-label": "Navigate up", id: "up", onclick: () => app.go(`/${back}`)}, "←"), el("h1", {}, title), actions);
  const main = el("main", {id: "content"}, body);
  const toast = app.told && el("div", {id: "toast", role: "status"}, el("span", {}, app.told),
    app.undo && el("button", {onclick: ((undo) => () => { undo(); app.save(); app.show(); })(app.undo)}, "Undo"));
  const tabs = el("nav", {}, app.tabs.map(([label, path]) => el("a", {href: `#/${path}`, id: `tab_${path}`, "aria-current": path === screen ? "page" : null}, label)));
  document.querySelectorAll("header, main, nav, dialog, #toast").forEach((one) => one.remove());
  document.body.append(...[top, main, toast, tabs].filter(Boolean));
  app.told = "";
  app.undo = null;
};

app.done = (text, path = null, undo = null) => { app.save(); app.say(text, undo); if (path === null) app.show(); else app.go(path); };

// One dialog: buttons are [label, function that may return text of an error, after which it stays open].
app.ask = (title, inside, buttons) => {
  const wrong = el("p", {class: "error", id: "dialog_error"});
  const dialog = el("dialog", {"aria-label": title, id: "dialog"}, el("h2", {}, title), inside, wrong,
    el("div", {class: "bar"}, buttons.map(([label, act]) => el("button", {onclick: () => {
      const error = act ? act() : null;
      if (typeof error === "string") wrong.textContent = error;
      else dialog.remove();
    }}, label))));
  document.body.append(dialog);
  dialog.showModal();
};

app.choose = (title, options, chosen, act) => {
  const group = options.map((one) => el("label", {class: "row"}, el("input", {type: "radio", name: "choice", value: one, checked: one === chosen}), el("span", {}, one)));
  app.ask(title, group, [["Cancel"], ["Choose", () => {
    const found = document.querySelector("dialog input:checked");
    if (!found) return "Choose one first";
    act(found.value);
  }]]);
};

// A press of half a second; what the finger does afterwards is no click.
function pressed(act) {
  let timer = null, held = false;
  const hold = () => { if (!held) { held = true; act(); } };
  return {
    oncontextmenu: (event) => { event.preventDefault(); hold(); },
    onpointerdown: () => { held = false; timer = setTimeout(hold, 450); },
    onpointerup: () => clearTimeout(timer),
    onpointercancel: () => clearTimeout(timer),
    onclick: (event) => { if (held) event.preventDefault(); },
  };
}

function row(href, title, small, hold, ...more) {
  const inside = el("span", {class: "grow"}, title, small && el("small", {}, small));
  const made = el("a", {class: "row", href, oncontextmenu: null}, inside, more);
  if (hold) { made.setAttribute("oncontextmenu", ""); Object.assign(made, pressed(hold)); }
  return made;
}

function field(label, id, value, error, more = {}) {
  const {long, ...rest} = more;
  const input = long ? el("textarea", {id, rows: 3, ...rest}, value) : el("input", {id, value, autocomplete: "off", ...rest});
  return el("div", {class: "field"}, el("label", {for: id}, label), input, error && el("p", {class: "error", id: `${id}_error`}, error));
}

function toggle(label, id, on, act) {
  return el("label", {class: "row"}, el("span", {class: "grow"}, label), el("input", {type: "checkbox", role: "switch", id, checked: on, onchange: (event) => act(event.target.checked)}));
}

window.worldtape = {
  facts: () => {
    const found = {app: app.name || "home", screen: location.hash.slice(1) || "/"};
    for (const name of ["contacts", "larder"]) found[name] = JSON.parse(localStorage.getItem(name));
    return found;
  },
};
