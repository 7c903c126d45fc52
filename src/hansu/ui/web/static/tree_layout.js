// Where the nodes of a searched tree lie: leaves side by side, each parent over the middle of its children. Folded
// nodes count as leaves, and so does the sign for branches that are not seen. Leaves that are too many to lie side by
// side lie in two or three rows.

/**
 * @import { Tree, TreeNode } from "./tree.js"
 *
 * @typedef {{ of: TreeNode, level: number, x: number, y: number, row: number }} Rest stands for the branches of a node
 *   that are not seen
 * @typedef {{ visible: TreeNode[], rests: Rest[], width: number, height: number }} Layout
 * @typedef {TreeNode | Rest} Spot
 * @typedef {{ visible: TreeNode[], rests: Rest[], width: number, lower: number[] }} Placed `lower`: how many rows there
 *   are below the first of each level
 */

const ACROSS = 1.7;
const LEAST_DOWN = 1.9;
export const ROW = 2.1; // between two rows of one level
const MOST_ROWS = 3;
const MOST_FEW = 20; // branches of one node
const LEAST_FEW = 3;
export const PAD = 1.2; // around the whole
export const NEAREST = 12; // units across at least: a small tree need not fill the page

/**
 * As many branches of each node at once as can be read, where so many units across can be: first of the root.
 * @param {Tree} tree
 * @param {number} shape width over height of what the tree has to fill
 * @param {number} most
 */
export function gather(tree, shape, most) {
  const { few } = tree;
  const fits = () => Math.min(...inRows(tree).map((placed) => unitsAcross(placed, shape))) <= most;
  /** @param {"root" | "other"} whose */
  const reduce = (whose) => {
    few[whose] = MOST_FEW;
    while (few[whose] > LEAST_FEW && !fits()) few[whose] -= 1;
  };
  few.other = LEAST_FEW;
  reduce("root");
  reduce("other");
}

/**
 * Give every visible node its place. `shape`: width over height of what the tree has to fill, of which so many units
 * across are seen as `most`: levels are as far apart as there is room.
 * @param {Tree} tree
 * @returns {Layout}
 */
export function layout(tree, shape = 2, most = Infinity) {
  let placed = place(tree, 1);
  if (most === Infinity || placed.width + 2 * PAD > most) {
    // However many rows show it largest.
    const sizes = inRows(tree).map((one) => unitsAcross(one, shape));
    placed = place(tree, 1 + sizes.indexOf(Math.min(...sizes)));
  }
  const { visible, rests, width, lower } = placed;
  const seen = Math.min(Math.max(width + 2 * PAD, NEAREST), most);
  const levels = lower.length - 1;
  const below = ROW * sum(lower);
  const down = Math.max((seen / shape - 2 * PAD - below) / Math.max(levels, 1), LEAST_DOWN);
  for (const one of [...visible, ...rests]) {
    one.y = one.level * down + ROW * (sum(lower.slice(0, one.level)) + one.row);
  }
  return { visible, rests, width, height: levels * down + below };
}

/** @param {Tree} tree */
function inRows(tree) {
  return Array.from({ length: MOST_ROWS }, (_, i) => place(tree, i + 1));
}

/**
 * Give every visible node its place across, with leaves in so many rows.
 * @param {Tree} tree
 * @param {number} rows
 * @returns {Placed}
 */
function place(tree, rows) {
  const across = ACROSS / rows;
  /** @type {TreeNode[]} */
  const visible = [];
  /** @type {Rest[]} */
  const rests = [];
  /** @type {Spot[]} in the order in which they find their place */
  const spots = [];
  /** @type {number[][]} how far each row of each level is taken */
  const taken = [];
  /** @type {number[]} leaves of each level so far */
  const leaves = [];
  let next = 0;

  /** @param {Spot} spot */
  const free = ({ level, row }) => (taken[level]?.[row] ?? -Infinity) + ACROSS;
  /** @param {Spot} spot */
  const take = (spot) => {
    taken[spot.level] ??= [];
    taken[spot.level][spot.row] = spot.x;
  };
  /** @param {Spot} spot */
  const placeLeaf = (spot) => {
    const turn = leaves[spot.level] ?? 0;
    leaves[spot.level] = turn + 1;
    spot.row = turn % rows;
    spot.x = Math.max(next, free(spot));
    next = spot.x + across;
    take(spot);
    spots.push(spot);
  };
  /** @param {TreeNode} one */
  const placeNode = (one) => {
    visible.push(one);
    const children = tree.seen(one);
    if (!children.length) {
      placeLeaf(one);
      return;
    }
    const first = spots.length;
    children.forEach(placeNode);
    /** @type {Spot[]} */
    const ends = [children[0], children[children.length - 1]];
    if (children.length < one.children.length) {
      const rest = { of: one, level: one.level + 1, x: 0, y: 0, row: 0 };
      rests.push(rest);
      placeLeaf(rest);
      ends[1] = rest;
    }
    one.row = 0;
    one.x = (ends[0].x + ends[1].x) / 2;
    spots.push(one);
    const aside = free(one) - one.x;
    if (aside > 0) {
      for (const spot of spots.slice(first)) spot.x += aside;
      next += aside;
    }
    spots.slice(first).forEach(take);
    next += across; // a little more room between two families
  };
  placeNode(tree.root);
  const lower = taken.map((row) => row.length - 1);
  return { visible, rests, width: Math.max(...spots.map(({ x }) => x)), lower };
}

/**
 * So many units across it takes to see all of it.
 * @param {Placed} placed
 * @param {number} shape
 */
function unitsAcross({ width, lower }, shape) {
  const height = (lower.length - 1) * LEAST_DOWN + ROW * sum(lower);
  return Math.max(width + 2 * PAD, shape * (height + 2 * PAD));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}
