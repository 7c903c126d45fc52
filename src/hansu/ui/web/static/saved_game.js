// The game of this tab, so that a page that is loaded again goes on with it.

/**
 * @import { Course, Memo } from "./game.js"
 * @import { Setup } from "./setup.js"
 * @import { Thoughts } from "./thoughts.js"
 */

/**
 * @typedef {"setup" | "play" | "analysis"} Mode
 * @typedef {{ mode: Mode, before: Memo | null, setup: Setup, opened: Setup } & Course} SavedGame
 * `setup`: what was chosen; `opened`: what the server was asked for; `before`: the game that was left for this one
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
 * What was thought of the game's positions, and what is left on people's clocks.
 * @param {string} id
 * @param {Thoughts} thoughts
 * @param {[number, number]} left
 */
export function saveRest(id, thoughts, left) {
  put(THOUGHTS, { ...thoughts, id });
  put(CLOCK, { left, id });
}

/**
 * What this page saved before it was loaded again or come back to; a link that was followed begins anew.
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
    // nothing was kept
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
    // A browser that keeps nothing, or no more: then a reload begins anew.
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
