// Previews: positions on the board without playing their moves, and buttons that show one while held.

/**
 * @import { LineReply } from "../messages"
 * @import { Game } from "./game.js"
 */

export class Preview {
  on = false; // whether the board shows a preview
  kept = false; // whether it stays when the pointer leaves
  at = -1;
  line = ""; // the previewed line
  /** @type {Map<string, Promise<LineReply | null>>} line -> its pictures */
  #frames = new Map();
  #turn = 0;

  /**
   * `show` puts a picture on the board, `restore` the actual position.
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
    const done = game.state.ply - ply; // moves of the line that are on the board already
    const follows = done >= 0 && line.slice(0, done).every((move, k) => move === game.moves[ply + k]);
    if (!follows || i < done) {
      if (!keep) return;
      await game.jump(follows ? ply + i + 1 : ply);
      if (!follows) await this.show(ply, line, i, keep);
      return;
    }
    const reply = await this.#framesOf(line.slice(done));
    const frame = reply?.frames[i - done];
    if (!frame || turn !== this.#turn) return;
    this.on = true;
    this.kept = keep;
    this.board.show(frame.svg);
    mark(keep ? i : -1, line);
  }

  /**
   * Show another position of the game while a move of the list is held.
   * @param {number} ply
   */
  async glance(ply) {
    const turn = ++this.#turn;
    const reply = await this.game.line([this.game.moves[ply - 1]], ply - 1);
    if (!reply?.frames.length || turn !== this.#turn) return;
    this.on = true;
    this.kept = false;
    this.board.show(reply.frames[0].svg);
  }

  /** The pointer has left; `forGood` also ends a kept preview. */
  leave(forGood = false) {
    if (this.kept && !forGood) return;
    this.#turn++;
    this.at = -1;
    if (!this.on) return;
    this.#clear();
    this.board.restore();
  }

  /** The position has changed. */
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
 * Mark the button of one move of a line as pressed.
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
  /** @param {Event} event the browser's click or menu after a long press */
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
