// The game of this tab, so that a page that is loaded again goes on with it.

/**
 * @import { Course, Memo } from "./game.js"
 * @import { Setup } from "./setup.js"
 */

/**
 * @typedef {"setup" | "play" | "analysis"} Mode
 * @typedef {{ mode: Mode, before: Memo | null, setup: Setup, opened: Setup } & Course} SavedGame
 * `setup`: what was chosen; `opened`: what the server was asked for; `before`: the game that was left for this one
 */

const KEY = "hansu.game";

/** @param {SavedGame} game */
export function saveGame(game) {
  const address = location.pathname + location.search;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ ...game, address }));
  } catch {
    // A browser that keeps nothing: then a reload begins anew.
  }
}

/**
 * What was saved, where the page was loaded again or come back to; a link that was followed begins anew.
 * @returns {SavedGame | null}
 */
export function savedGame() {
  const [entry] = performance.getEntriesByType("navigation");
  if (entry instanceof PerformanceNavigationTiming && entry.type === "navigate") return null;
  try {
    const saved = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    return saved?.address === location.pathname + location.search ? saved : null;
  } catch {
    return null;
  }
}

export function forgetGame() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // nothing was kept
  }
}
