// How much a player thinks of each move, glowing on the board: values or visits.

import { shape } from "./dom.js";
import { short, signed } from "./language.js";

const LINES = 14; // of moves with two points only so many of the best are drawn, or nothing could be seen

/** Shapes in board units for what was found; `by` is "value" or "visits". */
export function heat(found, choices, by) {
  const rated = found.moves
    .map((move) => ({ move, choice: choices.find((choice) => choice.action === move.action) }))
    .filter(({ choice }) => choice && choice.touch.length);
  const counted = rated.some(({ move }) => move.visits !== null);
  const most = Math.max(1, ...rated.map(({ move }) => move.visits ?? 0));
  const share = (move) => (by === "visits" && counted ? (move.visits ?? 0) / most : move.share ?? 0);
  const words = (move) => (by === "visits" && counted ? short(move.visits ?? 0) : (move.bound === "<=" ? "≤" : move.bound === ">=" ? "≥" : "") + signed(move.value));
  rated.sort((a, b) => share(b.move) - share(a.move));
  const lines = [];
  const spots = new Map(); // the strongest move of each last point
  for (const { move, choice } of rated) {
    const end = choice.touch.at(-1);
    if (choice.touch.length > 1 && lines.length < LINES && share(move) > 0.02) lines.push(way(choice.touch, share(move)));
    const key = middle(choice.touch).join(" ");
    if (!spots.has(key)) spots.set(key, spot(choice.touch.length > 1 ? middle(choice.touch) : end, share(move), words(move), move.best));
  }
  return [...lines.reverse(), ...[...spots.values()].slice(0, 400).reverse()];
}

/** Where a move's number stands: on its point, or on the way between its two. */
function middle(points) {
  if (points.length === 1) return points[0];
  const [a, b] = [points[0], points.at(-1)];
  return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

function way(points, share) {
  const line = shape("polyline", { class: "heat-way", points: points.map((point) => point.join(",")).join(" ") });
  line.setAttribute("stroke-opacity", (0.12 + 0.6 * share).toFixed(2));
  line.setAttribute("stroke-width", (0.05 + 0.13 * share).toFixed(3));
  return line;
}

function spot([x, y], share, text, best) {
  const size = text.length > 5 ? 0.19 : 0.23;
  return shape(
    "g",
    { class: best ? "heat-spot best" : "heat-spot" },
    shape("circle", { cx: x, cy: y, r: 0.38, "fill-opacity": (0.1 + 0.62 * share).toFixed(2) }),
    text ? shape("text", { x, y, "font-size": size, "text-anchor": "middle", dy: "0.36em" }, text) : null,
  );
}
