// Steering by arrow keys, swipes or the pad: a press is one step at least, holding goes on step by step.

const BEAT = 130; // milliseconds between two steps of a held key

/** @import { Choice } from "../messages" */
/** @import { Direction } from "./board.js" */

export class Steering {
  /** @type {Direction | null} the direction that is held now */
  #held = null;
  /** @type {Direction | null} a press that has not been answered by a step yet */
  #wish = null;
  #last = 0;
  #timer = 0;

  /**
   * @param {() => Choice[]} choices what may be played now
   * @param {(choice: Choice) => void} play
   */
  constructor(choices, play) {
    this.choices = choices;
    this.play = play;
  }

  /**
   * A direction is pressed, or (null) let go.
   * @param {Direction | null} key
   */
  press(key) {
    if (key !== null && key === this.#held) return;
    this.#held = key;
    if (key !== null) {
      this.#wish = key;
      this.go();
    }
  }

  /** Called whenever it may be the person's turn again. */
  go() {
    clearTimeout(this.#timer);
    const key = this.#wish ?? this.#held;
    if (key === null) return;
    const choice = this.choices().find((one) => one.key === key);
    if (!choice) {
      if (this.choices().length) this.#wish = null; // a wall
      return;
    }
    const wait = this.#last + BEAT - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.go(), wait);
      return;
    }
    this.#wish = null;
    this.#last = performance.now();
    this.play(choice);
  }
}
