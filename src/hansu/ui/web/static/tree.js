// A searched tree, and what is seen of it. Two levels are open at first, the rest is folded away. Of more branches than
// can be read at once the first few are seen, and whatever matters at a step: where the search is, the best branch so
// far, a cut.

/** @import { XrayNode, XrayReply } from "../messages" */

/**
 * @typedef {XrayNode & {
 *   prior: string, children: TreeNode[], folded: boolean, opened: boolean, spread: boolean, level: number,
 *   x: number, y: number, row: number,
 * }} TreeNode `prior`: a network's first thought of the move; `opened`: on the way to where the search is, though it
 *   may be folded; `spread`: all of its branches are seen, however many; `row`: of the leaves that share a level, 0 is
 *   the upper one
 */

const OPEN_LEVELS = 2;
const SMALL = 30; // a tree of so many nodes is open to its leaves

export class Tree {
  /** How many branches are seen at once, of the root and of any other node. */
  few = { root: Infinity, other: Infinity };
  /** @type {Set<TreeNode>} those that matter at the shown step */
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
   * Show what matters at a step of the search, and open the ways there, and only these. Says whether anything changed.
   * @param {XrayReply} told
   * @param {number} step
   */
  follow(told, step) {
    const before = this.visible();
    /** @type {Set<TreeNode>} */
    const way = new Set();
    for (const number of step ? told.steps[step - 1].now : []) {
      for (let node = this.born.get(number) ?? null; node; node = this.parent(node)) way.add(node);
    }
    for (const node of this.all) node.opened = node.children.some((child) => way.has(child));
    const best = told.kind === "visits" ? mostVisited(told, step) : bestValued(step);
    this.#matters = way;
    for (const node of this.all) {
      if (!this.isGathered(node)) continue;
      const cut = node.children.find((child) => child.cut && child.born < step);
      for (const child of [best(node), cut]) if (child) this.#matters.add(child);
    }
    const now = this.visible();
    return now.length !== before.length || now.some((node, i) => node !== before[i]);
  }

  /** Every node that is seen, each after its parent and its elder siblings' trees. */
  visible() {
    /** @type {TreeNode[]} */
    const found = [];
    /** @param {TreeNode} node */
    const walk = (node) => {
      found.push(node);
      this.seen(node).forEach(walk);
    };
    walk(this.root);
    return found;
  }

  /** @param {TreeNode} node */
  isFolded(node) {
    return node.folded && !node.opened;
  }

  /**
   * Are its branches too many to be seen at once?
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
   * The branches of a node that are seen.
   * @param {TreeNode} node
   */
  seen(node) {
    if (this.isFolded(node)) return [];
    if (!this.isGathered(node)) return node.children;
    const seen = node.children.filter((child, i) => i < this.#few(node) || this.#matters.has(child));
    return seen.length + 1 < node.children.length ? seen : node.children; // a single one needs no sign for it
  }

  /**
   * Those that are not, though the node is open; with a step, those that were there by then.
   * @param {TreeNode} node
   */
  unseen(node, step = Infinity) {
    if (this.isFolded(node)) return [];
    const seen = new Set(this.seen(node));
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
   * How many nodes are below it; with a step, how many were there by then.
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
 * A row of the tree, which lies nowhere yet. What a network thought of a move stands behind it.
 * @param {XrayNode} row
 * @returns {TreeNode}
 */
function unplaced(row) {
  const [, move, prior = ""] = /** @type {RegExpMatchArray} */ (row.move.match(/^(.*?)(?: (\d+%))?$/));
  const nowhere = { level: 0, x: 0, y: 0, row: 0 };
  return { ...row, move, prior, children: [], folded: false, opened: false, spread: false, ...nowhere };
}

/**
 * What each node of a tree of visits says at a step: the last that was said of it.
 * @param {XrayReply["steps"]} steps
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
 * The branch that has most visits by a step.
 * @param {XrayReply} told
 * @param {number} step
 */
function mostVisited({ steps }, step) {
  const said = labelsAt(steps, step);
  /** @param {TreeNode} node */
  return (node) => largest(node.children, (child) => Number(said.get(child.born)?.[0] ?? NaN));
}

/**
 * The branch whose value goes up, by what is known at a step. Chance takes none.
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
 * The first that is worth most; what is no number does not count.
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
