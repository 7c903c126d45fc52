// The drawing of a searched tree at a step, in a view that can be dragged and zoomed.

import { fill, shape } from "./dom.js";
import { rounding, t } from "./language.js";
import { labelsAt, layout, ROW } from "./tree.js";

/**
 * @import { XrayReply } from "../messages"
 * @import { Rest, Spot, Tree, TreeNode } from "./tree.js"
 */

/**
 * @typedef {object} Drawn
 * @property {SVGElement} group
 * @property {SVGElement | null} branch
 * @property {SVGElement} value
 * @property {SVGElement} note
 * @property {SVGElement | null} more the number of folded nodes below
 */

/** @typedef {{ group: SVGElement, branch: SVGElement, words: SVGElement, title: SVGElement }} DrawnRest */

const MEAN_DIGITS = 2;
const CENTRED = { "text-anchor": "middle" };

export class TreeDrawing {
  /** @type {Map<TreeNode, Drawn>} */
  #drawn = new Map();
  /** @type {Map<Rest, DrawnRest>} */
  #rests = new Map();
  /** @type {(text: string) => string} rounds numbers but keeps the moves different */
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
   * Draw the visible part of a tree.
   * @param {Tree} tree
   * @param {number} room width over height of the view
   * @param {number} most units across that the view shows
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
   * The sign for the hidden branches of a node.
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
   * Show the tree at a step of the search. A visit tree grows: later nodes are hidden.
   * @param {XrayReply} reply
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
      const n = tree.hiddenBranches(node, grows ? step : Infinity).length;
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
   * Highlight the nodes of a question.
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
 * @param {number} down distance below its centre
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
 * The place of the move: near the child, where lines are apart; just above the child in a lower row or with a prior.
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
 * A line to a lower row ends vertically, between the nodes above it.
 * @param {TreeNode} parent
 * @param {Spot} spot
 * @param {number} size from the centre of the child to its edge
 */
function line(parent, { x, y, row }, size) {
  const points = [[parent.x, parent.y + 0.4], ...(row ? [[x, y - row * ROW - 0.5]] : []), [x, y - size]];
  return shape("polyline", { points: points.map((point) => point.join(",")).join(" ") });
}

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

export class View {
  /** @type {Map<number, PointerEvent>} */
  #pointers = new Map();
  /** @type {Box} */
  #box = { x: 0, y: 0, width: 10, height: 10 };

  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    this.svg = svg;
    /** @param {WheelEvent} event */
    const wheel = (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.0015), event.clientX, event.clientY);
    };
    svg.addEventListener("wheel", wheel, { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#pointers.set(event.pointerId, event));
    svg.addEventListener("pointermove", (event) => this.#moved(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
      svg.addEventListener(name, (event) => this.#released(event));
    }
    this.dragged = false; // whether the last press was a drag
    this.moved = false; // whether a person has moved the view
  }

  /** @param {PointerEvent} event */
  #released(event) {
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size) return;
    setTimeout(() => {
      this.dragged = false;
    });
  }

  /**
   * Show this part of the drawing.
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  fit(x, y, width, height) {
    this.moved = false;
    const ratio = (this.svg.clientWidth || 1) / (this.svg.clientHeight || 1);
    const [wide, high] = [Math.max(width, height * ratio), Math.max(height, width / ratio)];
    this.#set({ x: x - (wide - width) / 2, y: y - (high - height) / 2, width: wide, height: high });
  }

  /**
   * @param {number} factor
   * @param {number | null} clientX
   * @param {number | null} clientY
   */
  zoom(factor, clientX = null, clientY = null) {
    this.moved = true;
    const box = this.#box;
    const wide = Math.min(Math.max(box.width * factor, 4), 4000);
    const real = wide / box.width;
    const rect = this.svg.getBoundingClientRect();
    const fx = clientX === null ? 0.5 : (clientX - rect.left) / rect.width; // this point stays in place
    const fy = clientY === null ? 0.5 : (clientY - rect.top) / rect.height;
    const [x, y] = [box.x + box.width * fx * (1 - real), box.y + box.height * fy * (1 - real)];
    this.#set({ x, y, width: wide, height: box.height * real });
  }

  /**
   * Scroll a point into view, with a margin.
   * @param {number} x
   * @param {number} y
   */
  reveal(x, y) {
    const box = { ...this.#box };
    const [roomX, roomY] = [box.width * 0.15, box.height * 0.15];
    box.x = Math.min(Math.max(box.x, x - box.width + roomX), x - roomX);
    box.y = Math.min(Math.max(box.y, y - box.height + roomY), y - roomY);
    this.#set(box);
  }

  /** @param {PointerEvent} event */
  #moved(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) return;
    const others = [...this.#pointers.values()].filter((one) => one.pointerId !== event.pointerId);
    if (others.length === 1) {
      const [other] = others;
      /** @param {PointerEvent} one */
      const span = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      const [x, y] = [(event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2];
      this.zoom(span(before) / Math.max(span(event), 1), x, y);
    } else {
      const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
      if (!this.dragged && Math.hypot(dx, dy) < 4) return;
      const scale = this.#box.width / (this.svg.clientWidth || 1);
      this.#set({ ...this.#box, x: this.#box.x - dx * scale, y: this.#box.y - dy * scale });
    }
    this.dragged = this.moved = true;
    this.#pointers.set(event.pointerId, event);
  }

  /** @param {Box} box */
  #set(box) {
    this.#box = box;
    this.svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }
}
