// Tells a page as Chromium tells it to Android's accessibility service: one <hierarchy> of <node>s, bounds in CSS pixels
// of the viewport, cut to what can be seen. The body of a function; it changes nothing.
const width = window.innerWidth, height = window.innerHeight;
const escaped = (text) => text.replace(/[&<>"\n\r\t]/g, (one) => (
  {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}[one] || `&#${one.codePointAt(0)};`));
const plain = (text) => (text || "").replace(/\s+/g, " ").trim();
const WIDGETS = {
  button: "Button", checkbox: "CheckBox", combobox: "Spinner", dialog: "android.app.Dialog", alertdialog: "android.app.Dialog",
  img: "Image", list: "ListView", listbox: "ListView", progressbar: "ProgressBar", radio: "RadioButton", slider: "SeekBar",
  spinbutton: "EditText", searchbox: "EditText", switch: "ToggleButton", textbox: "EditText", menuitem: "android.view.MenuItem",
};
const TAGS = {
  BUTTON: "button", SELECT: "combobox", TEXTAREA: "textbox", IMG: "img", UL: "list", OL: "list", DIALOG: "dialog",
  PROGRESS: "progressbar",
};
const TYPES = {checkbox: "checkbox", radio: "radio", range: "slider", button: "button", submit: "button", reset: "button"};
const WHOLE = new Set(["button", "checkbox", "radio", "switch", "combobox", "slider", "textbox", "searchbox", "spinbutton", "img",
  "progressbar", "menuitem", "tab"]);  // what is in them is their name

function roleOf(one) {
  const given = one.getAttribute("role");
  if (given) return given;
  if (one.tagName === "INPUT") return TYPES[one.type] || "textbox";
  return TAGS[one.tagName] || "";
}

function nameOf(one) {
  const by = one.getAttribute("aria-labelledby");
  if (one.getAttribute("aria-label")) return plain(one.getAttribute("aria-label"));
  if (by) return plain(by.split(/\s+/).map((id) => document.getElementById(id)?.innerText).join(" "));
  if (one.labels && one.labels.length) return plain([...one.labels].map((label) => label.innerText).join(" "));
  return plain(one.getAttribute("alt") || one.getAttribute("title"));
}

const common = (one, two) => [Math.max(one[0], two[0]), Math.max(one[1], two[1]), Math.min(one[2], two[2]), Math.min(one[3], two[3])];
const rounded = (box) => box.map(Math.round);
const seen = (box) => Math.round(box[2]) > Math.round(box[0]) && Math.round(box[3]) > Math.round(box[1]);

function tag(attributes, inside) {
  const said = Object.entries(attributes).map(([name, value]) => `${name}="${escaped(String(value))}"`).join(" ");
  return inside ? `<node ${said}>${inside}</node>` : `<node ${said} />`;
}

function common_attributes(index, cls, box) {
  const [left, top, right, bottom] = rounded(box);
  return {index, text: "", "resource-id": "", "class": cls.includes(".") ? cls : `android.widget.${cls}`, "content-desc": "",
    checkable: false, checked: false, clickable: false, enabled: true, focusable: false, focused: false, scrollable: false,
    "long-clickable": false, password: false, selected: false, bounds: `[${left},${top}][${right},${bottom}]`};
}

function text_node(node, clip, index) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const all = range.getBoundingClientRect();
  const box = common([all.left, all.top, all.right, all.bottom], clip);
  const text = plain(node.textContent);
  return text && seen(box) ? tag({...common_attributes(index, "TextView", box), text}, "") : "";
}

function scrolls(one, style) {
  if (one === document.body) return document.scrollingElement.scrollHeight > height + 1;
  return /auto|scroll/.test(style.overflowY) && one.scrollHeight > one.clientHeight + 1;
}

