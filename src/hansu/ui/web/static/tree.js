// A searched tree as rows, laid out: leaves side by side, each parent over the middle of its children. Folded nodes
// count as leaves.

/** @import { XrayNode } from "../messages" */

/** @typedef {XrayNode & { children: TreeNode[], folded: boolean, x: number, y: number }} TreeNode */

export const ACROSS = 1.7;
export const DOWN = 1.9;

export class Tree {
  /**
   * Rows in drawing order, each with the index of its parent (-1: the root).
   * @param {XrayNode[]} rows
   */
  constructor(rows) {
    /** @type {TreeNode[]} */
    this.all = rows.map((row) => ({ ...row, children: [], folded: false, x: 0, y: 0 }));
    for (const node of this.all) this.parent(node)?.children.push(node);
    this.root = this.all[0];
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

  /** Give every visible node its place; returns the visible nodes and the size of the whole. */
  layout() {
    /** @type {TreeNode[]} */
    const visible = [];
    let leaf = 0;
    let deepest = 0;
    /**
     * @param {TreeNode} node
     * @param {number} level
     */
    const place = (node, level) => {
      visible.push(node);
      deepest = Math.max(deepest, level);
      node.y = level * DOWN;
      if (node.folded || !node.children.length) {
        node.x = leaf++ * ACROSS;
        return;
      }
      for (const child of node.children) place(child, level + 1);
      node.x = (node.children[0].x + node.children[node.children.length - 1].x) / 2;
    };
    place(this.root, 0);
    return { visible, width: Math.max(leaf - 1, 0) * ACROSS, height: deepest * DOWN };
  }
}
