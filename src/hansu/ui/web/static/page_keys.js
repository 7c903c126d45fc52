// The keys of a game's page, mode by mode, and steering by keys, swipes or the pad.

import { isIn, listen } from "./keys.js";

/**
 * @import { Choice } from "../messages"
 * @import { Direction } from "./board.js"
 * @import { Game } from "./game.js"
 * @import { KeyAct } from "./keys.js"
 * @import { Commands } from "./page.js"
 * @import { Mode } from "./saved_game.js"
 */

/**
 * @typedef {Commands & {
 *   focus: () => void, onBoard: () => boolean, nextHeat: () => void, run: () => void,
 *   steer: (way: Direction | null) => void, write: (move: string) => unknown,
 * }} KeyCommands
 */

/** @type {Record<string, Direction>} */
const ARROWS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
/** @type {Record<string, number>} */
const STEPS = { left: -1, right: 1 };
/** @type {Record<string, Direction>} */
const LETTERS = { w: "up", a: "left", s: "down", d: "right" };

/**
 * @param {Game} game
 * @param {{ mode: Mode, steering: boolean, signal: AbortSignal }} page
 * @param {KeyCommands} commands
 */
export function listenToKeys(game, { mode, steering, signal }, commands) {
  const table = {
    ...anywhere(steering, commands, mode === "setup" ? null : (by) => game.jump((game.state?.ply ?? 0) + by)),
    ...(mode === "setup" ? {} : withGame(game, commands)),
    ...(mode === "play" ? playing(game, steering, commands) : {}),
    ...(mode === "analysis" ? { " ": commands.run, a: commands.leave } : {}),
  };
  /**
   * Without a board, keys do nothing.
   * @param {KeyAct} act
   * @returns {KeyAct}
   */
  const ready = (act) => (event) => (game.state ? act(event) : false);
  listen(Object.fromEntries(Object.entries(table).map(([key, act]) => [key, ready(act)])), signal);
  /** @param {KeyboardEvent} event */
  const release = (event) => {
    if (event.key in ARROWS || event.key in LETTERS) commands.steer(null);
  };
  addEventListener("keyup", release, { signal });
  addEventListener("blur", () => commands.steer(null), { signal });
}

/**
 * Left and right step through an open game; on the board, arrows move between the legal moves.
 * @param {boolean} steering
 * @param {KeyCommands} commands
 * @param {((by: number) => void) | null} step
 */
function anywhere(steering, { focus, onBoard, nextHeat, xray, steer, write }, step) {
  /** @type {Record<string, KeyAct>} */
  const table = { b: focus, m: nextHeat, x: xray };
  for (const [key, way] of Object.entries(ARROWS)) {
    table[key] = (event) => {
      if (isIn(event, "[role=slider], input, summary")) return false;
      if (steering) return steer(way);
      if (onBoard()) return false;
      return step && way in STEPS ? step(STEPS[way]) : focus();
    };
  }
  for (const digit of "123456789") table[digit] = () => write(digit);
  return table;
}

/**
 * @param {Game} game
 * @param {KeyCommands} commands
 * @returns {Record<string, KeyAct>}
 */
function withGame(game, { undo, review }) {
  const ply = () => game.state?.ply ?? 0;
  return {
    ",": () => game.jump(ply() - 1),
    ".": () => game.jump(ply() + 1),
    Home: (event) => (isIn(event, "input") ? false : game.jump(0)),
    End: (event) => (isIn(event, "input") ? false : game.jump(game.moves.length)),
    u: undo,
    r: review,
  };
}

/**
 * @param {Game} game
 * @param {boolean} steering
 * @param {KeyCommands} commands
 */
function playing(game, steering, { hint, again, change, swap, analyse, run, steer }) {
  /** @type {Record<string, KeyAct>} */
  const table = {
    h: hint,
    n: again,
    s: change,
    w: swap,
    a: analyse,
    "]": () => game.people === 0 && game.step(),
    " ": () => (game.people === 0 ? run() : false),
  };
  if (!steering) return table;
  for (const [key, way] of Object.entries(LETTERS)) table[key] = () => (game.people ? steer(way) : false);
  return table;
}

const BEAT = 130; // milliseconds between two steps of a held key

export class Steering {
  /** @type {Direction | null} the pressed direction */
  #held = null;
  /** @type {Direction | null} a press without a step so far */
  #wish = null;
  #last = 0;
  #timer = 0;

  /**
   * @param {() => Choice[]} choices the legal moves
   * @param {(choice: Choice) => void} play
   */
  constructor(choices, play) {
    this.choices = choices;
    this.play = play;
  }

  /**
   * A direction is pressed or (null) released.
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

  /** Call whenever it may be the person's turn again. */
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
