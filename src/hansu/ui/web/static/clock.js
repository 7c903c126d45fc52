// A game clock for people: minutes per player and an increment per move. Only the page measures the time, so the
// players have to trust each other. Machines have their own limits.

import { element } from "./dom.js";
import { t } from "./language.js";

/** @import { Game } from "./game.js" */

const TICK = 200; // milliseconds
const LOW = 20_000; // milliseconds: the clock warns below this time
const WRITTEN = /^(\d{1,3}(?:\.\d{1,2})?)\+(\d{1,3})$/;

/**
 * "5+3" -> five minutes and three seconds a move, in milliseconds; null: no clock.
 * @param {string} text
 */
export function readClock(text) {
  const match = WRITTEN.exec(text);
  if (!match || Number(match[1]) <= 0) return null;
  return { whole: Number(match[1]) * 60_000, more: Number(match[2]) * 1000 };
}

export class Clock {
  /** @type {[number, number]} milliseconds of each seat when its turn began */
  left = [0, 0];
  faces = [0, 1].map(() => element("span", { class: "clock", role: "timer", hidden: true }));
  #seat = -1; // whose clock runs
  #since = 0;
  #plies = 0;
  #timer = 0;
  #text = "";

  /** @param {Game} game */
  constructor(game) {
    this.game = game;
  }

  get #time() {
    return readClock(this.#text);
  }

  /**
   * Start the clock of a new or continued game.
   * @param {[number, number] | null} left
   */
  begin(left = null) {
    this.#seat = -1;
    this.#text = this.game.setup?.clock ?? "";
    const whole = this.#time?.whole ?? 0;
    this.left = left ?? [whole, whole];
    this.#plies = this.game.moves.length;
    this.update();
  }

  /** After any change of the game; `playing`: not in an analysis. */
  update(playing = true) {
    const { game } = this;
    const { state } = game;
    if (!state || (playing && game.setup?.clock !== this.#text)) return;
    const on = playing && this.#time !== null;
    let seat = this.#seat;
    if (!on || game.over || !game.online) seat = -1;
    else if (game.atEnd) seat = state.seats[state.mover]?.human ? state.mover : -1;
    if (seat !== this.#seat) this.#turn(seat);
    this.#plies = game.moves.length;
    state.seats.forEach(({ human }, i) => {
      this.faces[i].hidden = !on || !human;
    });
    this.#draw();
    clearInterval(this.#timer);
    if (seat >= 0) this.#timer = setInterval(() => this.#tick(), TICK);
  }

  /** @param {number} seat whose turn it is now */
  #turn(seat) {
    if (this.#seat >= 0) {
      const moved = this.game.moves.length > this.#plies;
      this.left[this.#seat] = this.now(this.#seat) + (moved ? (this.#time?.more ?? 0) : 0);
    }
    this.#seat = seat;
    this.#since = performance.now();
  }

  /** @returns {[number, number]} the remaining time of each seat */
  get times() {
    return [this.now(0), this.now(1)];
  }

  /** @param {number} seat */
  now(seat) {
    const spent = seat === this.#seat ? performance.now() - this.#since : 0;
    return Math.max(this.left[seat] - spent, 0);
  }

  #tick() {
    this.#draw();
    const seat = this.#seat;
    if (seat < 0 || this.now(seat) > 0) return;
    this.#turn(-1);
    clearInterval(this.#timer);
    this.game.resign(seat === 0 ? 0 : 1, true);
  }

  #draw() {
    this.faces.forEach((face, seat) => {
      const left = this.now(seat);
      const seconds = Math.ceil(left / 1000);
      face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      face.setAttribute("aria-label", t("clock_left", { text: face.textContent }));
      face.classList.toggle("low", left < LOW);
      face.classList.toggle("runs", seat === this.#seat);
    });
  }
}
