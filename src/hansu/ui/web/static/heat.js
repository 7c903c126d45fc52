// The overlay of move values on the board: its shapes, the switch, and the quick analysis that fetches missing values.

import { element, fill, shape } from "./dom.js";
import { icon } from "./icons.js";
import { count, short, t } from "./language.js";
import { preference, setPreference } from "./preferences.js";
import { compilingBar, compilingText } from "./status.js";
import { distance } from "./touch.js";
import { valueSigns } from "./value.js";

/**
 * @import { Choice } from "../messages"
 * @import { Game, Task } from "./game.js"
 * @import { ShownMove, ShownReport } from "./report.js"
 * @import { Point } from "./touch.js"
 */

// Limits that keep the overlay readable; the list shows all moves.
const MOST_SEGMENTS = 5;
const MOST_JUMPS = 3;
const MANY = 60;
const MOST_SIGNS = 12;
const LEAST_PRIOR = 0.01; // smaller priors are not shown
const ABOVE = 0.2; // the height of plates above the columns

/**
 * @typedef {{ move: ShownMove, touch: Point[] }} Placed a move with its points
 * @typedef {object} HeatWay
 * @property {"value" | "visits"} by
 * @property {number} mover
 * @property {number} range of the game's scores
 * @property {boolean} columns whether plates are drawn above the columns
 */

/**
 * The shapes of a report's moves, in board units.
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
      ? `${Math.round(100 * (move.prior ?? 0))}%`
      : counted
        ? short(move.visits ?? 0)
        : valueSigns(move, mover, range).replace("%", ""); // to save space
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
 * Whether moves are lines between points rather than jumps to a square: some point is both source and target.
 * @param {{ touch: Point[] }[]} choices
 */
function areSegments(choices) {
  const two = choices.filter(({ touch }) => touch.length > 1);
  const ends = new Set(two.map(({ touch }) => touch[touch.length - 1].join(" ")));
  return two.some(({ touch }) => ends.has(touch[0].join(" ")));
}

/**
 * A line between two points with its value in the middle.
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
 * A point a little towards another one, so that the name of the point stays readable.
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

/** @typedef {"off" | "value" | "visits"} Heat */

/** @type {Heat[]} */
const WAYS = ["off", "value", "visits"];

export function heatChoice() {
  return WAYS.find((way) => way === preference("heat")) ?? "off";
}

/**
 * @param {QuickAnalysis} glance fetches missing values
 * @param {() => void} onchange
 */
export function heatSwitch(glance, onchange) {
  const buttons = WAYS.map((way) =>
    element("button", { class: "segment", "data-heat": way, onclick: () => set(way) }, t(`heat_${way}`)),
  );
  const name = element("span", { class: "segments-name" }, icon("heat"), t("heat"));
  const legend = element("p", { class: "legend" }, t("heat_legend"));
  const group = element("div", { class: "segments", role: "group", "aria-label": t("heat") }, name, buttons);
  const node = element("div", { class: "heat-switch" }, group, glance.node, legend);

  /** @param {Heat} way */
  function set(way) {
    setPreference("heat", way);
    draw();
    onchange();
    glance.ask();
  }

  function draw() {
    glance.update();
    legend.hidden = heatChoice() !== "value";
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.heat === heatChoice()));
  }

  draw();
  return { node, update: draw, next: () => set(WAYS[(WAYS.indexOf(heatChoice()) + 1) % WAYS.length]) };
}

const SECONDS = 2;
const LONGER = 20; // after a person asked for more time

export class QuickAnalysis {
  #shown = "";
  #nothingAt = ""; // a position without a result in time

  /**
   * @param {Game} game
   * @param {string} analyst
   * @param {boolean} wanted whether missing values are fetched (an analysis does that itself)
   */
  constructor(game, analyst, wanted) {
    this.game = game;
    this.analyst = analyst;
    this.wanted = wanted;
    this.node = element("p", { class: "glance quiet", hidden: true });
  }

  /** Fetch the values of the shown position if they are missing. */
  async ask(seconds = SECONDS) {
    if (!this.#missing || this.game.busy) return;
    const here = this.#here;
    this.#nothingAt = "";
    const answer = this.game.values(this.analyst, seconds);
    this.update();
    await answer;
    this.#nothingAt = here;
    this.update();
  }

  get #here() {
    const { state } = this.game;
    return `${state?.game} ${state?.position} ${state?.ply}`;
  }

  /** Whether a person is to move and the overlay has no values. */
  get #missing() {
    const { game } = this;
    const { state } = game;
    if (!this.wanted || heatChoice() === "off" || !state || !game.personToMove || !game.atEnd) return false;
    return (game.foundAt(state.ply)?.moves.length ?? 0) < Math.min(2, state.choices.length);
  }

  update() {
    const { task, online, busy } = this.game;
    this.node.hidden = !this.wanted || heatChoice() === "off"; // its line is always there: nothing jumps
    const nothing = this.#nothingAt === this.#here ? t("glance_nothing") : "";
    const words = !this.#missing || !online ? "" : busy ? progressText(task) : nothing;
    const bar = words && task?.compiling ? compilingBar(task.compiling) : null;
    const shown = `${words} ${bar?.value}`;
    if (shown === this.#shown) return; // keeps the focus of its button
    this.#shown = shown;
    const again = { class: "plain", "data-do": "glance", onclick: () => this.ask(LONGER) };
    fill(this.node, words, bar, words && !busy ? element("button", again, t("glance_again")) : null);
    this.node.classList.toggle("busy", Boolean(words && busy));
  }
}

/** @param {Task | null} task null: the server has not started it yet */
function progressText(task) {
  if (!task) return t("glance_looks");
  const { quiet, compiling, queued } = task;
  if (!quiet) return ""; // the status line shows it
  if (compiling) return compilingText(compiling);
  return queued ? count("queued", queued) : t("glance_looks");
}
