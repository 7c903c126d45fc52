// Previews: other positions on the board without playing them, and buttons that show one while they are held.

/**
 * @import { LineReply } from "../messages"
 * @import { Game } from "./game.js"
 */

export class Preview {
  on = false; // does the board show a position of a line?
  kept = false; // until something else happens, or only while the pointer is there?
  at = -1;
  line = ""; // that is looked along
  /** @type {Map<string, Promise<LineReply | null>>} line -> its pictures */
  #frames = new Map();
  #turn = 0;

  /**
   * `show` puts a picture on the board, `restore` the true position.
   * @param {Game} game
   * @param {{ show: (svg: string) => void, restore: () => void }} board
   */
  constructor(game, board) {
    this.game = game;
    this.board = board;
  }

  /**
   * Show the position after move `i` of a line that begins at `ply`.
   * @param {number} ply
   * @param {string[]} line
   * @param {number} i
   * @param {boolean} keep
   * @returns {Promise<void>}
   */
  async show(ply, line, i, keep) {
    const { game } = this;
    const same = this.at === i && this.line === line.join(" ");
    if (!game.state || (!keep && (this.kept || same))) return;
    if (keep && this.kept && same) {
      this.leave(true);
      return;
    }
    const turn = ++this.#turn;
    this.at = i;
    this.line = line.join(" ");
    const done = game.state.ply - ply; // so many moves of the line are on the board already
    const follows = done >= 0 && line.slice(0, done).every((move, k) => move === game.moves[ply + k]);
    if (!follows || i < done) {
      if (!keep) return;
      await game.jump(follows ? ply + i + 1 : ply);
      if (!follows) await this.show(ply, line, i, keep);
      return;
    }
    const told = await this.#framesOf(line.slice(done));
    const frame = told?.frames[i - done];
    if (!frame || turn !== this.#turn) return;
    this.on = true;
    this.kept = keep;
    this.board.show(frame.svg);
    mark(keep ? i : -1, line);
  }

  /**
   * Show an earlier or later position of the game, while a move of the list is held.
   * @param {number} ply
   */
  async glance(ply) {
    const turn = ++this.#turn;
    const told = await this.game.line([this.game.moves[ply - 1]], ply - 1);
    if (!told?.frames.length || turn !== this.#turn) return;
    this.on = true;
    this.kept = false;
    this.board.show(told.frames[0].svg);
  }

  /** The pointer went away, or (for good) the line was given up. */
  leave(forGood = false) {
    if (this.kept && !forGood) return;
    this.#turn++;
    this.at = -1;
    if (!this.on) return;
    this.#clear();
    this.board.restore();
  }

  /** The game went on. */
  forget() {
    this.#turn++;
    this.#frames.clear();
    this.#clear();
  }

  #clear() {
    this.on = this.kept = false;
    this.at = -1;
    mark(-1);
  }

  /** @param {string[]} line */
  #framesOf(line) {
    const key = line.join(" ");
    const known = this.#frames.get(key) ?? this.game.line(line);
    this.#frames.set(key, known);
    return known;
  }
}

/**
 * Press the button of a move of a line, and let go of the others.
 * @param {number} i
 * @param {string[]} line
 */
function mark(i, line = []) {
  const walk = line.join(" ");
  for (const button of document.querySelectorAll("[data-line]")) {
    const here = button.getAttribute("data-line") === String(i) && button.getAttribute("data-walk") === walk;
    button.setAttribute("aria-pressed", String(here));
  }
}

const HELD_AFTER = 300; // milliseconds

/**
 * @param {HTMLButtonElement} button
 * @param {{ show: () => unknown, leave: () => void }} acts
 */
export function holdable(button, { show, leave }) {
  let timer = 0;
  let held = false;

  /** @param {PointerEvent} event */
  const down = (event) => {
    held = false;
    if (event.button !== 0) return;
    timer = setTimeout(() => {
      held = true;
      show();
    }, HELD_AFTER);
  };
  const up = () => {
    clearTimeout(timer);
    if (held) leave();
  };
  /** @param {Event} event what a browser makes of a long press */
  const swallow = (event) => {
    if (!held) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  button.classList.add("holdable");
  button.addEventListener("pointerdown", down);
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(end, up);
  for (const name of ["click", "contextmenu"]) button.addEventListener(name, swallow, { capture: true });
  return button;
}
