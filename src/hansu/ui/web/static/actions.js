// Below the board: moves without a place on it (a pass, a swap), the choice between several moves, and a steering pad.

import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";

/**
 * @import { Choice } from "../messages"
 * @import { Direction, Offered } from "./board.js"
 * @import { Game } from "./game.js"
 */

/** @type {[Direction, string][]} */
const PAD = [["up", "up"], ["left", "back"], ["stop", "stop"], ["right", "next"], ["down", "down"]];
const MANY = 60; // more moves than this are shown as a list

/**
 * `steer` is set in games with steering.
 * @param {Game} game
 * @param {{ choose: (choice: Offered) => void, steer: ((way: Direction | null) => void) | null }} acts
 */
export function actions(game, { choose, steer }) {
  const buttons = element("div", { class: "buttons" });
  const pad = steer ? PAD.map(([way, drawing]) => padButton(way, drawing, steer)) : [];
  const group = { class: "pad", role: "group", "aria-label": t("steer") };
  const node = element("div", { class: "actions" }, buttons, steer ? element("div", group, pad) : null);
  /** @type {Offered[] | null} the moves that one touch could mean */
  let asked = null;

  function update() {
    /** @type {Choice[]} */
    const choices = (game.personToMove && game.state?.choices) || [];
    if (asked && !asked.every((one) => choices.some((choice) => choice === one))) asked = null;
    const off = choices.filter((choice) => choice.touch.length === 0 && !choice.key);
    node.classList.toggle("asking", asked !== null);
    fill(buttons, asked ? element("span", { class: "which" }, t("which_one")) : null, list(asked ?? off));
    for (const button of pad) {
      const possible = choices.some((choice) => choice.key === button.dataset.key);
      button.setAttribute("aria-disabled", String(!possible));
      if (button.dataset.key === "stop") button.hidden = !possible;
    }
  }

  /** @param {Offered[]} choices */
  function list(choices) {
    if (choices.length > MANY) {
      const options = choices.map((choice, i) => element("option", { value: i }, choice.move));
      const select = element("select", { "aria-label": t("moves") }, options);
      return [select, element("button", { onclick: () => choose(choices[Number(select.value)]) }, t("play_it"))];
    }
    return choices.map((choice) =>
      element("button", { class: "move", "data-move": choice.move, onclick: () => choose(choice) }, choice.move),
    );
  }

  return {
    node,
    update,
    /**
     * Let a person choose one of these moves.
     * @param {Offered[]} choices
     */
    ask(choices) {
      asked = choices;
      update();
      node.querySelector("button")?.focus();
    },
  };
}

/**
 * Created once: a button must not disappear while a finger holds it.
 * @param {Direction} way
 * @param {string} drawing
 * @param {(way: Direction | null) => void} steer
 */
function padButton(way, drawing, steer) {
  /** @param {MouseEvent} event */
  const click = (event) => {
    if (event.detail !== 0) return; // a pointer's click: its down and up were handled already
    steer(way);
    steer(null);
  };
  return element(
    "button",
    {
      class: `pad-${way}`,
      "data-key": way,
      "aria-label": t(`steer_${way}`),
      onpointerdown: () => steer(way),
      onpointerup: () => steer(null),
      onpointerleave: () => steer(null),
      onclick: click,
    },
    icon(drawing),
  );
}
