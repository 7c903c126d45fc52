// Walking through the game: a slider, and a ply to either side.

import { element } from "./dom.js";
import { iconButton } from "./icons.js";
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
  const told = element("output", { class: "ply" });
  const node = element("div", { class: "replay" }, first, back, slider, next, last, told);

  function update() {
    const [at, plies] = [ply(), game.state?.plies ?? 0];
    slider.max = String(plies);
    slider.value = String(at);
    slider.disabled = plies === 0;
    slider.setAttribute("aria-valuetext", t("ply_of", { ply: at, plies }));
    first.disabled = back.disabled = at === 0;
    next.disabled = last.disabled = at === plies;
    told.textContent = `${at} / ${plies}`;
  }

  return { node, update };
}
