// What a player found, made ready to be shown. The server tells only what is known (see docs/internals/web_protocol.md); a page also wants
// to know how much each move loses, which one is the best, and the value as a share of the score range.

import { gradeOf, lost } from "./grade.js";
import { chanceOf } from "./value.js";

/** @import { Report, Words } from "../messages" */
/** @import { Judged } from "./value.js" */

/**
 * @typedef {object} ShownMove
 * @property {string} move
 * @property {number | null} value from the first seat's side
 * @property {"" | "<=" | ">="} bound
 * @property {boolean} proved
 * @property {number | null} plies until the game ends, where that is known
 * @property {number | null} visits
 * @property {number | null} prior what a network thought of it before any search, 0 to 1
 * @property {string[]} line what is expected from it on
 * @property {number} share of the most visited move's visits; where nothing was visited, of the likeliest move's prior
 * @property {number} loss against the best move, 0 to 1
 * @property {number} grade of that loss, 0 to 4; -1: nothing is known
 * @property {boolean} best
 *
 * @typedef {object} ShownReport
 * @property {string | null} move
 * @property {Words | null} why
 * @property {number | null} value
 * @property {number | null} chance the value as a share of the score range: 0 is all for the second seat
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
  // Who does not rate every move has still rated its own.
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
 * The move that is worth most to the mover.
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
 * Newer findings over older ones: what the newer do not say stays, but for how sure an older value was.
 * @param {Report | null} older
 * @param {Report} newer
 * @returns {Report}
 */
export function merged(older, newer) {
  if (!older) return newer;
  /** @param {[string, any]} field */
  const told = ([name, value]) => value !== null && value !== undefined && (name === "why" || value.length !== 0);
  const sure = newer.value === null || newer.value === undefined ? {} : { plies: undefined, bound: undefined };
  return { ...older, ...sure, ...Object.fromEntries(Object.entries(newer).filter(told)) };
}
