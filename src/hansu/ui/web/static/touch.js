// From touched points to moves. A move is played by touching one point, or several in order (source and target).
//
// This file knows no game: it receives the legal moves with their points.

/**
 * @typedef {[number, number]} Point in board units
 * @typedef {{ move: string, touch: Point[] }} Touchable a move with the points that make it
 */

/**
 * @template {Touchable} Move
 * @typedef {object} Target a point that may be touched next
 * @property {Point} point
 * @property {Move[]} done the moves that it completes
 * @property {Move[]} choices the moves that it begins or completes
 * @property {boolean} [back] whether it is only the far end of a segment
 */

const NEAR = 0.001;

/**
 * @param {Point} a
 * @param {Point} b
 */
export function samePoint(a, b) {
  return Math.abs(a[0] - b[0]) < NEAR && Math.abs(a[1] - b[1]) < NEAR;
}

/**
 * @param {Point} a
 * @param {Point} b
 */
export function distance(a, b) {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** @template {Touchable} Move */
export class Touches {
  /** @type {Target<Move>[] | null} the possible next touches (cached) */
  #targets = null;
  /** @type {Point[]} the points touched so far */
  chosen = [];

  /**
   * `columns`: a point stands for its whole column.
   * @param {Move[]} choices
   * @param {boolean} columns
   */
  constructor(choices, columns = false) {
    this.columns = columns;
    /** @type {{ choice: Move, points: Point[], back?: boolean }[]} */
    this.ways = choices.filter((choice) => choice.touch.length > 0).map((choice) => ({ choice, points: choice.touch }));
    // A segment may be touched from either end, unless the reverse is another move.
    for (const { choice, points } of [...this.ways]) {
      if (points.length !== 2) continue;
      /** @type {Point[]} */
      const back = [points[1], points[0]];
      if (!this.ways.some((way) => isPath(way.points, back))) this.ways.push({ choice, points: back, back: true });
    }
  }

  /** The points that may be touched next. */
  get targets() {
    this.#targets ??= this.#next();
    return this.#targets;
  }

  #next() {
    /** @type {Target<Move>[]} */
    const targets = [];
    for (const { choice, points, back = false } of this.#open) {
      const point = points[this.chosen.length];
      let target = targets.find((one) => samePoint(one.point, point));
      if (!target) targets.push((target = { point, done: [], choices: [], back: true }));
      target.back &&= back;
      if (!target.choices.includes(choice)) target.choices.push(choice);
      if (points.length === this.chosen.length + 1) target.done.push(choice);
    }
    return targets;
  }

  /**
   * Single-touch moves that stay possible near a selected source (a clone next to a stone that could jump).
   * @returns {Target<Move>[]}
   */
  get asides() {
    if (!this.chosen.length) return [];
    const [source] = this.chosen;
    return this.ways
      .filter(({ points }) => points.length === 1 && distance(points[0], source) < 1.6)
      .map(({ choice, points }) => ({ point: points[0], done: [choice], choices: [choice] }));
  }

  get #open() {
    /** @param {Point[]} points */
    const begun = (points) => this.chosen.every((point, i) => samePoint(point, points[i]));
    return this.ways.filter(({ points }) => points.length > this.chosen.length && begun(points));
  }

  /**
   * The target that a touch at (x, y) means, or null.
   * @param {number} x
   * @param {number} y
   * @param {number} reach
   */
  near(x, y, reach = 0.62) {
    const all = [...this.targets, ...this.asides];
    if (this.columns) return all.find(({ point }) => Math.abs(point[0] - x) <= 0.5) ?? null;
    /** @type {Target<Move> | null} */
    let best = null;
    let least = reach;
    for (const target of all) {
      const away = distance(target.point, [x, y]);
      if (away < least) [best, least] = [target, away];
    }
    return best;
  }

  /**
   * Touch a target. Returns the moves that it completes (one: play it; several: ask); none: another touch follows.
   * @param {Target<Move>} target
   * @returns {Move[]}
   */
  touch(target) {
    if (target.done.length) {
      this.#choose([]);
      return target.done;
    }
    this.#choose([...this.chosen, target.point]);
    return [];
  }

  /** @param {Point[]} points */
  #choose(points) {
    this.chosen = points;
    this.#targets = null;
  }

  cancel() {
    const had = this.chosen.length > 0;
    this.#choose([]);
    return had;
  }
}

/**
 * @param {Point[]} points
 * @param {Point[]} path
 */
function isPath(points, path) {
  return points.length === path.length && points.every((point, i) => samePoint(point, path[i]));
}

/**
 * The target in an arrow key's direction: the nearest one, preferring straight ahead.
 * @template {{ point: Point }} Place
 * @param {Place[]} targets
 * @param {Point} from
 * @param {number} dx
 * @param {number} dy
 */
export function neighbour(targets, from, dx, dy) {
  /** @type {Place | null} */
  let best = null;
  let least = Infinity;
  for (const target of targets) {
    const ahead = (target.point[0] - from[0]) * dx + (target.point[1] - from[1]) * dy;
    const aside = Math.abs((target.point[0] - from[0]) * dy) + Math.abs((target.point[1] - from[1]) * dx);
    if (ahead <= 0.01) continue;
    const cost = ahead + 2.5 * aside;
    if (cost < least) [best, least] = [target, cost];
  }
  return best;
}
