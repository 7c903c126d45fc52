// A quick look at all moves of a position, asked for where values are to be shown on the board. Nobody has to wait for
// it, so only a quiet line says that it is on its way, or that nothing came of it.

import { compilingBar, compilingText } from "./compiling.js";
import { element, fill } from "./dom.js";
import { heatChoice } from "./heat_switch.js";
import { count, t } from "./language.js";

/** @import { Game, Task } from "./game.js" */

const SECONDS = 2;
const LONGER = 20; // where somebody does wait for it

export class Glance {
  #shown = "";
  #nothingAt = ""; // a position where it has ended without an answer

  /**
   * @param {Game} game
   * @param {string} analyst
   * @param {boolean} wanted in play; an analysis tells of itself
   */
  constructor(game, analyst, wanted) {
    this.game = game;
    this.analyst = analyst;
    this.wanted = wanted;
    this.node = element("p", { class: "glance quiet", hidden: true });
  }

  /** Where nothing is known of the moves yet, ask. */
  async ask(seconds = SECONDS) {
    if (!this.#missing || this.game.busy) return;
    const here = this.#here;
    this.#nothingAt = "";
    const answer = this.game.values(this.analyst, seconds);
    this.update();
    await answer;
    this.#nothingAt = here;
    this.update();
  }

  get #here() {
    const { state } = this.game;
    return `${state?.game} ${state?.position} ${state?.ply}`;
  }

  /** Are values wanted for a move that a person has to make, and not there? */
  get #missing() {
    const { game } = this;
    const { state } = game;
    if (!this.wanted || heatChoice() === "off" || !state || !game.personToMove || !game.atEnd) return false;
    return (game.foundAt(state.ply)?.moves.length ?? 0) < Math.min(2, state.choices.length);
  }

  update() {
    const { task, online, busy } = this.game;
    this.node.hidden = !this.wanted || heatChoice() === "off"; // its line stays, so that nothing jumps
    const nothing = this.#nothingAt === this.#here ? t("glance_nothing") : "";
    const words = !this.#missing || !online ? "" : busy ? onItsWay(task) : nothing;
    const bar = words && task?.compiling ? compilingBar(task.compiling) : null;
    const shown = `${words} ${bar?.value}`;
    if (shown === this.#shown) return; // a button that has the focus keeps it
    this.#shown = shown;
    const again = { class: "plain", "data-do": "glance", onclick: () => this.ask(LONGER) };
    fill(this.node, words, bar, words && !busy ? element("button", again, t("glance_again")) : null);
    this.node.classList.toggle("busy", Boolean(words && busy));
  }
}

/** @param {Task | null} task null: the server has not begun yet */
function onItsWay(task) {
  if (!task) return t("glance_looks");
  const { quiet, compiling, queued } = task;
  if (!quiet) return ""; // the line over the board speaks of it
  if (compiling) return compilingText(compiling);
  return queued ? count("queued", queued) : t("glance_looks");
}
