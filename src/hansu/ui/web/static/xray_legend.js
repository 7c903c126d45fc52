// What the signs of a searched tree mean.

import { element, shape } from "./dom.js";
import { inLanguage, t } from "./language.js";

/**
 * @import { XrayTold } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Tree } from "./tree.js"
 */

/**
 * @param {XrayTold} told
 * @param {Tree} tree
 * @param {GameInfo} info
 */
export function xrayLegend({ kind, cut }, tree, info) {
  const [first, second] = [inLanguage(info.seats[0]), inLanguage(info.seats[info.seats.length - 1])];
  /**
   * @param {SVGElement | string} sign
   * @param {string} words
   */
  const row = (sign, words) =>
    element("li", {}, element("span", { class: "sign", "aria-hidden": "true" }, sign), words);
  const bounds = kind === "bounds";
  return element(
    "ul",
    {},
    row(knob(info.tones[0], false), t(bounds ? "legend_max" : "legend_moves", { who: first })),
    row(knob(info.tones[1], true), t(bounds ? "legend_min" : "legend_moves", { who: second })),
    bounds ? row("(α, β)", t("legend_window")) : row("12", t("legend_visits", { who: first })),
    tree.all.some((one) => one.prior) ? row("34%", t("legend_prior")) : null,
    bounds && cut ? row("✂", t("legend_cut")) : null,
    row("+9", t("legend_folded")),
    tree.all.some((one) => tree.isGathered(one)) ? row(pill(), t("legend_rest")) : null,
  );
}

/**
 * @param {string} tone
 * @param {boolean} square
 */
function knob(tone, square) {
  const inside = square
    ? shape("rect", { class: `tone-${tone}`, x: 1, y: 1, width: 12, height: 12, rx: 2 })
    : shape("circle", { class: `tone-${tone}`, cx: 7, cy: 7, r: 6 });
  return shape("svg", { viewBox: "0 0 14 14", width: 14, height: 14 }, inside);
}

function pill() {
  const outline = shape("rect", { class: "pill", x: 1, y: 1, width: 26, height: 12, rx: 6 });
  const words = shape("text", { x: 14, y: 10.5, "font-size": 9, "text-anchor": "middle" }, "+9");
  return shape("svg", { viewBox: "0 0 28 14", width: 28, height: 14 }, outline, words);
}
