// The moves so far, numbered; pressing one goes to the position after it, holding one only shows it.

import { element } from "./dom.js";
import { GRADES } from "./grade.js";
import { holdable } from "./hold.js";
import { t } from "./language.js";
import { reviewOf } from "./review.js";

/**
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 */

const SIGNS = ["", "", "?!", "?", "??"]; // how chess players write grades

/**
 * @param {Game} game
 * @param {Preview} preview
 */
export function moveList(game, preview) {
  const list = element("ol", { class: "moves" });
  const empty = element("p", { class: "quiet" }, t("no_moves"));
  const node = element(
    "details",
    { class: "panel", open: true },
    element("summary", {}, element("h2", {}, t("moves"))),
    empty,
    list,
  );
  /** @type {ReturnType<typeof entry>[]} */
  const entries = [];
  let frame = 0;
  /** @type {HTMLElement | null} an entry to scroll to */
  let current = null;

  function update() {
    const { moves, movers, state } = game;
    if (!state) return;
    empty.hidden = moves.length > 0;
    const judged = new Map(reviewOf(game).moves.map((one) => [one.ply, one]));
    for (const left of entries.splice(moves.length)) left.item.remove();
    moves.forEach((move, i) => {
      entries[i] ??= entry(i);
      const { item, button, spot, text, mark } = entries[i];
      const grade = judged.get(i)?.grade ?? 0;
      const sign = SIGNS[grade] + (judged.get(i)?.turned ? "⇄" : "");
      if (mark.textContent !== sign) {
        mark.textContent = sign;
        mark.setAttribute("class", `move-mark mark-${grade}`);
        mark.setAttribute("aria-label", grade > 1 ? t(`grade_${GRADES[grade]}`) : "");
      }
      if (text.textContent !== move) text.textContent = move;
      const tone = `dot dot-${state.seats[movers[i]]?.tone ?? "chance"}`;
      if (spot.className !== tone) spot.className = tone;
      const here = state.ply === i + 1;
      if (here === button.hasAttribute("aria-current")) return;
      if (here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (here) current = item;
    });
    // Once a frame: machines at full speed move more often, and each look at a place costs a layout.
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (current && node.open) list.scrollTo({ top: current.offsetTop - list.clientHeight / 2 });
      current = null;
    });
  }

  /** @param {number} i */
  function entry(i) {
    const [spot, text] = [element("span", { "aria-hidden": "true" }), element("span")];
    const mark = element("span", { class: "move-mark", role: "img" });
    const button = element("button", { class: "ply-button", onclick: () => game.jump(i + 1) }, spot, text, mark);
    holdable(button, { show: () => preview.glance(i + 1), leave: () => preview.leave(true) });
    const item = element("li", {}, button);
    list.append(item);
    return { item, button, spot, text, mark };
  }

  return { node, update };
}
