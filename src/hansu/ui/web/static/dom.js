// Making and finding elements: the only way this page builds its parts. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** element("button", { class: "quiet", onclick: f }, "text", child, …); children that are null are left out. */
export function element(tag, settings = {}, ...children) {
  return filled(document.createElement(tag), settings, children);
}

/** The same for a shape of a picture. */
export function shape(tag, settings = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), settings, children);
}

function filled(node, settings, children) {
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "open") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export function find(selector, within = document) {
  return within.querySelector(selector);
}

/** Put these children, and nothing else, into a node. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A picture that came from our server as text. Parsed as XML, so that nothing in it can run. */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (parsed.nodeName !== "svg") throw new Error("not a picture");
  const told = `data-${document.documentElement.lang}`;
  for (const text of parsed.querySelectorAll(`text[${told}]`)) text.textContent = text.getAttribute(told);
  return document.importNode(parsed, true);
}
