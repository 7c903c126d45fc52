// The picture of a searched tree: nodes with their values, branches with their moves, as they are at a step.

import { fill, shape } from "./dom.js";
import { t } from "./language.js";
import { rounding } from "./rounding.js";
import { labelsAt } from "./tree.js";
import { layout, ROW } from "./tree_layout.js";

/**
 * @import { XrayTold } from "../messages"
 * @import { Tree, TreeNode } from "./tree.js"
 * @import { Rest, Spot } from "./tree_layout.js"
 */

/**
 * @typedef {object} Drawn
 * @property {SVGElement} group
 * @property {SVGElement | null} branch
 * @property {SVGElement} value
 * @property {SVGElement} note
 * @property {SVGElement | null} more how many nodes are folded away below
 */

/** @typedef {{ group: SVGElement, branch: SVGElement, words: SVGElement, title: SVGElement }} DrawnRest */

const MEAN_DIGITS = 2;
const CENTRED = { "text-anchor": "middle" };

export class TreeDrawing {
  /** @type {Map<TreeNode, Drawn>} */
  #drawn = new Map();
  /** @type {Map<Rest, DrawnRest>} */
  #rests = new Map();
  /** @type {(text: string) => string} numbers with as many digits as tell the moves apart */
  rounded = (text) => text;
  /** @type {Tree | null} */
  #tree = null;

  /**
   * @param {string} label
   * @param {[string, string]} tones of the two seats
   * @param {{ press: (node: TreeNode) => void, spread: (node: TreeNode) => void }} acts
   */
  constructor(label, tones, acts) {
    this.tones = tones;
    this.acts = acts;
    this.svg = shape("svg", { class: "search-tree", tabindex: 0, role: "application", "aria-label": label });
  }

  clear() {
    this.#tree = null;
    this.#drawn.clear();
    this.#rests.clear();
    fill(this.svg);
  }

  /**
   * What is not folded away.
   * @param {Tree} tree
   * @param {number} room width over height of what it fills
   * @param {number} most units across that are seen at once
   */
  draw(tree, room, most) {
    this.clear();
    this.#tree = tree;
    const { visible, rests } = layout(tree, room, most);
    for (const node of visible) {
      const parent = tree.parent(node);
      const value = word(node, `value on-${this.#tone(node)}`, 0, CENTRED);
      const note = word(node, "window", 0.6, CENTRED);
      const more = tree.isFolded(node) ? word(node, "more-below", 0.9, { "font-size": 0.26, ...CENTRED }) : null;
      const inside = node.cut ? [scissors(node)] : [this.#knob(node), value, note, more];
      const group = shape("g", { class: node.cut ? "tree-node cut" : "tree-node", "data-born": node.born }, inside);
      group.addEventListener("click", () => this.acts.press(node));
      this.#drawn.set(node, { group, branch: parent && branch(parent, node), value, note, more });
    }
    for (const rest of rests) this.#rests.set(rest, this.#pill(rest));
    const all = [...this.#drawn.values(), ...this.#rests.values()];
    fill(this.svg, all.map((one) => one.branch), all.map((one) => one.group));
  }

  /** @param {TreeNode} node */
  #tone(node) {
    if (node.tone === "first") return this.tones[0];
    return node.tone === "second" ? this.tones[1] : node.tone;
  }

  /** @param {TreeNode} node */
  #knob(node) {
    const { x, y } = node;
    const tone = `knob tone-${this.#tone(node)}`;
    if (!node.square) return shape("circle", { class: tone, cx: x, cy: y, r: 0.4 });
    return shape("rect", { class: tone, x: x - 0.4, y: y - 0.4, width: 0.8, height: 0.8, rx: 0.12 });
  }

