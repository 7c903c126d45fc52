// Two machines: let them run, slow them down, or make them move one at a time.

import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";

/** @import { Game } from "./game.js" */

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