function valueOf(one, role, name) {
  if (one.tagName === "SELECT") return plain(one.selectedOptions[0]?.label);
  if (one.tagName === "INPUT" || one.tagName === "TEXTAREA") {
    if (["checkbox", "radio"].includes(one.type)) return name;
    if (role === "button") return one.value;
    return one.type === "password" ? "•".repeat(one.value.length) : one.value;
  }
  if (one.tagName === "A") return plain(one.innerText);
  return role === "img" || role === "progressbar" ? "" : plain(one.innerText) || (role === "button" ? "" : name);
}

function element(one, clip, index) {
  const style = getComputedStyle(one);
  if (style.display === "none" || one.getAttribute("aria-hidden") === "true") return "";
  if (["SCRIPT", "STYLE", "OPTION", "TEMPLATE"].includes(one.tagName)) return "";
  const rect = one.getBoundingClientRect(), own = [rect.left, rect.top, rect.right, rect.bottom];
  const around = style.position === "fixed" ? [0, 0, width, height] : clip;
  const box = one === document.body ? [0, 0, width, height] : common(own, around);
  const inner = style.overflowY === "visible" || one === document.body ? around : box;
  const role = roleOf(one), name = nameOf(one);
  const link = one.tagName === "A" && !one.childElementCount, whole = link || WHOLE.has(role);
  let inside = "", at = 0;
  for (const child of whole ? [] : one.childNodes) {
    let told = "";
    if (child.nodeType === Node.TEXT_NODE && style.visibility === "visible") told = text_node(child, inner, at);
    if (child.nodeType === Node.ELEMENT_NODE) told = element(child, inner, at);
    at += told ? 1 : 0;
    inside += told;
  }
  if (style.visibility !== "visible" || !seen(box)) return inside;
  const widget = one === document.body ? "android.webkit.WebView" : WIDGETS[role];
  const field = WIDGETS[role] === "EditText", text = whole ? valueOf(one, role, name) : "";
  const hint = field ? plain(one.placeholder) || name : "";
  const pressed = role === "button" || role === "tab" || role === "menuitem" || ["A", "INPUT", "SELECT", "TEXTAREA", "SUMMARY"].includes(one.tagName)
    || one.hasAttribute("onclick") || role === "link";
  const attributes = {...common_attributes(index, widget || "android.view.View", box), text, "resource-id": one.id,
    "content-desc": (whole || one.hasAttribute("aria-label")) && name !== text && name !== hint ? name : "",
    checkable: ["checkbox", "radio", "switch"].includes(role), clickable: pressed || role === "switch",
    checked: Boolean(one.checked) || one.getAttribute("aria-checked") === "true", enabled: !one.disabled && one.getAttribute("aria-disabled") !== "true",
    focusable: one.tabIndex >= 0, focused: one === document.activeElement && one !== document.body, scrollable: scrolls(one, style),
    "long-clickable": one.hasAttribute("oncontextmenu"), password: one.type === "password",
    selected: one.getAttribute("aria-selected") === "true" || one.hasAttribute("aria-current")};
  if (field) attributes.hint = hint;
  if (role === "slider") attributes.text = `${one.value}`;
  const says = whole || widget || text || attributes["content-desc"] || attributes.clickable || attributes.scrollable || attributes["long-clickable"];
  return says || at > 1 ? tag(attributes, inside) : inside;
}

const modal = [...document.querySelectorAll("dialog")].filter((one) => one.matches(":modal")).pop();
const turned = width > height ? 1 : 0;
const told = element(modal || document.body, [0, 0, width, height], 0);
const active = document.activeElement;
return {
  source: `<?xml version="1.0" encoding="UTF-8"?><hierarchy rotation="${turned}" width="${width}" height="${height}">${told}</hierarchy>`,
  size: [width, height],
  state: {
    package: null, app: document.title || null, activity: location.pathname + location.hash, orientation: turned ? "LANDSCAPE" : "PORTRAIT",
    keyboard: false, focus: active && active !== document.body ? nameOf(active) || plain(active.placeholder || active.innerText) : null,
    scroll: [Math.round(window.scrollX), Math.round(window.scrollY)],
  },
};
