// How much a player thinks of each move, glowing on the board: values or visits.

import { shape } from "./dom.js";
import { short, signed } from "./language.js";

// Of moves with two points only so many of the best get a line, or nothing could be seen.
const MOST_SEGMENTS = 14;
const MOST_JUMPS = 3;
/** @type {Record<string, string>} */
const BOUNDS = { "<=": "≤", ">=": "≥" };

/**
 * @import { Choice } from "../messages"
 * @import { ShownMove, ShownReport } from "./report.js"
 * @import { Point } from "./touch.js"
 */

/** @typedef {{ move: ShownMove, touch: Point[] }} Placed a move with its points */

/**
 * Shapes in board units for what was found.
 * @param {ShownReport} found
 * @param {Choice[]} choices
 * @param {"value" | "visits"} by
 */
export function heat(found, choices, by) {
  const rated = found.moves
    .map((move) => ({ move, touch: choices.find((choice) => choice.move === move.move)?.touch ?? [] }))
    .filter(({ touch }) => touch.length);
  const counted = by === "visits" && rated.some(({ move }) => move.visits !== null);
  const most = Math.max(1, ...rated.map(({ move }) => move.visits ?? 0));
  /** @param {ShownMove} move */
  const share = (move) => (counted ? (move.visits ?? 0) / most : move.share);
  /** @param {ShownMove} move */
  const words = (move) => (counted ? short(move.visits ?? 0) : (BOUNDS[move.bound] ?? "") + signed(move.value));
  rated.sort((a, b) => share(b.move) - share(a.move));
  const segments = areSegments(rated);
  /** @type {SVGElement[]} */
  const lines = [];
  /** @type {Map<string, SVGElement>} the strongest move of each place */
  const spots = new Map();
  for (const { move, touch } of rated) {
    if (touch.length > 1 && lines.length < (segments ? MOST_SEGMENTS : MOST_JUMPS)) lines.push(way(touch, share(move)));
    const place = segments ? middle(touch) : touch[touch.length - 1];
    const key = place.join(" ");
    if (!spots.has(key)) spots.set(key, spot(place, share(move), words(move), move.best));
  }
  return [...lines.reverse(), ...[...spots.values()].reverse()];
}

/**
 * Are moves lines between points (and not jumps from a piece to a square)? Then a point is a source and a target.
 * @param {Placed[]} rated
 */
function areSegments(rated) {
  const two = rated.filter(({ touch }) => touch.length > 1);
  const ends = new Set(two.map(({ touch }) => touch[touch.length - 1].join(" ")));
  return two.some(({ touch }) => ends.has(touch[0].join(" ")));
}

/**
 * Where the number of a segment stands: halfway.
 * @param {Point[]} points
 * @returns {Point}
 */
function middle(points) {
  const [a, b] = [points[0], points[points.length - 1]];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

/**
 * @param {Point[]} points
 * @param {number} share
 */
function way(points, share) {
  const line = shape("polyline", { class: "heat-way", points: points.map((point) => point.join(",")).join(" ") });
  line.setAttribute("stroke-opacity", (0.12 + 0.6 * share).toFixed(2));
  line.setAttribute("stroke-width", (0.05 + 0.13 * share).toFixed(3));
  return line;
}

/**
 * @param {Point} place
 * @param {number} share
 * @param {string} text
 * @param {boolean} best
 */
function spot([x, y], share, text, best) {
  const size = text.length > 5 ? 0.19 : 0.23;
  return shape(
    "g",
    { class: best ? "heat-spot best" : "heat-spot" },
    shape("circle", { class: "heat-ground", cx: x, cy: y, r: 0.38, "fill-opacity": 0.85 }),
    shape("circle", { cx: x, cy: y, r: 0.38, "fill-opacity": (0.1 + 0.62 * share).toFixed(2) }),
    text ? shape("text", { x, y, "font-size": size, "text-anchor": "middle", dy: "0.36em" }, text) : null,
  );
}
