// Setting up a position by hand: choose a piece, touch squares. The server says what the squares make.

import { element, fill, shape } from "./dom.js";
import { inLanguage, t } from "./language.js";

export class Editor {
  #told = null; // the server's squares
  #letters = [];
  #piece = "";
  #mover = 0;

  /** `done(text)` when the position is to be shown; `cancel()` when it is not. */
  constructor(page, { done, cancel }) {
    this.page = page;
    this.done = done;
    this.cancel = cancel;
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
        element("button", { class: "plain", "data-do": "edit-cancel", onclick: () => cancel() }, t("cancel")),
      ),
    );
  }

  /** Ask for the squares of the shown position; false where there are none. */
  async begin() {
    this.#told = await this.page.game.squares();
    if (!this.#told) return false;
    this.#letters = [...this.#told.letters];
    this.#piece = this.#told.pieces[1].letter;
    this.#mover = this.#told.mover;
    this.#drawPalette();
    return true;
  }

  /** Draw the draft over the board, and make every square touchable. */
  draw(board) {
    const { squares } = this.#told;
    board.draft(squares.map(([x, y], i) => this.#square(x, y, this.#letters[i])));
    const words = (i) => t("square_holds", { n: i + 1, piece: this.#letters[i] });
    const choices = squares.map((point, i) => ({ action: i, move: words(i), touch: [point] }));
    board.offer(choices, this.#tone(this.#piece));
  }

  /** A touch: the chosen piece, or nothing where it lies already. */
  put(i) {
    const [empty] = this.#told.pieces;
    this.#letters[i] = this.#letters[i] === this.#piece ? empty.letter : this.#piece;
    this.draw(this.page.board);
    this.page.board.focus();
  }

  #square(x, y, letter) {
    const empty = letter === this.#told.pieces[0].letter;
    const tone = this.#tone(letter);
    const filled = (name) => shape("rect", { class: name, x: x - 0.46, y: y - 0.46, width: 0.92, height: 0.92 });
    if (empty) return filled("tone-board");
    if (tone === "hole") return filled("tone-hole");
    const stone = shape("circle", { class: `tone-${tone} edge`, cx: x, cy: y, r: 0.4, "stroke-width": 0.03 });
    return shape("g", {}, filled("tone-board"), stone);
  }

  #tone(letter) {
    return this.#told.pieces.find((piece) => piece.letter === letter)?.tone ?? "text";
  }

  #drawPalette() {
    fill(
      this.palette,
      this.#told.pieces.map(({ letter, tone }, i) =>
        element(
          "button",
          { ...chip(letter === this.#piece, () => this.#choose(letter)), "data-piece": letter },
          i ? element("span", { class: `dot dot-${tone}`, "aria-hidden": "true" }) : null,
          i ? letter : t("empty_square"),
        ),
      ),
    );
    this.movers.hidden = !this.#told.movers;
    fill(
      this.movers,
      this.page.game.state.seats.map((seat, i) =>
        element("button", chip(i === this.#mover, () => this.#turn(i)), t("to_move", { who: inLanguage(seat.name) })),
      ),
    );
  }

  #choose(letter) {
    this.#piece = letter;
    this.#drawPalette();
    this.draw(this.page.board);
    this.palette.querySelector(`[data-piece="${CSS.escape(letter)}"]`).focus();
  }

  #turn(seat) {
    this.#mover = seat;
    this.#drawPalette();
    this.movers.children[seat].focus();
  }

  #clear() {
    this.#letters.fill(this.#told.pieces[0].letter);
    this.draw(this.page.board);
  }

  async #finish() {
    const answer = await this.page.game.arrange(this.#letters.join(""), this.#mover);
    if (answer) this.done(answer.text);
  }
}

function chip(pressed, onclick) {
  return { class: "chip", "aria-pressed": String(pressed), onclick };
}
