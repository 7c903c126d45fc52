// What glows on the board: nothing, the value of each move, or how often a search visited it.

import { element } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";
import { preference, setPreference } from "./preferences.js";

/** @import { Glance } from "./glance.js" */

/** @typedef {"off" | "value" | "visits"} Heat */

/** @type {Heat[]} */
const WAYS = ["off", "value", "visits"];

export function heatChoice() {
  return WAYS.find((way) => way === preference("heat")) ?? "off";
}

/**
 * @param {Glance} glance asks for values that are not there yet
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
