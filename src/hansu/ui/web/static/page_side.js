// Beside the board, mode by mode: the form, the players' reasons, or the analysis.

import { analysis } from "./analysis.js";
import { element } from "./dom.js";
import { Editor } from "./editor.js";
import { MOST_KB, readFile, savePanel } from "./files.js";
import { graph } from "./graph.js";
import { t } from "./language.js";
import { branch, moveList, variationList } from "./moves.js";
import { notify } from "./notices.js";
import { reviewPanel } from "./review.js";
import { readSpec } from "./setup.js";
import { setupForm } from "./setup_form.js";
import { why } from "./why.js";

/**
 * @import { heatSwitch } from "./heat.js"
 * @import { GamePage } from "./page.js"
 */

/** @typedef {{ node: Element, update?: () => void }} Part */

export class PageSide {
  /** @type {ReturnType<typeof setupForm> | null} */
  form = null;
  /** @type {ReturnType<typeof analysis> | null} */
  analysis = null;
  /** @type {ReturnType<typeof reviewPanel> | null} */
  review = null;

  /** @param {GamePage} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * Create the parts of the current mode.
   * @param {ReturnType<typeof heatSwitch>} heat
   * @returns {Part[]}
   */
  parts(heat) {
    const { mode, game, info, commands, board } = this.page;
    if (mode === "setup") return this.#setup();
    if (board.editor) return [board.editor];
    this.review = reviewPanel(game, info, board.preview);
    game.branching = mode === "analysis";
    const branches = variationList(game, (moves, ply) => this.#branch(moves, ply));
    const course = [graph(game), moveList(game, board.preview), branches];
    if (mode === "play") return [heat, why(game, board.preview, commands), this.review, ...course];
    this.analysis = this.#analysis(heat);
    return [this.analysis, this.review, ...course, { node: savePanel(info.exports, commands) }];
  }

  /** @param {ReturnType<typeof heatSwitch>} heat */
  #analysis(heat) {
    const { page } = this;
    return analysis(page.game, page.info, page.analysing, page.board.preview, {
      ...page.commands,
      back: page.before ? t("back_to_game") : t("back_to_setup"),
      heat: heat.node,
      choose: (move) => page.chooseMove(move),
      point: (move) => page.board.point(move),
      setUp: (text) => page.setUp(text),
      edit: () => this.#edit(),
      load: (file) => this.load(file),
    });
  }

  /**
   * Switch to another line of the same game.
   * @param {string[]} moves
   * @param {number} ply
   */
  async #branch(moves, ply) {
    const { game } = this.page;
    await branch(game, () => game.open(game.setup ?? this.page.people(), { start: game.start, moves }));
    game.jump(ply);
  }

  /** Open the position editor. */
  async #edit() {
    const { page } = this;
    page.game.stop();
    const leave = () => {
      page.board.editor = null;
      page.build();
    };
    const editor = new Editor(page.game, {
      done: async (text) => {
        if (await page.setUp(text)) leave();
      },
      cancel: leave,
    });
    if (!(await editor.begin())) return;
    page.board.editor = editor;
    page.build();
  }

  /**
   * Open a game of a file, by its number, for analysis.
   * @param {File} file
   */
  async load(file, number = 0) {
    const { page } = this;
    const read = await readFile(file);
    if (!read) {
      notify(t("file_too_large", { n: MOST_KB }), { bad: true });
      return;
    }
    const reply = await page.game.load({ ...read, number });
    if (!reply) return;
    page.keep();
    const { settings } = readSpec(reply.game);
    page.setup = { ...page.setup, options: settings, start: "start" };
    if (!(await page.openAs("analysis", page.people(), { start: reply.start, moves: reply.moves }))) return;
    page.game.variations = reply.variations;
    page.draw("state");
    if (reply.games < 2) return;
    const next = { label: t("file_next"), act: () => this.load(file, number + 1) };
    notify(t("file_games", { i: number + 1, n: reply.games }), { action: number + 1 < reply.games ? next : null });
  }

  /** @returns {Part[]} */
  #setup() {
    const { page } = this;
    this.form = setupForm(page.info, page.setup, {
      changed: () => page.chosen(),
      play: () => page.play(),
      analyse: () => page.openAs("analysis", page.people()),
      share: page.commands.copyLink,
      rules: page.commands.rules,
      load: (file) => this.load(file),
    });
    if (!page.before) return [this.form];
    const leave = { class: "plain", "data-do": "leave", onclick: page.commands.leave };
    return [{ node: element("button", leave, t("back_to_game")) }, this.form];
  }
}
