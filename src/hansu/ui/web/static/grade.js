// How good a move was: what it lost against the best one, on one scale for colours and for the review of a game.
//
//     0 best    1 good    2 inaccuracy    3 mistake    4 blunder

import { chanceOf, isWon } from "./value.js";

/** @import { Judged } from "./value.js" */

export const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"];
const STEPS = [0.01, 0.05, 0.1, 0.2]; // a loss of so much, as a chance to win, is worse than best, good, ...
const A_PLY = 0.005; // what winning a ply later costs, where both are proved
const SLOWEST = 0.09; // at most so much: it still wins
const POINTS = 0.5; // of a tenth of the score range: such a loss of points counts like a chance of 0.1

/**
 * What a move lost to its mover, 0 (nothing) to 1 (a won game).
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
