// What a review of the whole game says of its moves: how much each one lost, and what would have been better.
//
// A position is worth what the judge found there; a move lost the difference to the position that it led to.

import { gradeOf, lost } from "./grade.js";
import { chanceOf } from "./value.js";

/**
 * @import { Game } from "./game.js"
 * @import { ShownReport } from "./report.js"
 * @import { Judged } from "./value.js"
 */

/**
 * @typedef {object} ReviewedMove
 * @property {number} ply before the move
 * @property {number} mover
 * @property {string} move
 * @property {number} grade 0 best, 1 good, 2 inaccuracy, 3 mistake, 4 blunder
 * @property {ShownReport} before what the judge found, with the move that it would have chosen
 * @property {Judged} after what the move led to
 * @property {boolean} turned did the lead change hands?
 *
 * @typedef {object} GameReview
 * @property {ReviewedMove[]} moves those that were judged, in order
 * @property {{ good: number, all: number }[]} shares of each seat
 */

const AHEAD = 0.6; // a chance of so much is a lead

/**
 * As far as it is known.
 * @param {Game} game
 * @returns {GameReview}
 */
export function reviewOf(game) {
  /** @type {ReviewedMove[]} */
  const moves = [];
  const shares = [0, 1].map(() => ({ good: 0, all: 0 }));
  if (!game.reviewed.size) return { moves, shares };
  let leader = -1;
  game.moves.forEach((move, ply) => {
    const before = game.reviewed.get(ply);
    const after = afterwards(game, ply + 1);
    const mover = game.movers[ply];
    if (!before || before.value === null || !after || mover < 0) return;
    const grade = before.move === move ? 0 : gradeOf(lost(before, after, mover, game.range));
    const now = lead(after, game.range);
    const turned = now >= 0 && leader >= 0 && now !== leader;
    if (now >= 0) leader = now;
    moves.push({ ply, mover, move, grade, before, after, turned });
    shares[mover].all += 1;
    if (grade < 2) shares[mover].good += 1;
  });
  return { moves, shares };
}

/**
 * What a position is worth, seen from a ply before. One that chance moves from is worth what comes of it.
 * @param {Game} game
 * @param {number} ply
 * @returns {Judged | null}
 */
function afterwards(game, ply) {
  while (game.movers[ply] < 0) ply += 1;
  const ended = ply === game.moves.length && game.result?.how === "played";
  const found = ended ? game.worthAt(ply) : game.reviewed.get(ply);
  if (!found || found.value === null) return null;
  const plies = found.plies ?? null;
  return { ...found, plies: plies === null ? null : plies + 1 };
}

/**
 * Who is ahead? -1: nobody.
 * @param {Judged} worth
 * @param {number} range
 */
function lead(worth, range) {
  const chance = chanceOf(worth, range);
  return chance >= AHEAD ? 0 : chance <= 1 - AHEAD ? 1 : -1;
}

/**
 * The next move from a ply on (or before it) that was a mistake.
 * @param {GameReview} review
 * @param {number} ply the shown one: after the move that is looked at
 * @param {1 | -1} way
 */
export function nextMistake({ moves }, ply, way) {
  const bad = moves.filter(({ grade }) => grade >= 3);
  return (way > 0 ? bad.find((one) => one.ply + 1 > ply) : bad.findLast((one) => one.ply + 1 < ply)) ?? null;
}
