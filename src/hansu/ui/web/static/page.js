// The page of a game: the board, and beside it set-up, play or analysis.

import { actions } from "./actions.js";
import * as address from "./address.js";
import { BoardPanel } from "./board_panel.js";
import { Clock } from "./clock.js";
import { element, fill } from "./dom.js";
import { copyLink, copyPosition, listenToDrops, saveFile, savePicture } from "./files.js";
import { Game } from "./game.js";
import { QuickAnalysis, heatSwitch } from "./heat.js";
import { inLanguage, t } from "./language.js";
import { branch } from "./moves.js";
import { announce, notify, notifyError, errorText } from "./notices.js";
import { PageHistory } from "./page_history.js";
import { listenToKeys, Steering } from "./page_keys.js";
import { PageSide } from "./page_side.js";
import { PageXray } from "./page_xray.js";
import { autoplay, replay } from "./replay.js";
import { rulesSheet } from "./rules.js";
import {
  forgetGame, restoreThoughts, savedClock, savedGame, savedThoughts, saveGame, saveRest, thoughtsOf,
} from "./saved_game.js";
import { freshSetup, linkedSetup } from "./setup.js";
import { RequestError } from "./socket.js";
import { announceState, playerBar, status } from "./status.js";
import { toolbar } from "./toolbar.js";

/**
 * @import { Link, Place } from "./address.js"
 * @import { Offered } from "./board.js"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Change, Course, Memo } from "./game.js"
 * @import { Entry } from "./page_history.js"
 * @import { Mode } from "./saved_game.js"
 * @import { Setup } from "./setup.js"
 */

/** @typedef {GamePage["commands"]} Commands of buttons and keys */

const LONGEST_TEXT = 2000; // characters of a position that the server accepts
const PREVIEW_WAIT = 250; // milliseconds after the last change of a form

export class GamePage {
  /** @type {Mode} */
  mode = "setup";
  /** @type {Memo | null} the game to return to from an analysis or the set-up */
  before = null;
  #life = new AbortController();
  /** @type {{ update?: () => void }[]} */
  #parts = [];
  #previewTimer = 0;
  /** @type {Link | null} the link that opened the page, until it is processed */
  #arrival = null;

  /** The commands of buttons and keys. */
  commands = {
    undo: () => this.game.moves.length > 0 && this.game.undo(),
    hint: () => this.#hint(),
    swap: () => this.game.swap(),
    resign: () => this.#resign(),
    again: () => this.#again(),
    change: () => this.#change(),
    analyse: () => this.#analyseThis(),
    review: () => this.#review(),
    leave: () => this.#leave(),
    playFromHere: () => this.#playFromHere(),
    xray: () => this.xray.open(),
    rules: () => rulesSheet(this.info),
    copyPosition: () => copyPosition(this.game),
    copyLink: () => copyLink(this.address({}, true)),
    saveFile: (/** @type {string} */ format) => saveFile(this.game, format),
    savePicture: (/** @type {"svg" | "png"} */ kind) => savePicture(this.game, kind),
    load: (/** @type {File} */ file) => this.side.load(file),
  };

  /**
   * @param {GameInfo} info
   * @param {Link} link
   */
  constructor(info, link) {
    this.info = info;
    this.game = new Game(info, {
      changed: (what) => (what === "state" ? this.#stateCame() : this.draw(what)),
      error: (error) => this.#fail(error),
    });
    /** the analysis engine, and whether it analyses every new position */
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
    this.history = new PageHistory((entry) => this.#arrived(entry));
    this.side = new PageSide(this);
    this.xray = new PageXray(this);
    this.clock = new Clock(this.game);
    addEventListener("pagehide", () => saveRest(this.history.id, thoughtsOf(this.game), this.clock.times));
    this.#begin(link);
  }

  /**
   * Start with the saved game of this tab, the game of the address, or the set-up.
   * @param {Link} link
   */
  #begin(link) {
    const saved = savedGame(this.history.id);
    const { moves } = link;
    if (saved) {
      this.setup = saved.setup;
      this.before = saved.before;
      this.mode = saved.mode;
      this.game.open(saved.opened, saved);
    } else if (link.view === "analysis") {
      this.mode = "analysis";
      this.game.open(this.people(), { moves });
    } else if (this.setup.chosen) {
      this.mode = "play";
      this.game.open(this.setup, { moves });
    } else {
      this.game.open(this.people());
    }
    this.#arrival = link;
    this.build();
    this.game.connect();
    if (link.wrong.length) notify(link.wrong.join(" "), { bad: true, hint: t("wrong_hint") });
  }

  /** Process the rest of the link once the game is open: clock, ply, X-ray. */
  #arrive() {
    const link = this.#arrival;
    if (!link || this.mode === "setup") return;
    this.#arrival = null;
    this.clock.begin(savedClock(this.history.id));
    const thoughts = savedThoughts(this.history.id);
    if (thoughts) restoreThoughts(this.game, thoughts);
    if (link.ply !== null) this.game.jump(link.ply);
    if (link.xray !== null || this.history.inXray) this.xray.open(link.xray, link.step);
  }

