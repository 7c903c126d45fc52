// What a player thinks of each move, on the board: a plate with a few signs, coloured by what the move loses against
// the best one (which carries a star), or by its share of the visits. Where a network only had a first thought, its
// chances of each move are shown.

import { shape } from "./dom.js";
import { short } from "./language.js";
import { distance } from "./touch.js";
import { valueSigns } from "./value.js";

// Of moves with two points only so many of the best get a line, and of many moves so many their signs: or nothing
// could be seen. The rest is in the list.
const MOST_SEGMENTS = 5;
const MOST_JUMPS = 3;
const MANY = 60;
const MOST_SIGNS = 12;
const LEAST_PRIOR = 0.01; // of a network's thoughts that are shown
const ABOVE = 0.2; // where plates hang over the columns

/**
 * @import { Choice } from "../messages"
 * @import { ShownMove, ShownReport } from "./report.js"
 * @import { Point } from "./touch.js"
 */

/**
 * @typedef {{ move: ShownMove, touch: Point[] }} Placed a move with its points
 * @typedef {object} HeatWay
 * @property {"value" | "visits"} by
 * @property {number} mover
 * @property {number} range of the game's scores
 * @property {boolean} columns do plates hang over the columns?
 */

/**
 * Shapes in board units for what was found.
 * @param {ShownReport} found
 * @param {Choice[]} choices
 * @param {HeatWay} way
 */
export function heat(found, choices, { by, mover, range, columns }) {
  const thought = found.moves.every((move) => move.value === null && move.visits === null);
  const rated = found.moves
    .map((move) => ({ move, touch: choices.find((choice) => choice.move === move.move)?.touch ?? [] }))
    .filter(({ move, touch }) => touch.length && (!thought || (move.prior ?? 0) >= LEAST_PRIOR));
  const counted = thought || (by === "visits" && rated.some(({ move }) => move.visits !== null));
  /** @param {ShownMove} move */
  const grade = (move) => (counted ? 4 - Math.round(4 * move.share) : move.grade);
  /** @param {ShownMove} move */
  const signs = (move) =>
    thought
      ? `${Math.round(100 * (move.prior ?? 0))} %`
      : counted
        ? short(move.visits ?? 0)
        : valueSigns(move, mover, range).replace(" %", ""); // there is little room
  /** @param {Placed} a @param {Placed} b */
  const better = (a, b) =>
    Number(b.move.best) - Number(a.move.best) ||
    (counted ? b.move.share - a.move.share : a.move.loss - b.move.loss || grade(b.move) - grade(a.move));
  rated.sort(better);
  if (areSegments(choices)) return rated.slice(0, MOST_SEGMENTS).map((one) => segment(one, grade, signs)).reverse();
  /** @type {SVGElement[]} */
  const lines = [];
  /** @type {Map<string, SVGElement>} the best move of each place */
  const plates = new Map();
  for (const { move, touch } of rated) {
    if (touch.length > 1 && lines.length < MOST_JUMPS) lines.push(track(touch, grade(move)));
    const [x, y] = touch[touch.length - 1];
    const key = `${x} ${y}`;
    if (plates.has(key)) continue;
    const few = rated.length <= MANY || plates.size < MOST_SIGNS;
    const look = { grade: grade(move), text: few ? signs(move) : "", best: move.best };
    plates.set(key, columns ? plate([x, ABOVE], { ...look, high: 0.36, wide: 0.84 }) : plate([x, y], look));
  }
  return [...lines.reverse(), ...[...plates.values()].reverse()];
}

/**
 * Are moves lines between points (and not jumps from a piece to a square)? Then a point is a source and a target.
 * @param {{ touch: Point[] }[]} choices
 */
function areSegments(choices) {
  const two = choices.filter(({ touch }) => touch.length > 1);
  const ends = new Set(two.map(({ touch }) => touch[touch.length - 1].join(" ")));
  return two.some(({ touch }) => ends.has(touch[0].join(" ")));
}

/**
 * A line between two points, its signs halfway.
 * @param {Placed} placed
 * @param {(move: ShownMove) => number} grade
 * @param {(move: ShownMove) => string} signs
 */
function segment({ move, touch }, grade, signs) {
  const [a, b] = [touch[0], touch[touch.length - 1]];
  /** @type {Point} */
  const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const text = signs(move);
  const look = { grade: grade(move), text, best: move.best, high: 0.3, wide: 0.2 + 0.13 * text.length };
  return shape("g", {}, track([towards(a, b), towards(b, a)], grade(move)), plate(middle, look));
}

/**
 * A little on the way from one point to another, so that the name of the point can be read.
 * @param {Point} from
 * @param {Point} to
 * @returns {Point}
 */
function towards([x, y], to) {
  const far = Math.max(distance([x, y], to), 0.01);
  return [x + (0.24 * (to[0] - x)) / far, y + (0.24 * (to[1] - y)) / far];
}

/**
 * @param {Point[]} points
 * @param {number} grade
 */
function track(points, grade) {
  return shape("polyline", {
    class: `heat-way grade-${grade}`,
    points: points.map((point) => point.join(",")).join(" "),
    "stroke-width": grade === 0 ? 0.12 : 0.07,
  });
}

/**
 * @param {Point} place
 * @param {{ grade: number, text: string, best: boolean, high?: number, wide?: number }} look
 */
function plate([x, y], { grade, text, best, high = 0.7, wide = 0.7 }) {
  if (!text) return shape("circle", { class: `heat-spot grade-${grade}`, cx: x, cy: y, r: 0.11 });
  const size = Math.min(0.28, (1.5 * wide) / Math.max(text.length, 3));
  return shape(
    "g",
    { class: `heat-spot grade-${grade}${best ? " best" : ""}` },
    shape("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: Math.min(0.14, high / 2) }),
    shape("text", { x, y, "font-size": size, "text-anchor": "middle", dy: "0.36em" }, text),
    best ? shape("path", { class: "heat-star", d: star(x + wide / 2, y - high / 2, 0.13) }) : null,
  );
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} r
 */
function star(x, y, r) {
  const corners = Array.from({ length: 10 }, (_, i) => {
    const [far, turn] = [i % 2 ? 0.45 * r : r, (Math.PI * (i - 2.5)) / 5];
    return `${(x + far * Math.cos(turn)).toFixed(3)} ${(y + far * Math.sin(turn)).toFixed(3)}`;
  });
  return `M${corners.join("L")}Z`;
}
