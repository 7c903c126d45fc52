// The game of this tab with its evaluations, kept so that a reload continues it.

/**
 * @import { Answered, Course, Game, Memo } from "./game.js"
 * @import { Variation } from "./moves.js"
 * @import { ShownReport } from "./report.js"
 * @import { Setup } from "./setup.js"
 */

/**
 * @typedef {"setup" | "play" | "analysis"} Mode
 * @typedef {{ mode: Mode, before: Memo | null, setup: Setup, opened: Setup } & Course} SavedGame
 * `setup`: the chosen set-up; `opened`: the set-up of the open game; `before`: the game to return to
 */

const KEY = "hansu.game";
const THOUGHTS = "hansu.thoughts";
const CLOCK = "hansu.clock";

/**
 * @param {string} id of the page's history
 * @param {SavedGame} game
 */
export function saveGame(id, game) {
  put(KEY, { ...game, id });
}

/**
 * Save the game's evaluations and the remaining time of both seats.
 * @param {string} id
 * @param {Thoughts} thoughts
 * @param {[number, number]} left
 */
export function saveRest(id, thoughts, left) {
  put(THOUGHTS, { ...thoughts, id });
  put(CLOCK, { left, id });
}

/**
 * The saved game of this history entry; a new link starts a new game.
 * @param {string} id
 * @returns {SavedGame | null}
 */
export function savedGame(id) {
  return taken(KEY, id);
}

/**
 * @param {string} id
 * @returns {Thoughts | null}
 */
export function savedThoughts(id) {
  return taken(THOUGHTS, id);
}

/**
 * @param {string} id
 * @returns {[number, number] | null}
 */
export function savedClock(id) {
  return taken(CLOCK, id)?.left ?? null;
}

export function forgetGame() {
  try {
    for (const key of [KEY, THOUGHTS, CLOCK]) sessionStorage.removeItem(key);
  } catch {
    // storage is not available
  }
}

/**
 * @param {string} key
 * @param {object} value
 */
function put(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is not available or full: a reload starts a new game.
  }
}

/**
 * @param {string} key
 * @param {string} id
 */
function taken(key, id) {
  try {
    const saved = JSON.parse(sessionStorage.getItem(key) ?? "null");
    return saved?.id === id ? saved : null;
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Thoughts
 * @property {string[]} moves
 * @property {Game["notes"]} notes
 * @property {[number, Answered][]} asked
 * @property {[number, ShownReport][]} reviewed
 * @property {Variation[]} variations
 */

const MOST = 300; // positions; browsers limit the storage

/**
 * @param {Game} game
 * @returns {Thoughts}
 */
export function thoughtsOf({ moves, notes, asked, reviewed, variations }) {
  const late = notes.map((note, ply) => (ply < notes.length - MOST ? null : note));
  return { moves, notes: late, asked: [...asked].slice(-MOST), reviewed: [...reviewed].slice(-MOST), variations };
}

/**
 * Restore the evaluations of the unchanged moves of a game.
 * @param {Game} game
 * @param {Thoughts} thoughts
 */
export function restoreThoughts(game, { moves, notes, asked, reviewed, variations }) {
  const differs = game.moves.findIndex((move, ply) => move !== moves[ply]);
  const same = differs < 0 ? game.moves.length : differs;
  game.notes = game.moves.map((_, ply) => game.notes[ply] ?? (ply < same ? (notes[ply] ?? null) : null));
  game.asked = new Map(asked.filter(([ply]) => ply <= same));
  game.variations = variations;
  game.reviewed = new Map(reviewed.filter(([ply]) => ply <= same));
}
