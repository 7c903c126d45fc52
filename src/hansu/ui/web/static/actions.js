// Under the board: moves that have no place on it (a pass, a swap), several meanings of one touch, and a pad to steer.

import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";

const PAD = { up: "up", left: "back", stop: "stop", right: "next", down: "down" };
const MANY = 60; // more moves than this go into a list

export function actions(page) {
  const buttons = element("div", { class: "buttons" });
  const pad = page.info.steering ? steeringPad(page) : null;
  const node = element("div", { class: "actions" }, buttons, pad);
  let asked = null; // choices that one touch means

  function update() {
    const { game } = page;
    const choices = game.personToMove ? game.state.choices : [];
    if (asked && !asked.every((one) => choices.includes(one))) asked = null;
    const off = choices.filter((choice) => choice.touch.length === 0 && !choice.key);
    node.classList.toggle("asking", asked !== null);
    fill(buttons, asked ? element("span", { class: "which" }, t("which_one")) : null, list(asked ?? off));
    for (const button of pad?.children ?? []) {
      const possible = choices.some((choice) => choice.key === button.dataset.key);
      button.setAttribute("aria-disabled", String(!possible));
      if (button.dataset.key === "stop") button.hidden = !possible;
    }
  }

  function list(choices) {
    if (choices.length > MANY) {
      const options = choices.map((choice, i) => element("option", { value: i }, choice.move));
      const select = element("select", { "aria-label": t("moves") }, options);
      const go = element("button", { onclick: () => page.choose(choices[Number(select.value)]) }, t("play_it"));
      return [select, go];
    }
    return choices.map((choice) =>
      element("button", { class: "move", "data-move": choice.move, onclick: () => page.choose(choice) }, choice.move),
    );
  }

  return {
    node,
    update,
    ask(choices) {
      asked = choices;
      update();
      node.querySelector("button")?.focus();
    },
  };
}

/** Made once: a button must not go away under a finger that holds it. */
function steeringPad(page) {
  return element(
    "div",
    { class: "pad", role: "group", "aria-label": t("steer") },
    Object.entries(PAD).map(([key, drawing]) =>
      element(
        "button",
        {
          class: `pad-${key}`,
          "data-key": key,
          "aria-label": t(`steer_${key}`),
          onpointerdown: () => page.steer(key),
          onpointerup: () => page.steer(null),
          onpointerleave: () => page.steer(null),
          onclick: (event) => event.detail === 0 && (page.steer(key), page.steer(null)),
        },
        icon(drawing),
      ),
    ),
  );
}
