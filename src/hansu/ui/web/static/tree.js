// A searched tree as rows, laid out: leaves side by side, each parent over the middle of its children. Folded nodes
// count as leaves; the way to where the search is stays open. Leaves that are too many to lie side by side lie in two
// or three rows.

/** @import { XrayNode } from "../messages" */

/**
 * @typedef {XrayNode & {
 *   prior: string, children: TreeNode[], folded: boolean, opened: boolean, level: number, x: number, y: number,
 *   row: number,
 * }} TreeNode `prior`: a network's first thought of the move; `opened`: on the way to where the search is, though it
 *   may be folded; `row`: of the leaves that share a level, 0 is the upper one
 *
 * @typedef {{ visible: TreeNode[], width: number, levels: number, rows: number }} Placed
 * @typedef {{ visible: TreeNode[], width: number, height: number }} Layout
 */

const ACROSS = 1.7;
const LEAST_DOWN = 1.9;
const ROW = 2.1; // between two rows of one level
const MOST_ROWS = 3;
export const PAD = 1.2; // around the whole
export const NEAREST = 12; // units across at least: a small tree need not fill the page
const FEW = 30; // leaves that fit beside each other

export class Tree {
  /**
   * Rows in drawing order, each with the index of its parent (-1: the root).
   * @param {XrayNode[]} rows
   */
  constructor(rows) {
    /** @type {TreeNode[]} */
    this.all = rows.map(unplaced);
    for (const one of this.all) {
      const parent = this.parent(one);
      one.level = parent ? parent.level + 1 : 0;
      parent?.children.push(one);
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
   * How many nodes are below it; with a step, how many were there by then.
   * @param {TreeNode} node
   */
  below(node, step = Infinity) {
    let sum = 0;
    const open = [...node.children];
    for (let one = open.pop(); one; one = open.pop()) {
      if (one.born < step) sum += 1;
      open.push(...one.children);
    }
    return sum;
  }

  /**
   * Give every visible node its place. `shape`: width over height of what the tree has to fill, of which so many units
   * across are seen as `most`: levels are as far apart as there is room.
   * @returns {Layout}
   */
  layout(shape = 2, most = Infinity) {
    let placed = this.#place(1);
    if (most === Infinity || placed.width + 2 * PAD > most) {
      // However many rows show it largest.
      const sizes = Array.from({ length: MOST_ROWS }, (_, i) => unitsAcross(this.#place(i + 1), shape));
      placed = this.#place(1 + sizes.indexOf(Math.min(...sizes)));
    }
    const { visible, width, levels, rows } = placed;
    const seen = Math.min(Math.max(width + 2 * PAD, NEAREST), most);
    const below = (rows - 1) * ROW;
    const room = (seen / shape - 2 * PAD - below) / Math.max(levels, 1);
    const down = Math.max(room, LEAST_DOWN + (levels > 1 ? below : 0));
    for (const one of visible) one.y = one.level * down + one.row * ROW;
    return { visible, width, height: levels * down + below };
  }

  /**
   * Give every visible node its place across, with leaves in so many rows.
   * @param {number} rows
   * @returns {Placed}
   */
  #place(rows) {
    const across = ACROSS / rows;
    /** @type {TreeNode[]} */
    const visible = [];
    let [x, row, levels] = [0, 0, 0];
    /** @param {TreeNode} one */
    const place = (one) => {
      visible.push(one);
      levels = Math.max(levels, one.level);
      one.row = 0;
      if (this.isFolded(one) || !one.children.length) {
        one.row = row++ % rows;
        one.x = x;
        x += across;
        return;
      }
      const apart = ACROSS - across; // leaves in lower rows must not lie among the next level's
      if (row) x += apart;
      row = 0;
      for (const child of one.children) place(child);
      x += apart;
      row = 0;
      one.x = (one.children[0].x + one.children[one.children.length - 1].x) / 2;
    };
    place(this.root);
    const xs = visible.map((one) => one.x);
    return { visible, width: Math.max(...xs), levels, rows: 1 + Math.max(...visible.map((one) => one.row)) };
  }
}

/**
 * A row of the tree, which lies nowhere yet. What a network thought of a move stands behind it.
 * @param {XrayNode} row
 * @returns {TreeNode}
 */
function unplaced(row) {
  const [, move, prior = ""] = /** @type {RegExpMatchArray} */ (row.move.match(/^(.*?)(?: (\d+%))?$/));
  return { ...row, move, prior, children: [], folded: false, opened: false, level: 0, x: 0, y: 0, row: 0 };
}

/**
 * So many units across it takes to see all of it.
 * @param {Placed} placed
 * @param {number} shape
 */
function unitsAcross({ width, levels, rows }, shape) {
  const height = levels * LEAST_DOWN + (rows - 1) * ROW * Math.max(levels, 1);
  return Math.max(width + 2 * PAD, shape * (height + 2 * PAD));
}
