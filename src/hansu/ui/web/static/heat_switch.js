// What glows on the board: nothing, the value of each move, or how often a search visited it.

import { element } from "./dom.js";
import { icon } from "./icons.js";
import { keep, kept } from "./memory.js";
import { t } from "./language.js";

const WAYS = ["off", "value", "visits"];

export function heatChoice() {
  const way = kept("heat");
  return WAYS.includes(way) ? way : "off";
}

export function heatSwitch(onchange) {
  const buttons = WAYS.map((way) =>
    element("button", { class: "segment", "data-heat": way, onclick: () => set(way) }, t(`heat_${way}`)),
  );
  const name = element("span", { class: "segments-name" }, icon("heat"), t("heat"));
  const node = element("div", { class: "segments", role: "group", "aria-label": t("heat") }, name, buttons);

  function set(way) {
    keep("heat", way);
    draw();
    onchange(way);
  }

  function draw() {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.heat === heatChoice()));
  }

  draw();
  return { node, update: draw, next: () => set(WAYS[(WAYS.indexOf(heatChoice()) + 1) % WAYS.length]) };
}
