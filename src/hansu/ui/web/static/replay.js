// Walking through the game: a slider, and a ply to either side.

import { element } from "./dom.js";
import { iconButton } from "./icons.js";
import { t } from "./language.js";

export function replay({ game }) {
  const step = (name, drawing, to) => iconButton(name, drawing, () => game.jump(to()));
  const first = step("to_start", "first", () => 0);
  const back = step("one_back", "back", () => game.state.ply - 1);
  const next = step("one_on", "next", () => game.state.ply + 1);
  const last = step("to_end", "last", () => game.state.plies);
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
    const { ply = 0, plies = 0 } = game.state ?? {};
    slider.max = plies;
    slider.value = ply;
    slider.disabled = plies === 0;
    slider.setAttribute("aria-valuetext", t("ply_of", { ply, plies }));
    first.disabled = back.disabled = ply === 0;
    next.disabled = last.disabled = ply === plies;
    told.textContent = `${ply} / ${plies}`;
  }

  return { node, update };
}
