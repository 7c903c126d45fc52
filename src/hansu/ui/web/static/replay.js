// Stepping through the game, and letting two machines play.

import { element, fill } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { t } from "./language.js";

/** @import { Game } from "./game.js" */

/** @param {Game} game */
export function replay(game) {
  const ply = () => game.state?.ply ?? 0;
  /**
   * @param {string} name
   * @param {string} drawing
   * @param {() => number} to
   */
  const step = (name, drawing, to) => iconButton(name, drawing, () => game.jump(to()));
  const first = step("to_start", "first", () => 0);
  const back = step("one_back", "back", () => ply() - 1);
  const next = step("one_on", "next", () => ply() + 1);
  const last = step("to_end", "last", () => game.moves.length);
  const slider = element("input", {
    type: "range",
    min: 0,
    max: 0,
    "aria-label": t("replay"),
    oninput: () => game.jump(Number(slider.value)),
  });
  const counter = element("output", { class: "ply" });
  const node = element("div", { class: "replay" }, first, back, slider, next, last, counter);

  function update() {
    const [at, plies] = [ply(), game.state?.plies ?? 0];
    slider.max = String(plies);
    slider.value = String(at);
    slider.disabled = plies === 0;
    slider.setAttribute("aria-valuetext", t("ply_of", { ply: at, plies }));
    first.disabled = back.disabled = at === 0;
    next.disabled = last.disabled = at === plies;
    counter.textContent = `${at} / ${plies}`;
  }

  return { node, update };
}

const PACES = [3, 2, 1, 0.5, 0.25, 0.1, 0]; // seconds between moves, slow to fast

/** @param {Game} game */
export function autoplay(game) {
  const run = element("button", { "data-do": "auto", onclick: () => toggle() });
  const step = element("button", { "data-do": "step", onclick: () => game.step() }, icon("step"), t("step"));
  /** @type {HTMLInputElement} */
  const speed = element("input", {
    id: "speed",
    type: "range",
    min: 0,
    max: PACES.length - 1,
    step: 1,
    onchange: () => game.auto(game.state?.auto ?? false, PACES[Number(speed.value)]),
  });
  const node = element(
    "div",
    { class: "autoplay", role: "group", "aria-label": t("machines") },
    run,
    step,
    element("label", { for: "speed" }, t("speed")),
    speed,
  );

  function toggle() {
    if (game.state) game.auto(!game.state.auto, game.state.pace);
  }

  function update() {
    const { state } = game;
    node.hidden = !state || game.people > 0;
    if (!state) return;
    fill(run, icon(state.auto ? "pause" : "play"), state.auto ? t("pause") : t("run"));
    run.setAttribute("aria-pressed", String(state.auto));
    run.disabled = state.over;
    step.disabled = state.over || state.auto || game.thinkingMove;
    const away = PACES.map((pace) => Math.abs(pace - state.pace));
    const nearest = away.indexOf(Math.min(...away));
    speed.value = String(nearest);
    speed.setAttribute("aria-valuetext", t("seconds", { n: PACES[nearest] }));
  }

  return { node, update, toggle };
}
