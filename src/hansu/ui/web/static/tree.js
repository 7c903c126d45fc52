// A search tree, its visible part, and its layout. Two levels are unfolded at first. Of too many branches the first few
// are shown, plus those that matter at a step: the path of the search, the best branch so far, a pruned branch.

/** @import { XrayNode, XrayReply } from "../messages" */

/**
 * @typedef {XrayNode & {
 *   prior: string, children: TreeNode[], folded: boolean, opened: boolean, spread: boolean, level: number,
 *   x: number, y: number, row: number,
 * }} TreeNode `opened`: on the path of the search, though it may be folded; `spread`: all its branches are shown;
 *   `row`: the row of a leaf within its level, 0 is the upper one
 */

const OPEN_LEVELS = 2;
const SMALL = 30; // trees up to this size are fully unfolded

export class Tree {
  /** The number of shown branches, of the root and of other nodes. */
  few = { root: Infinity, other: Infinity };
  /** @type {Set<TreeNode>} the nodes that matter at the shown step */
  #matters = new Set();

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
    if (this.all.length <= SMALL) return;
    for (const node of this.all) node.folded = node.level >= OPEN_LEVELS && node.children.length > 0;
  }

  /**
   * Show the nodes that matter at a step, and unfold their paths only. Returns whether the visible part changed.
   * @param {XrayReply} reply
   * @param {number} step
   */
  follow(reply, step) {
    const before = this.visible();
    /** @type {Set<TreeNode>} */
    const way = new Set();
    for (const number of step ? reply.steps[step - 1].now : []) {
      for (let node = this.born.get(number) ?? null; node; node = this.parent(node)) way.add(node);
    }
    for (const node of this.all) node.opened = node.children.some((child) => way.has(child));
    const best = reply.kind === "visits" ? mostVisited(reply, step) : bestValued(step);
    this.#matters = way;
    for (const node of this.all) {
      if (!this.isGathered(node)) continue;
      const cut = node.children.find((child) => child.cut && child.born < step);
      for (const child of [best(node), cut]) if (child) this.#matters.add(child);
    }
    const now = this.visible();
    return now.length !== before.length || now.some((node, i) => node !== before[i]);
  }

  /** The visible nodes in depth-first order. */
  visible() {
    /** @type {TreeNode[]} */
    const nodes = [];
    /** @param {TreeNode} node */
    const walk = (node) => {
      nodes.push(node);
      this.shownBranches(node).forEach(walk);
    };
    walk(this.root);
    return nodes;
  }

  /** @param {TreeNode} node */
  isFolded(node) {
    return node.folded && !node.opened;
  }

  /**
   * Whether a node has too many branches to show.
   * @param {TreeNode} node
   */
  isGathered(node) {
    return !node.spread && node.children.length > this.#few(node);
  }

  /** @param {TreeNode} node */
  #few(node) {
    return node === this.root ? this.few.root : this.few.other;
  }

  /**
   * The shown branches of a node.
   * @param {TreeNode} node
   */
  shownBranches(node) {
    if (this.isFolded(node)) return [];
    if (!this.isGathered(node)) return node.children;
    const seen = node.children.filter((child, i) => i < this.#few(node) || this.#matters.has(child));
    return seen.length + 1 < node.children.length ? seen : node.children; // no sign for a single branch
  }

  /**
   * The branches of an unfolded node that are not shown; with a step, only those that exist by then.
   * @param {TreeNode} node
   */
  hiddenBranches(node, step = Infinity) {
    if (this.isFolded(node)) return [];
    const seen = new Set(this.shownBranches(node));
    return node.children.filter((child) => !seen.has(child) && child.born < step);
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
   * The number of nodes below; with a step, only those that exist by then.
   * @param {TreeNode} node
   */
  below(node, step = Infinity) {
    let total = 0;
    const open = [...node.children];
    for (let one = open.pop(); one; one = open.pop()) {
      if (one.born < step) total += 1;
      open.push(...one.children);
    }
    return total;
  }
}

/**
 * A node without a place. The prior of a move follows its name.
 * @param {XrayNode} row
 * @returns {TreeNode}
 */
function unplaced(row) {
  const [, move, prior = ""] = /** @type {RegExpMatchArray} */ (row.move.match(/^(.*?)(?: (\d+%))?$/));
  const nowhere = { level: 0, x: 0, y: 0, row: 0 };
  return { ...row, move, prior, children: [], folded: false, opened: false, spread: false, ...nowhere };
}

/**
 * The labels of the nodes of a visit tree at a step.
 * @param {XrayReply["steps"]} steps
 * @param {number} step
 */
export function labelsAt(steps, step) {
  /** @type {Map<number, [string, string]>} */
  const current = new Map();
  for (const { labels } of steps.slice(0, step)) {
    for (const [born, value, note] of labels) current.set(born, [value, note]);
  }
  return current;
}

/**
 * The most visited branch at a step.
 * @param {XrayReply} reply
 * @param {number} step
 */
function mostVisited({ steps }, step) {
  const labels = labelsAt(steps, step);
  /** @param {TreeNode} node */
  return (node) => largest(node.children, (child) => Number(labels.get(child.born)?.[0] ?? NaN));
}

/**
 * The branch whose value the node returns, as known at a step; none for chance nodes.
 * @param {number} step
 */
function bestValued(step) {
  /** @param {TreeNode} node */
  return (node) => {
    const sign = node.tone === "first" ? 1 : node.tone === "second" ? -1 : NaN;
    return largest(node.children, (child) => (!child.cut && child.done < step ? sign * Number(child.value) : NaN));
  };
}

/**
 * The first node with the highest number; NaN does not count.
 * @param {TreeNode[]} nodes
 * @param {(node: TreeNode) => number} worth
 */
function largest(nodes, worth) {
  /** @type {TreeNode | null} */
  let best = null;
  let most = -Infinity;
  for (const node of nodes) {
    if (worth(node) > most) [best, most] = [node, worth(node)];
  }
  return best;
}

/**
 * @typedef {{ of: TreeNode, level: number, x: number, y: number, row: number }} Rest the sign for the hidden
 *   branches of a node
 * @typedef {{ visible: TreeNode[], rests: Rest[], width: number, height: number }} Layout
 * @typedef {TreeNode | Rest} Spot
 * @typedef {{ visible: TreeNode[], rests: Rest[], width: number, lower: number[] }} Placed `lower`: the number of
 *   rows below the first one of each level
 */

const ACROSS = 1.7;
const LEAST_DOWN = 1.9;
export const ROW = 2.1; // between two rows of one level
const MOST_ROWS = 3;
const MOST_FEW = 20; // branches of one node
const LEAST_FEW = 3;
export const PAD = 1.2; // around the drawing
export const NEAREST = 12; // minimum units across, so that a small tree is not enlarged too much

/**
 * Choose how many branches are shown, so that the tree stays readable; the root gets branches first.
 * @param {Tree} tree
 * @param {number} shape width over height of the view
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
 * Place every visible node. `shape` is width over height of the view, `most` the units across that it shows; levels use
 * the available height.
 * @param {Tree} tree
 * @returns {Layout}
 */
export function layout(tree, shape = 2, most = Infinity) {
  let placed = place(tree, 1);
  if (most === Infinity || placed.width + 2 * PAD > most) {
    // The number of rows that shows it largest.
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
 * Place the visible nodes horizontally, with leaves in this many rows.
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
  /** @type {Spot[]} in the order of placement */
  const spots = [];
  /** @type {number[][]} the last used place of each row of each level */
  const taken = [];
  /** @type {number[]} number of leaves of each level so far */
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
    const children = tree.shownBranches(one);
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
    next += across; // some space between two families
  };
  placeNode(tree.root);
  const lower = taken.map((row) => row.length - 1);
  return { visible, rests, width: Math.max(...spots.map(({ x }) => x)), lower };
}

/**
 * The units across that are needed to show everything.
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
