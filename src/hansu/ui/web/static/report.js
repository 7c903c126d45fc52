// What a player found, made ready to be shown. The server tells only what is known (see docs/web.md); a page also wants
// to know how strongly each move glows, which one is the best, and the value as a share of the score range.

/** @import { MoveValue, Report, Words } from "../messages" */

/**
 * @typedef {object} ShownMove
 * @property {string} move
 * @property {number | null} value from the first seat's side
 * @property {"" | "<=" | ">="} bound
 * @property {boolean} proved
 * @property {number | null} visits
 * @property {number} share how strongly it glows, 0 to 1
 * @property {boolean} best
 *
 * @typedef {object} ShownReport
 * @property {string | null} move
 * @property {Words | null} why
 * @property {number | null} value
 * @property {number | null} chance the value as a share of the score range: 0 is all for the second seat
 * @property {boolean} proved
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
  const { value = null, proved = false, line = [], depth = 0, nodes = 0, seconds = 0 } = found;
  const best = found.move ?? line[0] ?? null;
  // Who does not rate every move has still rated its own.
  const own = best !== null && value !== null ? [{ move: best, value, proved }] : [];
  const moves = found.moves?.length ? found.moves : own;
  const glow = strength(moves, mover);
  return {
    move: best,
    why: inWords(found.why),
    value,
    chance: value === null ? null : Math.min(Math.max(0.5 + value / (2 * range), 0), 1),
    proved,
    line,
    moves: moves.map((move) => ({ ...unknown(move.move), ...move, share: glow(move), best: move.move === best })),
    depth,
    nodes,
    seconds,
    speed: seconds > 1e-6 ? Math.round(nodes / seconds) : 0,
  };
}

/**
 * A student's player says why in one language only.
 * @param {string | Words | undefined} why
 * @returns {Words | null}
 */
function inWords(why) {
  if (typeof why === "string") return why ? { en: why } : null;
  return why ?? null;
}

/**
 * A move of which nothing is known yet.
 * @param {string} move
 * @returns {ShownMove}
 */
export function unknown(move) {
  return { move, value: null, bound: "", proved: false, visits: null, share: 0, best: false };
}

/**
 * How strongly a move glows, 0 to 1: by visits where they were counted, else by what it is worth to the mover.
 * @param {MoveValue[]} moves
 * @param {number} mover
 * @returns {(move: MoveValue) => number}
 */
function strength(moves, mover) {
  const most = Math.max(0, ...moves.map((move) => move.visits ?? 0));
  if (most) return (move) => (move.visits ?? 0) / most;
  /** @param {MoveValue} move */
  const worth = (move) => (typeof move.value === "number" ? (mover === 1 ? -move.value : move.value) : null);
  const known = moves.map(worth).filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (move) => {
    const value = worth(move);
    if (value === null) return 0;
    return high === low ? 1 : (value - low) / (high - low);
  };
}

/**
 * Newer findings over older ones: what the newer do not say stays.
 * @param {Report | null} older
 * @param {Report} newer
 * @returns {Report}
 */
export function merged(older, newer) {
  if (!older) return newer;
  /** @param {[string, any]} field */
  const told = ([, value]) => value !== null && value !== undefined && value !== "" && value.length !== 0;
  return { ...older, ...Object.fromEntries(Object.entries(newer).filter(told)) };
}
