// Reports as shown on the page, and the grades of moves by their loss against the best move:
//
//     0 best    1 good    2 inaccuracy    3 mistake    4 blunder

import { chanceOf, isWon } from "./value.js";

/**
 * @import { Report, Words } from "../messages"
 * @import { Judged } from "./value.js"
 */

export const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"];
const STEPS = [0.01, 0.05, 0.1, 0.2]; // lost winning chance above which a move is worse than best, good, ...
const A_PLY = 0.005; // loss per ply of a slower proved win
const SLOWEST = 0.09; // its maximum: the move still wins
const POINTS = 0.5; // of a tenth of the score range: this loss of points counts like a chance of 0.1

/**
 * The loss of a move for its mover, from 0 (none) to 1 (a won game).
 * @param {Judged} best
 * @param {Judged} played
 * @param {number} mover
 * @param {number} range
 */
export function lost(best, played, mover, range) {
  if (best.value === null || played.value === null) return 0;
  const sign = mover === 1 ? -1 : 1;
  if (!isWon(range)) {
    const points = (sign * (best.value - played.value)) / Math.max(range / 10, 1);
    return clamp((points / POINTS) * 0.1);
  }
  const fall = sign * (chanceOf(best, range) - chanceOf(played, range));
  if (!best.proved || !played.proved || fall !== 0 || best.value === 0) return clamp(fall);
  const [soon, later] = [best.plies ?? null, played.plies ?? null];
  if (soon === null || later === null) return 0;
  const longer = later - soon;
  const wins = sign * best.value > 0;
  return Math.min(clamp(A_PLY * (wins ? longer : -longer)), SLOWEST);
}

/** @param {number} number */
function clamp(number) {
  return Math.min(Math.max(number, 0), 1);
}

/** @param {number} loss */
export function gradeOf(loss) {
  const grade = STEPS.findIndex((step) => loss < step);
  return grade < 0 ? STEPS.length : grade;
}

/**
 * @typedef {object} ShownMove
 * @property {string} move
 * @property {number | null} value from the first seat's side
 * @property {"" | "<=" | ">="} bound
 * @property {boolean} proved
 * @property {number | null} plies until the game ends, where that is known
 * @property {number | null} visits
 * @property {number | null} prior of the network, 0 to 1
 * @property {string[]} line the expected line, including the move
 * @property {number} share visits relative to the most visited move, else the prior relative to the highest
 * @property {number} loss against the best move, 0 to 1
 * @property {number} grade of that loss, 0 to 4; -1: unknown
 * @property {boolean} best
 *
 * @typedef {object} ShownReport
 * @property {string | null} move
 * @property {Words | null} why
 * @property {number | null} value
 * @property {number | null} chance the first seat's share of the bar, 0 to 1
 * @property {boolean} proved
 * @property {number | null} plies
 * @property {string[]} line
 * @property {ShownMove[]} moves
 * @property {number} depth
 * @property {number} nodes
 * @property {number} seconds
 * @property {number} speed nodes a second
 */

/**
 * A report about a position where `mover` (a seat) is to move; `range` is the game's score range.
 * @param {Report} found
 * @param {number} mover
 * @param {number} range
 * @returns {ShownReport}
 */
export function shown(found, mover, range) {
  const { value = null, proved = false, plies = null, line = [], depth = 0, nodes = 0, seconds = 0 } = found;
  const best = found.move ?? line[0] ?? null;
  // A player without values for every move has still evaluated its own.
  const own = best !== null && value !== null ? [{ move: best, value, proved, plies, line }] : [];
  /** @type {ShownMove[]} */
  const moves = (found.moves?.length ? found.moves : own).map((move) => ({ ...unknown(move.move), ...move }));
  const weight = moves.some((move) => move.visits !== null)
    ? (/** @type {ShownMove} */ move) => move.visits ?? 0
    : (/** @type {ShownMove} */ move) => move.prior ?? 0;
  const most = Math.max(1e-9, ...moves.map(weight));
  const top = bestOf(moves, mover, range);
  for (const move of moves) {
    move.best = move.move === best;
    move.share = weight(move) / most;
    if (move.value === null || !top) continue;
    move.loss = lost(top, move, mover, range);
    move.grade = gradeOf(move.loss);
  }
  return {
    move: best,
    why: inWords(found.why),
    value,
    chance: value === null ? null : chanceOf({ value, proved }, range),
    proved,
    plies,
    line,
    moves,
    depth,
    nodes,
    seconds,
    speed: seconds > 1e-6 ? Math.round(nodes / seconds) : 0,
  };
}

/**
 * The best move for the mover.
 * @param {ShownMove[]} moves
 * @param {number} mover
 * @param {number} range
 * @returns {Judged | null}
 */
function bestOf(moves, mover, range) {
  const known = moves.filter((move) => move.value !== null);
  if (!known.length) return null;
  return known.reduce((top, move) => (lost(move, top, mover, range) > 0 ? move : top));
}

/**
 * A student's player explains its move in one language only.
 * @param {string | Words | undefined} why
 * @returns {Words | null}
 */
function inWords(why) {
  if (typeof why === "string") return why ? { en: why } : null;
  return why ?? null;
}

/**
 * A move without any report.
 * @param {string} move
 * @returns {ShownMove}
 */
export function unknown(move) {
  return {
    move,
    value: null,
    bound: "",
    proved: false,
    plies: null,
    visits: null,
    prior: null,
    line: [],
    share: 0,
    loss: 0,
    grade: -1,
    best: false,
  };
}

/**
 * A newer report merged over an older one: missing fields keep their older values, except the plies and bound of a
 * replaced value.
 * @param {Report | null} older
 * @param {Report} newer
 * @returns {Report}
 */
export function merged(older, newer) {
  if (!older) return newer;
  /** @param {[string, any]} field */
  const isPresent = ([name, value]) => value !== null && value !== undefined && (name === "why" || value.length !== 0);
  const sure = newer.value === null || newer.value === undefined ? {} : { plies: undefined, bound: undefined };
  return { ...older, ...sure, ...Object.fromEntries(Object.entries(newer).filter(isPresent)) };
}
