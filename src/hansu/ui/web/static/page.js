// The page of one game: the board on one side; setting up, playing or analysing on the other.

import { actions } from "./actions.js";
import * as address from "./address.js";
import { analysis } from "./analysis.js";
import { autoplay } from "./autoplay.js";
import { BoardPanel } from "./board_panel.js";
import { element, fill } from "./dom.js";
import { Editor } from "./editor.js";
import { Game } from "./game.js";
import { graph } from "./graph.js";
import { heatChoice, heatSwitch } from "./heat_switch.js";
import { inLanguage, t } from "./language.js";
import { moveList } from "./moves.js";
import { announce, notify, notifyTrouble, troubleText } from "./notices.js";
import { listenToKeys } from "./page_keys.js";
import { replay } from "./replay.js";
import { forgetGame, savedGame, saveGame } from "./saved_game.js";
import { seats } from "./seats.js";
import { freshSetup, linkedSetup } from "./setup.js";
import { setupForm } from "./setup_form.js";
import { copyLink, copyPosition, saveFile, savePicture } from "./share.js";
import { Trouble } from "./socket.js";
import { announceState, status } from "./status.js";
import { Steering } from "./steering.js";
import { toolbar } from "./toolbar.js";
import { why } from "./why.js";
import { Xray } from "./xray.js";

/**
 * @import { Link } from "./address.js"
 * @import { Offered } from "./board.js"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Change, Course, Memo } from "./game.js"
 * @import { Mode } from "./saved_game.js"
 * @import { Setup } from "./setup.js"
 */

/**
 * @typedef {{ node: Element, update?: () => void }} Part
 * @typedef {GamePage["commands"]} Commands what a person can do, by button or key
 */

const PREVIEW_WAIT = 250; // milliseconds after the last change of a form

export class GamePage {
  /** @type {Mode} */
  mode = "setup";
  /** @type {Memo | null} the game that was left for an analysis or for the set-up */
  before = null;
  /** @type {Xray | null} */
  xray = null;
  #life = new AbortController();
  /** @type {Part[]} */
  #parts = [];
  /** @type {ReturnType<typeof setupForm> | null} */
  #form = null;
  #previewTimer = 0;

