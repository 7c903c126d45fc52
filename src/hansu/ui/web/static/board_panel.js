// The board of a game's page: the shown position, a preview or the editor, with targets and the overlay.

import { Board } from "./board.js";
import { element, fill } from "./dom.js";
import { heat, heatChoice } from "./heat.js";
import { inLanguage, t } from "./language.js";
import { notify } from "./notices.js";
import { Preview } from "./preview.js";
import { boardWords } from "./status.js";

/**
 * @import { Choice, State } from "../messages"
 * @import { BoardListener } from "./board.js"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Editor } from "./editor.js"
 * @import { Change, Game } from "./game.js"
 * @import { Point } from "./touch.js"
 */

export class BoardPanel {
  /** @type {{ ply: number, move: string | null } | null} the requested hint */
  hinted = null;
  /** @type {Editor | null} the position editor, while it is open */
  editor = null;
  /** @type {string | null} the move under the pointer in a table */
  #pointed = null;
  /** @type {State | null} the state whose picture is on the board */
  #drawn = null;

  /**
   * `redraw` redraws the whole page.
   * @param {Game} game
   * @param {GameInfo} info
   * @param {Omit<BoardListener, "missed"> & { redraw: (what: Change) => void }} listener
   */
  constructor(game, info, listener) {
    this.game = game;
    this.info = info;
    this.listener = listener;
    this.preview = new Preview(game, {
      show: (svg) => this.#lookAhead(svg),
      restore: () => this.#restore(),
    });
    this.board = this.#newBoard();
    this.text = element("p", { class: "unseen", id: "board-text" }); // for screen readers
    this.node = element("div", { class: "board-frame" }, this.board.node, this.text);
  }

  #newBoard() {
    const { info, listener } = this;
    const label = t("board_of", { game: inLanguage(info.title) });
    const about = { columns: info.columns, steering: info.steering, label };
    const board = new Board(about, { ...listener, missed: (point) => this.#missed(point) });
    board.over.setAttribute("aria-describedby", "board-text");
    return board;
  }

  /**
   * A touch where no move is legal: if a rule forbids it, show which.
   * @param {Point} point
   */
  async #missed([x, y]) {
    if (!this.info.barred || this.editor) return;
    const why = inLanguage((await this.game.ask({ type: "barred", x, y }))?.why);
    if (why) notify(why);
  }

  /** Rebuild after a change of language or mode. */
  renew() {
    this.#drawn = null;
    this.board = this.#newBoard();
    fill(this.node, this.board.node, this.text);
  }

  /**
   * @param {Change} what has changed
   * @param {Choice[]} choices the legal moves
   * @param {boolean} thoughts whether the overlay is shown
   */
  draw(what, choices, thoughts) {
    const { board, text, game: { state } } = this;
    if (!state) return;
    if (this.#drawn !== state && !this.preview.on) {
      board.show(state.svg, state.width, state.height, { animate: this.#drawn !== null });
      this.#drawn = state;
      this.#pointed = null;
      text.textContent = boardWords(state);
    }
    board.node.classList.toggle("previewing", this.preview.on);
    if (this.editor) {
      this.editor.draw(board);
      return;
    }
    board.draft([]);
    if (what !== "found" && what !== "task") board.offer(choices, state.seats[state.mover]?.tone);
    this.#drawThoughts(thoughts);
  }

  #drawThoughts(wanted = true) {
    const { state } = this.game;
    if (!state) return;
    const found = this.preview.on || !wanted ? null : this.game.foundAt(state.ply);
    const by = heatChoice();
    const { info: { columns }, game: { range } } = this;
    const way = by === "off" ? null : { by, mover: state.mover, range, columns };
    this.board.heat(found && way ? heat(found, state.choices, way) : []);
    const hinted = this.hinted?.ply === state.ply && !this.preview.on ? this.hinted.move : null;
    this.board.hint(state.choices.find((choice) => choice.move === (this.#pointed ?? hinted)) ?? null);
  }

  /**
   * Highlight a move while the pointer is on it in a table.
   * @param {string | null} move
   */
  point(move) {
    this.#pointed = move;
    if (!this.editor) this.#drawThoughts(); // not the whole page: the table may be changing
  }

  /** @param {string} svg */
  #lookAhead(svg) {
    const { state } = this.game;
    if (!state) return;
    this.board.offer([]);
    this.board.show(svg, state.width, state.height);
    this.listener.redraw("found");
  }

  /** After a preview: show the actual position again. */
  #restore() {
    this.#drawn = null;
    this.listener.redraw("state");
  }

  /** Offer no moves until the next state. */
  freeze() {
    this.board.offer([]);
  }

  focus() {
    this.board.focus();
  }

  get focused() {
    return this.board.node.contains(document.activeElement);
  }
}
