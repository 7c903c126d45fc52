// The position editor: choose a piece, touch squares. The server turns the squares into a position.

import { element, fill, shape } from "./dom.js";
import { inLanguage, t } from "./language.js";

/**
 * @import { Piece, Squares } from "../messages"
 * @import { Board } from "./board.js"
 * @import { Game } from "./game.js"
 */

export class Editor {
  /** @type {Squares["squares"]} */
  #squares = [];
  /** @type {Piece[]} the empty square comes first */
  #pieces = [];
  /** @type {string[]} the piece on each square */
  #letters = [];
  #piece = ""; // the selected piece
  #mover = 0;
  /** @type {Board | null} the board that shows the draft */
  #board = null;

  /**
   * `done(text)` opens the position; `cancel()` discards it.
   * @param {Game} game
   * @param {{ done: (text: string) => void, cancel: () => void }} ends
   */
  constructor(game, { done, cancel }) {
    this.game = game;
    this.done = done;
    this.palette = element("div", { class: "palette", role: "group", "aria-label": t("pieces") });
    this.movers = element("div", { class: "chips", role: "group", "aria-label": t("whose_move") });
    this.node = element(
      "section",
      { class: "editor" },
      element("h1", {}, t("set_up")),
      element("p", { class: "quiet" }, t("edit_help")),
      this.palette,
      this.movers,
      element(
        "div",
        { class: "row" },
        element("button", { class: "primary", "data-do": "edit-done", onclick: () => this.#finish() }, t("edit_done")),
        element("button", { "data-do": "edit-clear", onclick: () => this.#clear() }, t("edit_clear")),
        element("button", { class: "plain", "data-do": "edit-cancel", onclick: cancel }, t("cancel")),
      ),
    );
  }

  /** Fetch the squares of the shown position; false if that fails. */
  async begin() {
    const reply = /** @type {Squares | null} */ (await this.game.ask({ type: "edit" }));
    if (!reply) return false;
    this.#squares = reply.squares;
    this.#pieces = reply.pieces;
    this.#letters = [...reply.letters];
    this.#piece = reply.pieces[1].letter;
    this.#mover = reply.mover;
    this.movers.hidden = !reply.movers;
    this.#drawPalette();
    return true;
  }

  /**
   * Draw the draft over the board, and make every square touchable.
   * @param {Board} board
   */
  draw(board) {
    this.#board = board;
    this.#hideOld(board.picture);
    board.draft(this.#squares.map(([x, y], i) => this.#square(x, y, this.#letters[i])));
    /** @param {number} i */
    const words = (i) => t("square_holds", { n: i + 1, piece: this.#name(this.#letters[i]) });
    const choices = this.#squares.map((point, i) => ({ action: i, move: words(i), touch: [point] }));
    board.offer(choices, this.#tone(this.#piece));
  }

  /**
   * Hide texts below the board and rings around moves, which belong to the previous position.
   * @param {Element} picture
   */
  #hideOld(picture) {
    const lowest = Math.max(...this.#squares.map(([, y]) => y)) + 1.2;
    for (const text of picture.querySelectorAll("text")) {
      if (Number(text.getAttribute("y")) > lowest) text.classList.add("gone");
    }
    for (const ring of picture.querySelectorAll("circle[fill=none]")) ring.classList.add("gone");
  }

  /**
   * A touch: place the selected piece, or empty the square if the piece is there already.
   * @param {number} i
   */
  put(i) {
    this.#letters[i] = this.#letters[i] === this.#piece ? this.#pieces[0].letter : this.#piece;
    this.#redraw();
    this.#board?.focus();
  }

  #redraw() {
    if (this.#board) this.draw(this.#board);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {string} letter
   */
  #square(x, y, letter) {
    const tone = this.#tone(letter);
    /** @param {string} name */
    const filled = (name) => shape("rect", { class: name, x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92 });
    if (letter === this.#pieces[0].letter) return filled("tone-board");
    if (tone === "hole") return filled("tone-hole");
    const stone = shape("circle", { class: `tone-${tone} edge`, cx: x, cy: y, r: 0.4, "stroke-width": 0.03 });
    return shape("g", {}, filled("tone-board"), stone);
  }

  /** @param {string} letter */
  #tone(letter) {
    return this.#pieces.find((piece) => piece.letter === letter)?.tone ?? "text";
  }

  /**
   * The name of a piece: its seat, or its kind, or its letter.
   * @param {string} letter
   */
  #name(letter) {
    if (letter === this.#pieces[0].letter) return t("empty_square");
    const tone = this.#tone(letter);
    const seat = this.game.state?.seats.find((each) => each.tone === tone);
    return seat ? inLanguage(seat.name) : tone === "hole" ? t("blocked_square") : letter;
  }

  #drawPalette() {
    fill(
      this.palette,
      this.#pieces.map(({ letter, tone }, i) =>
        element(
          "button",
          { ...chip(letter === this.#piece, () => this.#choose(letter)), "data-piece": letter },
          i ? element("span", { class: `dot dot-${tone}`, "aria-hidden": "true" }) : null,
          this.#name(letter),
        ),
      ),
    );
    fill(
      this.movers,
      this.game.state?.seats.map((seat, i) =>
        element("button", chip(i === this.#mover, () => this.#turn(i)), t("to_move", { who: inLanguage(seat.name) })),
      ),
    );
  }

  /** @param {string} letter */
  #choose(letter) {
    this.#piece = letter;
    this.#drawPalette();
    this.#redraw();
    focus(this.palette, this.#pieces.findIndex((piece) => piece.letter === letter));
  }

  /** @param {number} seat */
  #turn(seat) {
    this.#mover = seat;
    this.#drawPalette();
    focus(this.movers, seat);
  }

  #clear() {
    this.#letters.fill(this.#pieces[0].letter);
    this.#redraw();
  }

  async #finish() {
    const letters = this.#letters.join("");
    const answer = await this.game.ask({ type: "arrange", letters, mover: this.#mover === 1 ? 1 : 0 });
    if (answer) this.done(answer.text);
  }
}

/**
 * @param {boolean} pressed
 * @param {() => void} onclick
 */
function chip(pressed, onclick) {
  return { class: "chip", "aria-pressed": String(pressed), onclick };
}

/**
 * @param {HTMLElement} group
 * @param {number} i
 */
function focus(group, i) {
  const child = group.children[i];
  if (child instanceof HTMLElement) child.focus();
}
