// The picture of a searched tree: nodes with their values, branches with their moves, as they are at a step.

import { fill, shape } from "./dom.js";
import { rounding } from "./rounding.js";

/**
 * @import { XrayTold } from "../messages"
 * @import { Tree, TreeNode } from "./tree.js"
 */

/**
 * @typedef {object} Drawn
 * @property {SVGElement} group
 * @property {SVGElement | null} branch
 * @property {SVGElement} value
 * @property {SVGElement} note
 * @property {SVGElement | null} more how many nodes are folded away below
 */

const MEAN_DIGITS = 2;
const CENTRED = { "text-anchor": "middle" };

export class TreeDrawing {
  /** @type {Map<TreeNode, Drawn>} */
  #drawn = new Map();
  /** @type {(text: string) => string} numbers with as many digits as tell the moves apart */
  rounded = (text) => text;
  /** @type {Tree | null} */
  #tree = null;

  /**
   * @param {string} label
   * @param {[string, string]} tones of the two seats
   * @param {(node: TreeNode) => void} press
   */
  constructor(label, tones, press) {
    this.tones = tones;
    this.press = press;
    this.svg = shape("svg", { class: "search-tree", tabindex: 0, role: "application", "aria-label": label });
  }

  clear() {
    this.#tree = null;
    this.#drawn.clear();
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
    for (const node of tree.layout(room, most).visible) {
      const parent = tree.parent(node);
      const value = word(node, `value on-${this.#tone(node)}`, 0, CENTRED);
      const note = word(node, "window", 0.6, { "font-size": 0.2, ...CENTRED });
      const more = tree.isFolded(node) ? word(node, "more-below", 0.9, { "font-size": 0.26, ...CENTRED }) : null;
      const inside = node.cut ? [scissors(node)] : [this.#knob(node), value, note, more];
      const group = shape("g", { class: node.cut ? "tree-node cut" : "tree-node", "data-born": node.born }, inside);
      group.addEventListener("click", () => this.press(node));
      this.#drawn.set(node, { group, branch: parent && branch(parent, node), value, note, more });
    }
    const all = [...this.#drawn.values()];
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
    for (const [node, { group, branch: line, value, note, more }] of this.#drawn) {
      const born = node.born < step;
      group.classList.toggle("off", !born);
      line?.classList.toggle("off", !born);
      group.classList.toggle("now", now.includes(node.born));
      const [text, window] = labels ? (labels.get(node.born) ?? ["", ""]) : this.#own(node, step);
      value.textContent = text;
      value.setAttribute("font-size", Math.min(0.32, 1.15 / Math.max(text.length, 1)).toFixed(3));
      note.textContent = this.rounded(window);
      const below = more ? tree.below(node, grows ? step : Infinity) : 0;
      if (more) more.textContent = below ? `+${below}` : "";
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
 * What each node of a tree of visits says at a step: the last that was said of it.
 * @param {XrayTold["steps"]} steps
 * @param {number} step
 */
export function labelsAt(steps, step) {
  /** @type {Map<number, [string, string]>} */
  const said = new Map();
  for (const { labels } of steps.slice(0, step)) {
    for (const [born, value, note] of labels) said.set(born, [value, note]);
  }
  return said;
}

/**
 * @param {TreeNode} node
 * @param {string} name
 * @param {number} down below the middle of the node
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
  const [top, bottom] = [parent.y + 0.4, node.y - (node.cut ? 0.3 : 0.4)];
  // The word stands nearer to the child, where lines are apart; over one in a lower row just above it.
  const near = node.row ? 1 - 0.25 / (bottom - top) : 0.66;
  const left = node.x < parent.x - 0.01;
  const x = parent.x + (node.x - parent.x) * near + (left ? -0.1 : 0.1);
  const y = top + (node.y - 0.4 - top) * near;
  const words = node.prior ? `${node.move} ${node.prior}` : node.move;
  return shape(
    "g",
    { class: node.cut ? "branch cut" : "branch" },
    shape("line", { x1: parent.x, y1: top, x2: node.x, y2: bottom }),
    shape("text", { x, y, "text-anchor": left ? "end" : "start", "font-size": 0.26 }, words),
  );
}
