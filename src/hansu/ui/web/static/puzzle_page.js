// A puzzle set: find the best move in each position. The game's solver or engine grades the answer as in a review.

import { actions } from "./actions.js";
import { BoardPanel } from "./board_panel.js";
import { element, fill } from "./dom.js";
import { Game } from "./game.js";
import { icon } from "./icons.js";
import { listen } from "./keys.js";
import { inLanguage, t } from "./language.js";
import { announce, notify, notifyError } from "./notices.js";
import { GRADES } from "./report.js";
import { reviewOf } from "./review.js";
import { freshSetup, readSpec } from "./setup.js";
import { compilingBar, compilingText } from "./status.js";
import { valueWords } from "./value.js";
import { lineWalk } from "./why.js";

/**
 * @import { Offered } from "./board.js"
 * @import { GameInfo, PuzzleSet } from "./catalogue.js"
 * @import { Change } from "./game.js"
 * @import { ReviewedMove } from "./review.js"
 */

/** @typedef {"solved" | "missed"} Outcome of the first try */

const SECONDS = 2; // for each evaluation, before and after the move

export class PuzzlePage {
  #at;
  /** @type {number | null} the ply of the puzzle */
  #ply = null;
  /** @type {string | null} the tried move */
  #tried = null;
  #judging = false;
  #shown = false; // whether the answer is shown
  #opening = false;
  #drawn = ""; // key of the drawn panel: a line must not be redrawn under the pointer
  /** @type {Map<number, Outcome>} */
  #outcomes = new Map();

  /**
   * @param {PuzzleSet} set
   * @param {GameInfo[]} games
   */
  constructor(set, games) {
    this.set = set;
    this.games = games;
    const wish = Number(new URLSearchParams(location.search).get("n") ?? 1);
    this.#at = Number.isInteger(wish) && wish >= 1 && wish <= set.puzzles.length ? wish - 1 : 0;
    this.root = element("main", { class: "game puzzle", id: "main", "data-mode": "puzzle" });
    this.game = new Game(this.#info(), {
      changed: (what) => this.#changed(what),
      error: (error) => notifyError(error),
    });
    this.board = this.#newBoard();
    this.actions = actions(this.game, { choose: (choice) => this.#choose(choice), steer: null });
    this.panel = element("div", { class: "puzzle-told", "aria-live": "polite" });
    listen(Object.fromEntries([..."123456789"].map((digit) => [digit, () => this.#write(digit)])));
    this.build();
    this.#open();
    this.game.connect();
  }

  get #puzzle() {
    return this.set.puzzles[this.#at];
  }

  /** @returns {GameInfo} */
  #info() {
    const { kind } = readSpec(this.#puzzle.game);
    return this.games.find(({ name }) => name === kind) ?? this.games[0];
  }

  #newBoard() {
    return new BoardPanel(this.game, this.game.info, {
      choose: (choice) => this.#choose(choice),
      ask: (choices) => this.actions.ask(choices),
      steer: () => {},
      source: () => announce(t("choose_target")),
      confirm: (choice) => notify(t("tap_again", { move: choice?.move ?? "" })),
      redraw: (what) => this.#draw(what),
    });
  }

  /** Rebuild after a change of language or puzzle. */
  build() {
    const { set, game } = this;
    this.board.renew();
    fill(
      this.root,
      element("section", { class: "table", "aria-label": t("the_board") }, this.board.node, this.actions.node),
      element(
        "aside",
        { class: "side", "aria-label": set.title },
        element("h1", {}, set.title),
        element("p", { class: "quiet" }, inLanguage(game.info.title)),
        this.panel,
        this.#list(),
      ),
    );
    this.root.dataset.game = game.info.name;
    this.#drawn = "";
    this.#draw("state");
  }

  /** A link for each puzzle with the outcome of its first try. */
  #list() {
    const entries = this.set.puzzles.map((_, i) => {
      const outcome = this.#outcomes.get(i) ?? "open";
      const label = t("puzzle_is", { n: i + 1, how: t(`puzzle_${outcome}`) });
      const current = i === this.#at ? "step" : null;
      const settings = { class: `chip puzzle-${outcome}`, "aria-label": label, "aria-current": current };
      const sign = { solved: " ✓", missed: " ✗", open: "" }[outcome];
      return element("li", {}, element("button", { ...settings, onclick: () => this.#go(i) }, `${i + 1}${sign}`));
    });
    return element("ol", { class: "puzzle-list", "aria-label": t("puzzles") }, entries);
  }

  /** @param {number} at */
  #go(at) {
    this.#at = at;
    history.replaceState(null, "", `/puzzles/${encodeURIComponent(this.set.name)}?n=${at + 1}`);
    const info = this.#info();
    if (info !== this.game.info) {
      this.game.info = info;
      this.board = this.#newBoard();
    }
    this.#open();
    this.build();
  }

  async #open() {
    this.#ply = null;
    this.#tried = null;
    this.#judging = false;
    this.#shown = false;
    this.#opening = true;
    const { game: spec, start } = this.#puzzle;
    const setup = { ...freshSetup(this.game.info), options: readSpec(spec).settings, first: "human", second: "human" };
    try {
      await this.game.open({ ...setup, start, auto: false });
    } catch (error) {
      notifyError(/** @type {any} */ (error));
    }
  }

  /** @param {Change} what */
  #changed(what) {
    const { state } = this.game;
    if (what === "state" && state) {
      this.board.preview.forget();
      if (this.#opening) {
        this.#opening = false;
        this.#ply = state.plies;
      }
    }
    this.#draw(what);
  }

  /** The legal moves; empty while no answer is expected. */
  get #choices() {
    const { state, online } = this.game;
    const open = this.#tried === null && online && !this.board.preview.on && state?.ply === this.#ply;
    return open ? (state?.choices ?? []) : [];
  }

  /**
   * Play a move by its name.
   * @param {string} move
   */
  #write(move) {
    const choice = this.#choices.find((one) => one.move === move);
    return choice ? this.#choose(choice) : false;
  }

  /** @param {Change} what */
  #draw(what) {
    if (!this.game.state) return;
    const choices = this.#choices;
    this.actions.update();
    this.actions.node.hidden = !choices.length;
    this.board.draw(what, choices, false);
    this.#drawPanel();
  }

