// Making and finding elements: the only way this page builds its parts. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | undefined | false} Child those that are nothing are left out
 * @typedef {Child | Child[] | Child[][]} Children
 * @typedef {Record<string, any>} Settings attributes; `onNAME` is a listener, `value` and its like are properties
 */

/**
 * element("button", { class: "quiet", onclick: f }, "text", child, …)
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Settings} [settings]
 * @param {...Children} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, settings = {}, ...children) {
  return filled(document.createElement(tag), settings, children);
}

/**
 * The same for a shape of a picture.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Settings} [settings]
 * @param {...Children} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function shape(tag, settings = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), settings, children);
}

/**
 * @template {Element} Made
 * @param {Made} node
 * @param {Settings} settings
 * @param {Children[]} children
 */
function filled(node, settings, children) {
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (["value", "checked", "disabled", "open"].includes(name)) Object.assign(node, { [name]: value });
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...present(children));
  return node;
}

/**
 * @param {Children[]} children
 * @returns {(Node | string)[]}
 */
function present(children) {
  const flat = /** @type {Child[]} */ (children.flat(2));
  return flat
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * What must be there.
 * @param {string} selector
 * @param {ParentNode} within
 */
export function find(selector, within = document) {
  const found = within.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`there is no ${selector}`);
  return found;
}

/**
 * Put these children, and nothing else, into a node.
 * @template {Element} Given
 * @param {Given} node
 * @param {...Children} children
 */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
  return node;
}

/**
 * A picture that came from our server as text. Parsed as XML, so that nothing in it can run.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (!(parsed instanceof SVGSVGElement)) throw new Error("not a picture");
  const told = `data-${document.documentElement.lang}`;
  for (const words of parsed.querySelectorAll(`text[${told}]`)) words.textContent = words.getAttribute(told);
  return document.importNode(parsed, true);
}
