// Building the page from elements and texts. Whatever was remembered goes in as a text node, never as markup.

/** Make an element. `properties`: `class`, `on` (event → handler), `style` (property → value), other attributes. */
export function h(name, properties, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties ?? {})) set(element, key, value);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function set(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key === "class") element.className = value;
  else if (key === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
  else if (key === "style") for (const [name, one] of Object.entries(value)) element.style.setProperty(name, one);
  else if (key === "value") element.value = value;
  else element.setAttribute(key, value === true ? "" : String(value));
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

let counter = 0;

/** A fresh id, to tie a label to its field. */
export function freshId() {
  counter += 1;
  return `f${counter}`;
}

/** A field with its label. */
export function field(label, input) {
  const id = freshId();
  input.id = id;
  return h("div", { class: "field" }, h("label", { for: id }, label), input);
}

export function select(options, chosen, properties) {
  const element = h(
    "select",
    properties,
    options.map(([value, words]) => h("option", { value }, words)),
  );
  if (chosen !== undefined) element.value = chosen;
  return element;
}

const ELEMENTS = new Set(
  ("p br hr h1 h2 h3 h4 h5 h6 ul ol li em strong s code pre blockquote a table thead tbody tr th td").split(" "),
);

/** Build what the server made of Markdown: texts, and `[element, attributes, ...nodes]` of a known few. */
export function built(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const [name, attributes, ...inner] = node;
    if (!ELEMENTS.has(name)) return built(inner);
    if (name !== "a") return h(/^h[1-6]$/.test(name) ? "p" : name, { class: /^h/.test(name) ? "said-heading" : null }, built(inner));
    return link(attributes.href ?? "", built(inner));
  }).flat();
}

/** A link from memory always shows where it leads. */
function link(address, inner) {
  if (!/^(https?|mailto):/i.test(address)) return inner;
  const words = inner.map((one) => (typeof one === "string" ? one : one.textContent)).join("");
  const where = words === address ? null : h("span", { class: "quiet" }, ` (${address})`);
  return h("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, inner, where);
}

/** Say something to people who listen instead of look. */
export function announce(words) {
  const place = document.getElementById("status");
  if (place) place.textContent = words;
}