  /**
   * The chosen game with people on both sides, for set-up and analysis.
   * @returns {Setup}
   */
  people() {
    return { ...structuredClone(this.setup), first: "human", second: "human", auto: false, pace: 0 };
  }

  /** The moves that a person may play now. */
  get #open() {
    const { game } = this;
    const here = this.mode === "analysis" || (this.mode === "play" && game.atEnd);
    return here && game.personToMove && game.online && !this.board.preview.on ? (game.state?.choices ?? []) : [];
  }

  // Building. Everything is rebuilt when the language or the mode changes.

  build() {
    this.#life.abort();
    this.#life = new AbortController();
    this.board.renew();
    this.xray.forget();
    const { info, game, commands } = this;
    this.glance = new QuickAnalysis(game, info.analyst, this.mode === "play");
    const heat = heatSwitch(this.glance, () => this.draw("found"));
    const run = autoplay(game);
    const steer = info.steering ? this.steering.press.bind(this.steering) : null;
    this.actions = actions(game, { choose: (choice) => this.#choose(choice), steer });
    const over = playerBar(game, { names: this.mode !== "analysis", clock: this.clock, status: () => this.#status() });
    const steps = replay(game);
    const tools = toolbar(game, info, commands, this.#life.signal);
    const side = this.side.parts(heat);
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
    this.root.dataset.steering = String(info.steering && this.mode === "play");
    this.#parts = [run, this.actions, over, steps, tools, ...side, this.xray];
    this.#listenToKeys(heat.next, run.toggle);
    listenToDrops(commands.load, this.#life.signal);
    this.draw("state");
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
      run: () => (mode === "analysis" ? this.side.analysis?.toggle() : run()),
      steer: (way) => this.steering.press(way),
      write: (move) => this.chooseMove(move),
    });
  }

  // Drawing.

  /** @param {Change} what has changed */
  draw(what) {
    this.root.classList.toggle("machines", this.game.state !== null && this.game.people === 0);
    this.clock.update(this.mode === "play");
    for (const part of this.#parts) part.update?.();
    this.board.draw(what, this.#open, this.mode !== "setup");
  }

  #status() {
    return status(this.game, this.mode, this.board.preview, this.commands);
  }

  // Events.

  #stateCame() {
    const { game } = this;
    const { state, setup } = game;
    if (!state || !setup) return;
    this.board.preview.forget();
    if (this.board.hinted?.ply !== state.ply) this.board.hinted = null;
    this.#arrive();
    this.draw("state");
    if (this.mode === "setup") {
      this.side.form?.complain(null);
      return;
    }
    if (this.mode === "play") this.setup = setup;
    this.#save();
    this.#follow();
    announceState(game, this.mode, this.#status().text, inLanguage(this.info.title));
    this.glance?.ask();
    this.steering.go();
  }

  /** @param {RequestError} error */
  #fail(error) {
    if (error.code === "rate") return;
    if (this.mode === "setup") {
      this.side.form?.complain(...errorText(error));
      return;
    }
    notifyError(error);
    if (this.game.state === null && !["offline", "busy"].includes(error.code)) {
      // An invalid link: start with a fresh set-up.
      forgetGame();
      this.setup = freshSetup(this.info);
      this.#enter("setup");
      this.#tryToOpen(this.people());
      return;
    }
    this.draw("state");
  }

  // Setting up.

  /**
   * Open a game; false after an error, which is shown.
   * @param {Setup} setup
   * @param {Partial<Course>} [course]
   */
  async #tryToOpen(setup, course) {
    try {
      await this.game.open(setup, course);
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#fail(error);
      return false;
    }
  }

  /** The form has changed. */
  chosen() {
    clearTimeout(this.#previewTimer);
    this.setup.chosen = true;
    this.#follow();
    this.#previewTimer = setTimeout(() => this.#tryToOpen(this.people()), PREVIEW_WAIT);
  }

  #save() {
    const { mode, before, setup, game } = this;
    saveGame(this.history.id, { mode, before, setup, opened: game.setup ?? setup, ...game.course() });
  }

  /**
   * The address of what is shown.
   * @param {Partial<Place>} [more]
   */
  address(more = {}, chosen = this.setup.chosen) {
    const { mode, game, setup } = this;
    if (mode === "setup") return address.write({ ...setup, chosen });
    const { start, moves } = game;
    const ply = game.state && !game.atEnd ? game.state.ply : null;
    const view = mode === "analysis" ? "analysis" : null;
    return address.write({ ...setup, chosen: true }, { start, moves, ply, view, ...more });
  }

  /** Update the address, so that it can be shared and bookmarked. */
  #follow() {
    if (!this.history.inXray) this.history.follow(this.address(), this.mode);
  }

  /**
   * @param {Mode} mode
   * @param {boolean} pushed whether this is a new entry of the browser's history
   */
  #enter(mode, pushed = true) {
    const other = mode !== this.mode;
    this.mode = mode;
    this.board.hinted = null;
    this.board.editor = null;
    this.board.preview.forget();
    if (other && pushed) this.history.push(this.address(), mode);
    else this.#follow();
    this.#save();
    this.build();
    scrollTo(0, 0);
  }

  /**
   * The browser's back and forward buttons.
   * @param {Entry} entry
   */
  #arrived({ mode, xray }) {
    if (xray) this.xray.open();
    else this.xray.close();
    if (mode === this.mode) return;
    if (mode === "play") this.#returnToGame(false);
    else if (mode === "setup") this.#change(false);
    else this.#analyseThis(false);
  }

  /**
   * @param {Mode} mode
   * @param {Setup} setup
   * @param {Partial<Course>} [course]
   */
  async openAs(mode, setup, course, pushed = true) {
    clearTimeout(this.#previewTimer);
    const opened = await this.#tryToOpen(setup, course);
    if (opened) this.#enter(mode, pushed);
    return opened;
  }

  async play(pushed = true) {
    this.setup.chosen = true;
    if (!(await this.openAs("play", this.setup, {}, pushed))) return;
    this.before = this.#arrival = null;
    this.clock.begin();
    this.#save();
    if (matchMedia("(hover: hover)").matches) this.board.focus();
  }

  /**
   * Everything needed to return to this game.
   * @returns {Memo}
   */
  #memo() {
    return { setup: structuredClone(this.setup), ...this.game.course() };
  }

  /** Keep the current game, because another one follows. */
  keep() {
    if (this.mode === "play") this.before = this.#memo();
  }

  #change(pushed = true) {
    this.keep();
    this.setup = structuredClone(this.setup);
    this.#enter("setup", pushed);
    this.#tryToOpen(this.people());
  }

  async #returnToGame(pushed = true) {
    const { before } = this;
    if (!before) {
      await this.play(pushed);
      return;
    }
    this.before = null;
    this.setup = before.setup;
    await this.openAs("play", before.setup, before, pushed);
  }

  /** Leave the analysis or the set-up; through the browser's history if possible. */
  async #leave() {
    const to = this.before || this.mode === "setup" ? "play" : "setup";
    if (this.history.from === to) history.back();
    else if (to === "play") await this.#returnToGame();
    else await this.openAs("setup", this.people());
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

  /**
   * Play a move by its name, if it is legal now.
   * @param {string} move
   */
  chooseMove(move) {
    const choice = this.#open.find((one) => one.move === move);
    return choice && !this.board.editor ? this.#choose(choice) : false;
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
    this.clock.begin();
    const action = { label: t("back_to_old"), act: () => this.#tryToOpen(memo.setup, memo) };
    if (unfinished) notify(t("new_game_begun"), { action });
    this.board.focus();
  }

  /** Continue from the shown position; later moves become a variation. */
  #playFromHere() {
    const { game } = this;
    return branch(game, () => this.#tryToOpen(this.setup, { moves: game.moves.slice(0, game.state?.ply) }));
  }

  // Analysing.

  async #analyseThis(pushed = true) {
    const ply = this.game.state?.ply ?? 0;
    this.keep();
    const course = this.before ?? this.game.course();
    if (await this.openAs("analysis", this.people(), course, pushed)) this.game.jump(ply);
  }

  #review() {
    this.side.review?.node.scrollIntoView({ block: "nearest" });
    return this.side.review?.toggle();
  }

  /**
   * Open a position given as text; false if the server rejects it.
   * @param {string} text
   */
  async setUp(text) {
    const start = text.trim() || "start";
    if (start.length > LONGEST_TEXT) {
      notify(t("text_too_long", { n: LONGEST_TEXT }), { bad: true });
      return false;
    }
    if (!(await this.#tryToOpen({ ...this.people(), start }))) return false;
    this.setup = { ...this.setup, start };
    this.#follow();
    return true;
  }
}
