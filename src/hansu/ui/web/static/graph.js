// The course of the game: what the players thought it was worth, ply by ply. Press a place to go there.

import { element, fill, shape } from "./dom.js";
import { inLanguage, signed, t } from "./language.js";

const WIDTH = 320;
const HEIGHT = 120;
const EDGE = 6;

/**
 * @import { Ending } from "../messages"
 * @import { Game } from "./game.js"
 * @import { ShownReport } from "./report.js"
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

  // Where a game is won or lost, players count in different units: there the chance, from -1 to 1, is drawn.
  const played = game.range <= 1;
  /** @param {ShownReport | null} found */
  const worth = (found) => {
    if (!found || !played) return found?.value ?? null;
    return found.chance === null ? null : 2 * found.chance - 1;
  };
  /** @param {Ending} result */
  const ending = ({ score, winner }) => {
    if (!played && score !== null) return score;
    return winner === null ? 0 : winner === 0 ? 1 : -1;
  };

  /** [ply, value] wherever somebody said what the position is worth. */
  function values() {
    /** @type {[number, number][]} */
    const known = [];
    for (let ply = 0; ply <= game.moves.length; ply++) {
      const value = worth(game.foundAt(ply));
      if (value !== null) known.push([ply, value]);
    }
    const { state } = game;
    if (state?.over && game.atEnd && state.result) known.push([state.plies, ending(state.result)]);
    return known.filter(([ply], i) => ply !== known[i + 1]?.[0]);
  }

  function update() {
    const { state } = game;
    if (!state) return;
    const known = values();
    const most = Math.max(played ? 1 : 0, ...known.map(([, value]) => Math.abs(value))) || 1;
    /** @param {number} value */
    const y = (value) => HEIGHT / 2 - (value / most) * (HEIGHT / 2 - EDGE);
    const here = known.findLast(([ply]) => ply <= state.ply);
    const points = known.map(([ply, value]) => `${at(ply).toFixed(1)},${y(value).toFixed(1)}`);
    const middle = HEIGHT / 2;
    /** @param {[number, number]} point */
    const foot = ([ply]) => `${at(ply).toFixed(1)},${middle}`;
    const outline = known.length > 1 ? [foot(known[0]), ...points, foot(known[known.length - 1])].join(" ") : null;
    const area = outline ? shape("polygon", { class: "graph-area", points: outline }) : null;
    fill(
      drawing,
      shape("rect", { class: "graph-ground", width: WIDTH, height: HEIGHT, rx: 6 }),
      area,
      shape("line", { class: "graph-middle", x1: 0, x2: WIDTH, y1: middle, y2: middle }),
      points.length > 1 ? shape("polyline", { class: "graph-line", points: points.join(" ") }) : null,
      shape("line", { class: "graph-here", x1: at(state.ply), x2: at(state.ply), y1: 0, y2: HEIGHT }),
      here ? shape("ellipse", { class: "graph-dot", cx: at(here[0]), cy: y(here[1]), rx: 4, ry: 4 }) : null,
    );
    drawing.toggleAttribute("hidden", known.length === 0);
    drawing.setAttribute("aria-valuemax", String(state.plies));
    drawing.setAttribute("aria-valuenow", String(state.ply));
    const said = here ? signed(here[1]) : t("unknown");
    drawing.setAttribute("aria-valuetext", t("graph_says", { ply: state.ply, value: said }));
    const [first, second] = state.seats.map((seat) => inLanguage(seat.name));
    legend.textContent = known.length ? t("graph_legend", { first, second }) : t("graph_empty");
  }

  return { node, update };
}
