// Creating and finding elements: the only way this page builds its parts. Text is never parsed as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | number | null | undefined | false} Child empty ones are left out
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
 * The same for SVG.
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
 * An element that must exist.
 * @param {string} selector
 * @param {ParentNode} within
 */
export function find(selector, within = document) {
  const node = within.querySelector(selector);
  if (!(node instanceof HTMLElement)) throw new Error(`there is no ${selector}`);
  return node;
}

/**
 * Replace the children of a node.
 * @template {Element} Given
 * @param {Given} node
 * @param {...Children} children
 */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
  return node;
}

/**
 * A picture from the server. It is parsed as XML, so that no script in it can run.
 * @param {string} text
 * @returns {SVGSVGElement}
 */
export function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (!(parsed instanceof SVGSVGElement)) throw new Error("not a picture");
  const attribute = `data-${document.documentElement.lang}`;
  for (const words of parsed.querySelectorAll(`text[${attribute}]`)) words.textContent = words.getAttribute(attribute);
  return document.importNode(parsed, true);
}
