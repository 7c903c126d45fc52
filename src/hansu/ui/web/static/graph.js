// The evaluation graph: the value at each ply, on the scale of the verdict bar. Press a place to go there.

import { element, fill, shape } from "./dom.js";
import { inLanguage, t } from "./language.js";
import { reviewOf } from "./review.js";
import { chanceOf, valueWords } from "./value.js";

const WIDTH = 320;
const HEIGHT = 120;
const EDGE = 6;

/**
 * @import { Game } from "./game.js"
 * @import { Judged } from "./value.js"
 */

/** @param {Game} game */
export function graph(game) {
  const drawing = shape("svg", {
    class: "graph",
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "slider",
    tabindex: 0,
    "aria-label": t("course"),
    "aria-valuemin": 0,
    onclick: press,
    onkeydown: key,
  });
  const legend = element("p", { class: "legend" });
  const node = element(
    "details",
    { class: "panel", open: true },
    element("summary", {}, element("h2", {}, t("course"))),
    drawing,
    legend,
  );

  /** @param {number} ply */
  const at = (ply) => EDGE + ((WIDTH - 2 * EDGE) * ply) / Math.max(game.moves.length, 1);
  /** @param {Judged} worth */
  const y = (worth) => EDGE + (HEIGHT - 2 * EDGE) * (1 - chanceOf(worth, game.range));

  /** @param {MouseEvent} event */
  function press(event) {
    const box = drawing.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    game.jump(Math.round(((x - EDGE) / (WIDTH - 2 * EDGE)) * game.moves.length));
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const { ply = 0, plies = 0 } = game.state ?? {};
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
    /** @type {Record<string, number>} */
    const ends = { Home: 0, End: plies };
    const wish = ends[event.key] ?? ply + steps[event.key];
    if (Number.isNaN(wish)) return;
    event.preventDefault();
    event.stopPropagation();
    game.jump(wish);
  }

  /** [ply, value] for every evaluated position. */
  function values() {
    /** @type {[number, Judged][]} */
    const known = [];
    for (let ply = 0; ply <= game.moves.length; ply++) {
      const worth = game.worthAt(ply);
      if (worth) known.push([ply, worth]);
    }
    return known;
  }

  /** Marks of mistakes: the worse, the larger. */
  function marks() {
    return reviewOf(game).moves.map(({ ply, grade, after }) =>
      grade < 3
        ? null
        : shape("ellipse", { class: `graph-mark mark-${grade}`, cx: at(ply + 1), cy: y(after), rx: 3, ry: grade + 1 }),
    );
  }

  function update() {
    const { state } = game;
    if (!state) return;
    const known = values();
    const here = known.findLast(([ply]) => ply <= state.ply);
    const points = known.map(([ply, worth]) => `${at(ply).toFixed(1)},${y(worth).toFixed(1)}`);
    const middle = HEIGHT / 2;
    /** @param {[number, Judged]} point */
    const foot = ([ply]) => `${at(ply).toFixed(1)},${middle}`;
    const outline = known.length > 1 ? [foot(known[0]), ...points, foot(known[known.length - 1])].join(" ") : null;
    const area = outline ? shape("polygon", { class: "graph-area", points: outline }) : null;
    fill(
      drawing,
      shape("rect", { class: "graph-ground", width: WIDTH, height: HEIGHT, rx: 6 }),
      area,
      shape("line", { class: "graph-middle", x1: 0, x2: WIDTH, y1: middle, y2: middle }),
      points.length > 1 ? shape("polyline", { class: "graph-line", points: points.join(" ") }) : null,
      marks(),
      shape("line", { class: "graph-here", x1: at(state.ply), x2: at(state.ply), y1: 0, y2: HEIGHT }),
      here ? shape("ellipse", { class: "graph-dot", cx: at(here[0]), cy: y(here[1]), rx: 4, ry: 4 }) : null,
    );
    drawing.toggleAttribute("hidden", known.length === 0);
    drawing.setAttribute("aria-valuemax", String(state.plies));
    drawing.setAttribute("aria-valuenow", String(state.ply));
    const words = here ? valueWords(here[1], state.seats, game.info) : t("unknown");
    drawing.setAttribute("aria-valuetext", t("graph_says", { ply: state.ply, value: words }));
    const [first, second] = state.seats.map((seat) => inLanguage(seat.name));
    legend.textContent = known.length ? t("graph_legend", { first, second }) : t("graph_empty");
  }

  return { node, update };
}
