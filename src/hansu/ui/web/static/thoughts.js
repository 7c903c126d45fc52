// What was thought of a game's positions, taken along while a page is loaded again.

/**
 * @import { Answered, Game } from "./game.js"
 * @import { ShownReport } from "./report.js"
 * @import { Variation } from "./variations.js"
 */

/**
 * @typedef {object} Thoughts
 * @property {string[]} moves
 * @property {Game["notes"]} notes
 * @property {[number, Answered][]} asked
 * @property {[number, ShownReport][]} reviewed
 * @property {Variation[]} variations
 */

const MOST = 300; // positions; a browser has no room for more

/**
 * @param {Game} game
 * @returns {Thoughts}
 */
export function thoughtsOf({ moves, notes, asked, reviewed, variations }) {
  const late = notes.map((note, ply) => (ply < notes.length - MOST ? null : note));
  return { moves, notes: late, asked: [...asked].slice(-MOST), reviewed: [...reviewed].slice(-MOST), variations };
}

/**
 * Give a game back what was thought of the moves that are still the same.
 * @param {Game} game
 * @param {Thoughts} thoughts
 */
export function remember(game, { moves, notes, asked, reviewed, variations }) {
  const differs = game.moves.findIndex((move, ply) => move !== moves[ply]);
  const same = differs < 0 ? game.moves.length : differs;
  game.notes = game.moves.map((_, ply) => game.notes[ply] ?? (ply < same ? (notes[ply] ?? null) : null));
  game.asked = new Map(asked.filter(([ply]) => ply <= same));
  game.variations = variations;
  game.reviewed = new Map(reviewed.filter(([ply]) => ply <= same));
}