  /** What a person can do, by button or key. */
  commands = {
    undo: () => this.game.moves.length > 0 && this.game.undo(),
    hint: () => this.#hint(),
    swap: () => this.game.swap().then(() => this.#follow()),
    resign: () => this.#resign(),
    again: () => this.#again(),
    change: () => this.#change(),
    analyse: () => this.#analyseThis(),
    leaveAnalysis: () => this.#leaveAnalysis(),
    playFromHere: () => this.#playFromHere(),
    xray: () => this.#openXray(),
    copyPosition: () => copyPosition(this.game),
    copyLink: () => this.#copyLink(),
    saveFile: (/** @type {string} */ format) => saveFile(this.game, format),
    savePicture: (/** @type {"svg" | "png"} */ kind) => savePicture(this.game, kind),
  };

  /**
   * @param {GameInfo} info
   * @param {Link} link
   */
  constructor(info, link) {
    this.info = info;
    this.game = new Game(info.score_range, {
      changed: (what) => (what === "state" ? this.#stateCame() : this.draw(what)),
      trouble: (trouble) => this.#trouble(trouble),
    });
    /** who analyses, and whether at every position by itself */
    this.analysing = { player: info.analyst, following: true };
    this.setup = linkedSetup(info, link);
    this.board = new BoardPanel(this.game, info, {
      choose: (choice) => this.#choose(choice),
      ask: (choices) => this.actions?.ask(choices),
      steer: (way) => this.steering.press(way),
      source: () => announce(t("choose_target")),
      confirm: (choice) => notify(t("tap_again", { move: choice?.move ?? "" })),
      redraw: (what) => this.draw(what),
    });
    this.steering = new Steering(() => this.#open, (choice) => this.#choose(choice));
    this.root = element("main", { class: "game", id: "main" });
    this.#begin(link);
  }

  /**
   * Where to begin: a game that was under way in this tab, what the address asks for, or the set-up.
   * @param {Link} link
   */
  #begin(link) {
    const saved = savedGame();
    const moves = link.moves;
    if (saved) {
      this.setup = saved.setup;
      this.before = saved.before;
      this.mode = saved.mode;
      this.game.open(saved.opened, saved);
    } else if (link.view === "analysis") {
      this.mode = "analysis";
      this.game.open(this.#people(), { moves });
    } else if (this.setup.chosen) {
      this.mode = "play";
      this.game.open(this.setup, { moves });
    } else {
      this.game.open(this.#people());
    }
    this.build();
    this.game.connect();
  }

  /**
   * The chosen game with people on inLanguage sides: for a look at the board, and for analysis.
   * @returns {Setup}
   */
  #people() {
    return { ...structuredClone(this.setup), first: "human", second: "human", auto: false, pace: 0 };
  }

  /** The moves that a person may make now on the board. */
  get #open() {
    const { game } = this;
    const here = this.mode === "analysis" || (this.mode === "play" && game.atEnd);
    return here && game.personToMove && game.online && !this.board.preview.on ? (game.state?.choices ?? []) : [];
  }

  // Building. Everything is made anew when the language or the mode changes.

  build() {
    this.#life.abort();
    this.#life = new AbortController();
    this.board.renew();
    this.xray?.node.remove();
    this.xray = null;
    const { info, game, commands } = this;
    const heat = heatSwitch(() => this.#heatChanged());
    const run = autoplay(game);
    const steer = info.steering ? this.steering.press.bind(this.steering) : null;
    this.actions = actions(game, { choose: (choice) => this.#choose(choice), steer });
    const over = seats(game, { names: this.mode !== "analysis", status: () => this.#status() });
    const steps = replay(game);
    const tools = toolbar(game, info.exports, commands, this.#life.signal);
    const side = this.#side(heat);
    const playing = this.mode !== "setup";
    fill(
      this.root,
      this.mode === "play" ? element("h1", { class: "unseen" }, inLanguage(info.title)) : null,
      element(
        "section",
        { class: "table", "aria-label": t("the_board") },
        playing && over.node,
        this.board.node,
        playing && [this.actions.node, run.node, steps.node],
        this.mode === "play" && tools.node,
      ),
      element("aside", { class: "side", "aria-label": t(`side_${this.mode}`) }, side.map((part) => part.node)),
    );
    this.root.dataset.mode = this.mode;
    this.root.dataset.game = info.name;
    this.#parts = [run, this.actions, over, steps, tools, ...side];
    this.#listenToKeys(heat.next, run.toggle);
    this.draw("state");
  }

  /**
   * What lies beside the board.
   * @param {ReturnType<typeof heatSwitch>} heat
   * @returns {Part[]}
   */
  #side(heat) {
    const { game, commands, board: { preview } } = this;
    if (this.mode === "setup") return this.#setupSide();
    if (this.mode === "play") return [heat, why(game, preview, commands), graph(game), moveList(game)];
    if (this.board.editor) return [this.board.editor];
    this.analysis = analysis(game, this.info, this.analysing, preview, {
      ...commands,
      back: this.before ? t("back_to_game") : t("back_to_setup"),
      heat: heat.node,
      choose: (move) => this.#chooseMove(move),
      point: (move) => this.board.point(move),
      setUp: (text) => this.#setUp(text),
      edit: () => this.#edit(),
    });
    return [this.analysis, graph(game), moveList(game)];
  }

  /** @returns {Part[]} */
  #setupSide() {
    this.#form = setupForm(this.info, this.setup, {
      changed: () => this.#chosen(),
      play: () => this.#play(),
      analyse: () => this.#openAs("analysis", this.#people()),
      share: this.commands.copyLink,
    });
    if (!this.before) return [this.#form];
    const leave = { class: "plain", "data-do": "leave", onclick: () => this.#returnToGame() };
    return [{ node: element("button", leave, t("back_to_game")) }, this.#form];
  }

  /**
   * @param {() => void} nextHeat
   * @param {() => void} run
   */
  #listenToKeys(nextHeat, run) {
    const { game, info, commands, mode } = this;
    listenToKeys(game, { mode, steering: info.steering, signal: this.#life.signal }, {
      ...commands,
      focus: () => this.board.focus(),
      onBoard: () => this.board.focused,
      nextHeat,
      run: () => (mode === "analysis" ? this.analysis?.toggle() : run()),
      steer: (way) => this.steering.press(way),
    });
  }

  // Drawing.

  /** @param {Change} what has changed */
  draw(what) {
    this.root.classList.toggle("machines", this.game.state !== null && this.game.people === 0);
    for (const part of this.#parts) part.update?.();
    this.board.draw(what, this.#open, this.mode !== "setup");
  }

  #status() {
    return status(this.game, this.mode, this.board.preview, this.commands);
  }

  // Hearing.

  #stateCame() {
    const { game } = this;
    const { state, setup } = game;
    if (!state || !setup) return;
    this.board.preview.forget();
    if (this.board.hinted?.ply !== state.ply) this.board.hinted = null;
    this.draw("state");
    if (this.mode === "setup") {
      this.#form?.complain(null);
      return;
    }
    if (this.mode === "play") this.setup = setup;
    saveGame({ mode: this.mode, before: this.before, setup: this.setup, opened: setup, ...game.course() });
    announceState(game, this.mode, this.#status().text, inLanguage(this.info.title));
    this.#askForHeat();
    this.steering.go();
  }

  /** @param {Trouble} trouble */
  #trouble(trouble) {
    if (trouble.code === "rate") return;
    if (this.mode === "setup") {
      this.#form?.complain(...troubleText(trouble));
      return;
    }
    notifyTrouble(trouble);
    if (this.game.state === null && !["offline", "busy"].includes(trouble.code)) {
      // A link that makes no sense here: begin with a set-up that does.
      forgetGame();
      this.setup = freshSetup(this.info);
      this.#enter("setup");
      this.#tryToOpen(this.#people());
      return;
    }
    this.draw("state");
  }

  // Setting up.

  /**
   * Open a game; false where there was trouble, which is told.
   * @param {Setup} setup
   * @param {Partial<Course>} [course]
   */
  async #tryToOpen(setup, course) {
    try {
      await this.game.open(setup, course);
      return true;
    } catch (trouble) {
      if (!(trouble instanceof Trouble)) throw trouble;
      this.#trouble(trouble);
      return false;
    }
  }

  #chosen() {
    clearTimeout(this.#previewTimer);
    this.setup.chosen = true;
    this.#follow();
    this.#previewTimer = setTimeout(() => this.#tryToOpen(this.#people()), PREVIEW_WAIT);
  }

  /** The address follows what was chosen, so that it can be shared. */
  #follow() {
    const view = this.mode === "analysis" ? "analysis" : null;
    history.replaceState(null, "", address.write(this.setup, { view }));
  }

  /** @param {Mode} mode */
  #enter(mode) {
    this.mode = mode;
    this.board.hinted = null;
    this.board.editor = null;
    this.board.preview.forget();
    this.#follow();
    this.build();
    scrollTo(0, 0);
  }

  /**
   * @param {Mode} mode
   * @param {Setup} setup
   * @param {Partial<Course>} [course]
   */
  async #openAs(mode, setup, course) {
    clearTimeout(this.#previewTimer);
    const opened = await this.#tryToOpen(setup, course);
    if (opened) this.#enter(mode);
    return opened;
  }

  async #play() {
    this.setup.chosen = true;
    if (!(await this.#openAs("play", this.setup))) return;
    this.before = null;
    saveGame({ mode: "play", before: null, setup: this.setup, opened: this.setup, ...this.game.course() });
    if (matchMedia("(hover: hover)").matches) this.board.focus();
  }

  /**
   * What it takes to come back to this very game.
   * @returns {Memo}
   */
  #memo() {
    return { setup: structuredClone(this.setup), ...this.game.course() };
  }

  #change() {
    this.before = this.#memo();
    this.setup = structuredClone(this.setup);
    this.#enter("setup");
    this.#tryToOpen(this.#people());
  }

  async #returnToGame() {
    const { before } = this;
    if (!before) return;
    this.before = null;
    this.setup = before.setup;
    await this.#openAs("play", before.setup, before);
  }

  #copyLink() {
    const moves = this.mode === "setup" ? [] : this.game.moves;
    const view = this.mode === "analysis" ? "analysis" : null;
    return copyLink(address.write({ ...this.setup, chosen: true }, { moves, view }));
  }

