// Over the board: who plays which side, whose turn it is, and what is going on.

import { element, fill } from "./dom.js";
import { inLanguage, t } from "./language.js";
import { fullName } from "./names.js";
import { dot } from "./picker.js";

/**
 * @import { Clock } from "./clock.js"
 * @import { Game } from "./game.js"
 * @import { status } from "./status.js"
 */

const ROOM = 18; // characters of a name on one line

/**
 * `names`: are the players told, or only the sides?
 * @param {Game} game
 * @param {{ names: boolean, clock: Clock, status: () => ReturnType<typeof status> }} more
 */
export function seats(game, { names, clock, status: now }) {
  const sides = [element("div", { class: "seat" }), element("div", { class: "seat right" })];
  const line = element("p", { class: "status", id: "status" });
  const node = element("div", { class: "seats" }, sides[0], line, sides[1]);

  function update() {
    const { state } = game;
    node.classList.toggle("offline", !game.online && state !== null);
    if (!state) {
      fill(line, game.online || !game.waiting ? t("opening") : t("no_server"));
      return;
    }
    state.seats.forEach((seat, i) => {
      const name = seat.human ? (game.people === 1 ? t("you") : t("a_person")) : fullName(game.info, seat.player);
      const turn = !state.over && state.mover === i;
      sides[i].classList.toggle("turn", turn);
      sides[i].classList.toggle("won", state.over && state.result?.winner === i);
      sides[i].classList.toggle("thinks", turn && game.thinkingMove);
      sides[i].classList.toggle("long", names && name.length > ROOM);
      const words = names ? element("span", { class: "who", title: name }, name) : null;
      fill(sides[i], dot(seat.tone), element("strong", {}, inLanguage(seat.name)), words, clock.faces[i]);
    });
    const { text, kind, action } = now();
    node.dataset.kind = kind;
    fill(line, element("span", {}, text), action ?? null);
  }

  return { node, update };
}