  /** The graded move; null: not graded yet. */
  get #judged() {
    return reviewOf(this.game).moves.find(({ ply }) => ply === this.#ply) ?? null;
  }

  /** @param {Offered} choice */
  async #choose(choice) {
    if (this.#tried !== null) return;
    const { game } = this;
    const [at, ply] = [this.#at, this.#ply ?? 0];
    this.#tried = choice.move;
    this.#judging = true;
    this.board.freeze();
    const played = await game.play(choice);
    if (played) await game.review(game.info.analyst, SECONDS, ply);
    if (at !== this.#at) return;
    this.#judging = false;
    if (!played) this.#tried = null;
    const judged = this.#judged;
    if (judged && !this.#outcomes.has(at)) this.#outcomes.set(at, judged.grade === 0 ? "solved" : "missed");
    this.build();
  }

  async #again() {
    this.#tried = null;
    this.#shown = false;
    await this.game.jump(this.#ply ?? 0); // the next try replaces this one
    this.build();
    this.board.focus();
  }

  #drawPanel() {
    const { state } = this.game;
    const { words } = this.#puzzle;
    const seat = state?.seats[this.game.movers[this.#ply ?? 0] ?? state.mover];
    const who = inLanguage(seat?.name);
    const judged = this.#judging || this.#tried === null ? null : this.#judged;
    const compiling = this.game.task?.compiling ?? null;
    const key = JSON.stringify([this.#at, who, this.#judging, this.#tried, this.#shown, judged, compiling]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const solved = [...this.#outcomes.values()].filter((outcome) => outcome === "solved").length;
    /**
     * @param {string} name
     * @param {() => unknown} act
     */
    const button = (name, act, primary = false) =>
      element("button", { "data-do": name, class: primary ? "primary" : "", onclick: act }, t(name));
    const last = this.#at + 1 === this.set.puzzles.length;
    fill(
      this.panel,
      element("h2", {}, t("puzzle_of", { n: this.#at + 1, all: this.set.puzzles.length })),
      words ? element("p", {}, words) : null,
      element("p", { class: "puzzle-ask" }, t("puzzle_ask", { who })),
      this.#judging
        ? element(
            "p",
            { class: "quiet waits" },
            compiling ? [compilingText(compiling), compilingBar(compiling)] : [icon("hint"), t("puzzle_judging")],
          )
        : null,
      judged ? this.#verdict(judged) : null,
      element(
        "div",
        { class: "row" },
        judged && judged.grade > 0 ? button("puzzle_again", () => this.#again(), true) : null,
        judged && judged.grade > 0 && !this.#shown ? button("puzzle_show", () => this.#answer()) : null,
        last ? null : button("puzzle_next", () => this.#go(this.#at + 1), judged?.grade === 0),
      ),
      this.#outcomes.size
        ? element("p", { class: "quiet" }, t("puzzle_score", { right: solved, done: this.#outcomes.size }))
        : null,
    );
  }

  #answer() {
    this.#shown = true;
    this.#drawPanel();
  }

  /** @param {ReviewedMove} judged */
  #verdict({ ply, mover, move, grade, before, after }) {
    const seats = this.game.state?.seats ?? [];
    const worth = valueWords({ ...after, plies: after.plies ? after.plies - 1 : after.plies }, seats, this.game.info);
    const words = { move, grade: t(`grade_${GRADES[grade]}`) };
    const sentence = grade === 0 ? t("puzzle_right", words) : t("puzzle_wrong", words);
    const line = [...(grade === 0 || this.#shown ? before.line : [])];
    return [
      element(
        "p",
        { class: "review-grade" },
        element("span", { class: `grade-box grade-bg-${grade}`, "aria-hidden": "true" }),
        element("strong", {}, sentence),
      ),
      element("p", { class: "quiet" }, worth),
      line.length && grade > 0
        ? element("h3", {}, t("review_better", { worth: valueWords(before, seats, this.game.info) }))
        : null,
      line.length ? lineWalk(line, ply, inLanguage(seats[mover]?.name), this.board.preview) : null,
    ];
  }
}