  // Playing.

  /** @param {Offered} choice */
  async #choose(choice) {
    if (this.board.editor) {
      this.board.editor.put(choice.action);
      return;
    }
    this.board.hinted = null;
    this.board.freeze();
    if (!(await this.game.play(choice))) this.draw("state");
  }

  /** @param {string} move */
  #chooseMove(move) {
    const choice = this.game.state?.choices.find((one) => one.move === move);
    if (choice) this.#choose(choice);
  }

  async #hint() {
    const { game } = this;
    if (!game.state || game.state.over || game.thinkingMove) return;
    const answer = await game.hint(this.info.analyst);
    if (!answer || answer.ply !== game.state.ply) return;
    this.board.hinted = { ply: answer.ply, move: answer.found.move ?? null };
    announce(t("hint_says", { move: answer.found.move ?? "" }));
    this.draw("found");
  }

  async #resign() {
    const memo = this.#memo();
    const action = { label: t("take_back"), act: () => this.#tryToOpen(memo.setup, memo) };
    if (await this.game.resign()) notify(t("resigned"), { action });
  }

  async #again() {
    const memo = this.#memo();
    const unfinished = memo.moves.length > 1 && !this.game.over;
    if (!(await this.#tryToOpen(this.setup))) return;
    const action = { label: t("back_to_old"), act: () => this.#tryToOpen(memo.setup, memo) };
    if (unfinished) notify(t("new_game_begun"), { action });
    this.board.focus();
  }

  /** What came after the shown position is given up. */
  #playFromHere() {
    const { moves, state } = this.game;
    return this.#tryToOpen(this.setup, { moves: moves.slice(0, state?.ply) });
  }

  #heatChanged() {
    this.draw("found");
    this.#askForHeat();
  }

  /** Where heat is wanted and nothing is known about the position yet, ask quietly. */
  #askForHeat() {
    const { game } = this;
    if (this.mode !== "play" || heatChoice() === "off" || !game.personToMove || !game.atEnd || game.task) return;
    if (game.state && !game.foundAt(game.state.ply)?.moves.length) game.hint(this.info.analyst, { quiet: true });
  }

  // Analysing, and looking into the search.

  #openXray() {
    if (!this.info.xray.length || !this.game.state) return;
    if (this.game.over) {
      notify(t("xray_over"));
      return;
    }
    this.xray ??= new Xray(this.game, this.info);
    this.xray.open();
  }

  async #analyseThis() {
    const ply = this.game.state?.ply ?? 0;
    this.before = this.#memo();
    if (await this.#openAs("analysis", this.#people(), this.before)) this.game.jump(ply);
  }

  async #leaveAnalysis() {
    if (this.before) {
      await this.#returnToGame();
      return;
    }
    forgetGame();
    await this.#openAs("setup", this.#people());
  }

  /**
   * Another position as text; true where the server could read it.
   * @param {string} text
   */
  async #setUp(text) {
    const start = text.trim() || "start";
    if (!(await this.#tryToOpen({ ...this.#people(), start }))) return false;
    this.setup = { ...this.setup, start };
    this.#follow();
    return true;
  }

  /** Change the board square by square. */
  async #edit() {
    this.game.stop();
    const leave = () => {
      this.board.editor = null;
      this.build();
    };
    const editor = new Editor(this.game, {
      done: async (text) => {
        if (await this.#setUp(text)) leave();
      },
      cancel: leave,
    });
    if (!(await editor.begin())) return;
    this.board.editor = editor;
    this.build();
  }
}