  /**
   * The branches of a node that are too many to be seen at once.
   * @param {Rest} rest
   * @returns {DrawnRest}
   */
  #pill(rest) {
    const { x, y, of: node } = rest;
    const title = shape("title");
    const words = word(rest, "more", 0, CENTRED);
    const pill = shape("rect", { class: "pill", x: x - 0.5, y: y - 0.3, width: 1, height: 0.6, rx: 0.3 });
    const group = shape("g", { class: "tree-rest" }, title, pill, words);
    group.addEventListener("click", () => this.acts.spread(node));
    return { group, branch: shape("g", { class: "branch to-rest" }, line(node, rest, 0.3)), words, title };
  }

  /**
   * The tree after so many steps of the search. One of visits grows: what will come is not there yet.
   * @param {XrayTold} told
   * @param {number} step
   */
  show({ steps, kind }, step) {
    const tree = this.#tree;
    if (!tree) return;
    const grows = kind === "visits";
    this.svg.classList.toggle("grows", grows);
    this.rounded = grows ? rounding([], MEAN_DIGITS) : rounding(tree.root.children.map((child) => child.value));
    const now = step ? steps[step - 1].now : [];
    const labels = grows ? labelsAt(steps, step) : null;
    for (const [node, { group, branch: way, value, note, more }] of this.#drawn) {
      const born = node.born < step;
      group.classList.toggle("off", !born);
      way?.classList.toggle("off", !born);
      group.classList.toggle("now", now.includes(node.born));
      const [text, window] = labels ? (labels.get(node.born) ?? ["", ""]) : this.#own(node, step);
      value.textContent = text;
      value.setAttribute("font-size", Math.min(0.32, 1.15 / Math.max(text.length, 1)).toFixed(3));
      note.textContent = this.rounded(window);
      note.setAttribute("font-size", Math.min(0.24, 2.9 / Math.max(note.textContent.length, 1)).toFixed(3));
      const below = more ? tree.below(node, grows ? step : Infinity) : 0;
      if (more) more.textContent = below ? `+${below}` : "";
    }
    for (const [{ of: node }, { group, branch: way, words, title }] of this.#rests) {
      const n = tree.unseen(node, grows ? step : Infinity).length;
      for (const one of [group, way]) one.classList.toggle("off", !n || node.born >= step);
      words.textContent = `+${n}`;
      words.setAttribute("font-size", Math.min(0.32, 1.1 / words.textContent.length).toFixed(3));
      title.textContent = t("more_branches", { n });
    }
  }

  /**
   * @param {TreeNode} node
   * @param {number} step
   */
  #own(node, step) {
    return [node.done < step ? this.rounded(node.value) : "", node.born < step ? node.note : ""];
  }

  /**
   * The nodes that a question is about.
   * @param {number[]} born
   */
  light(born) {
    for (const [node, { group }] of this.#drawn) group.classList.toggle("asked", !node.cut && born.includes(node.born));
  }

  /** @param {TreeNode} chosen */
  choose(chosen) {
    for (const [node, { group }] of this.#drawn) group.classList.toggle("chosen", node === chosen);
  }
}

/**
 * @param {Spot} spot
 * @param {string} name
 * @param {number} down below its middle
 * @param {Record<string, string | number>} settings
 */
function word({ x, y }, name, down, settings) {
  return shape("text", { class: name, x, y: y + down, dy: "0.36em", ...settings });
}

/** @param {TreeNode} node */
function scissors({ x, y }) {
  return shape("text", { class: "scissors", x, y, dy: "0.1em", "font-size": 0.34, ...CENTRED }, "✂");
}

/**
 * The line from a node to its parent, with the move.
 * @param {TreeNode} parent
 * @param {TreeNode} node
 */
function branch(parent, node) {
  const words = node.prior ? `${node.move} ${node.prior}` : node.move;
  return shape(
    "g",
    { class: node.cut ? "branch cut" : "branch" },
    line(parent, node, node.cut ? 0.3 : 0.4),
    shape("text", { ...beside(parent, node), "font-size": 0.3 }, words),
  );
}

/**
 * Where the move stands: nearer to the child, where lines are apart; just above one in a lower row, and where a
 * network's thought makes it long.
 * @param {TreeNode} parent
 * @param {TreeNode} node
 */
function beside(parent, { x, y, row, prior }) {
  if (row || prior) return { x, y: y - 0.6, "text-anchor": "middle" };
  const [top, near] = [parent.y + 0.4, 0.66];
  const left = x < parent.x - 0.01;
  return {
    x: parent.x + (x - parent.x) * near + (left ? -0.1 : 0.1),
    y: top + (y - 0.4 - top) * near,
    "text-anchor": left ? "end" : "start",
  };
}

/**
 * To a lower row it goes straight down, between the nodes above it.
 * @param {TreeNode} parent
 * @param {Spot} spot
 * @param {number} size from the middle of what lies there to its edge
 */
function line(parent, { x, y, row }, size) {
  const points = [[parent.x, parent.y + 0.4], ...(row ? [[x, y - row * ROW - 0.5]] : []), [x, y - size]];
  return shape("polyline", { points: points.map((point) => point.join(",")).join(" ") });
}
