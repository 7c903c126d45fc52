// A searched tree as rows, laid out: leaves side by side, each parent over the middle of its children. Folded nodes
// count as leaves; the way to where the search is stays open.

/** @import { XrayNode } from "../messages" */

/**
 * @typedef {XrayNode & {
 *   children: TreeNode[], folded: boolean, opened: boolean, level: number, x: number, y: number,
 * }} TreeNode `opened`: on the way to where the search is, though it may be folded
 */

const ACROSS = 1.7;
const LEAST_DOWN = 1.9;
const MOST_DOWN = 4;
const FEW = 30; // leaves that fit beside each other

export class Tree {
  /**
   * Rows in drawing order, each with the index of its parent (-1: the root).
   * @param {XrayNode[]} rows
   */
  constructor(rows) {
    /** @type {TreeNode[]} */
    this.all = rows.map((row) => ({ ...row, children: [], folded: false, opened: false, level: 0, x: 0, y: 0 }));
    for (const node of this.all) {
      const parent = this.parent(node);
      node.level = parent ? parent.level + 1 : 0;
      parent?.children.push(node);
    }
    this.root = this.all[0];
    this.born = new Map(this.all.filter((node) => !node.cut).map((node) => [node.born, node]));
    if (this.all.length > FEW) this.#foldBelow(this.all.filter(({ level }) => level === 2).length <= FEW ? 2 : 1);
  }

  /** @param {number} level the last that is seen at first */
  #foldBelow(level) {
    for (const node of this.all) node.folded = node.level >= level && node.children.length > 0;
  }

  /**
   * Open the ways to these nodes, and only these; says whether anything changed.
   * @param {number[]} born their numbers
   */
  openWays(born) {
    /** @type {Set<TreeNode>} */
    const wanted = new Set();
    for (const number of born) {
      let node = this.born.get(number);
      for (node = node && this.#above(node); node; node = this.#above(node)) wanted.add(node);
    }
    const changed = this.all.filter((node) => node.opened !== wanted.has(node) && node.folded);
    for (const node of this.all) node.opened = wanted.has(node);
    return changed.length > 0;
  }

  /** @param {TreeNode} node */
  #above(node) {
    return this.parent(node) ?? undefined;
  }

  /** @param {TreeNode} node */
  isFolded(node) {
    return node.folded && !node.opened;
  }

  /**
   * @param {TreeNode} node
   * @returns {TreeNode | null}
   */
  parent(node) {
    return this.all[node.parent] ?? null;
  }

  /**
   * The moves from the root to a node.
   * @param {TreeNode} node
   */
  path(node) {
    const moves = [];
    /** @type {TreeNode | null} */
    let at = node;
    while (at && at.parent >= 0) {
      moves.unshift(at.move);
      at = this.parent(at);
    }
    return moves;
  }

  /**
   * How many nodes are below it.
   * @param {TreeNode} node
   */
  below(node) {
    let sum = 0;
    const open = [...node.children];
    for (let one = open.pop(); one; one = open.pop()) {
      sum += 1;
      open.push(...one.children);
    }
    return sum;
  }

  /**
   * Give every visible node its place; returns the visible nodes and the size of the whole. `shape`: width over height
   * of what it has to fill; levels are as far apart as there is room.
   */
  layout(shape = 2) {
    /** @type {TreeNode[]} */
    const visible = [];
    let leaf = 0;
    let deepest = 0;
    /** @param {TreeNode} node */
    const place = (node) => {
      visible.push(node);
      deepest = Math.max(deepest, node.level);
      if (this.isFolded(node) || !node.children.length) {
        node.x = leaf++ * ACROSS;
        return;
      }
      for (const child of node.children) place(child);
      node.x = (node.children[0].x + node.children[node.children.length - 1].x) / 2;
    };
    place(this.root);
    const width = Math.max(leaf - 1, 0) * ACROSS;
    const room = width / shape / Math.max(deepest, 1);
    const down = Math.min(Math.max(room, LEAST_DOWN), MOST_DOWN);
    for (const node of visible) node.y = node.level * down;
    return { visible, width, height: deepest * down };
  }
}
