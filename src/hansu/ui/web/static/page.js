// The page of one game: the board on one side; setting up, playing or analysing on the other.

import { actions } from "./actions.js";
import * as address from "./address.js";
import { analysis } from "./analysis.js";
import { Board } from "./board.js";
import { freshChoice, wishedChoice } from "./choice.js";
import { element, fill } from "./dom.js";
import { Editor } from "./editor.js";
import { Game } from "./game.js";
import { graph } from "./graph.js";
import { heat } from "./heat.js";
import { heatChoice, heatSwitch } from "./heat_switch.js";
import { inLanguage, t } from "./language.js";
import { machine } from "./machine.js";
import { moveList } from "./moves.js";
import { listenToKeys } from "./page_keys.js";
import { Peek } from "./peek.js";
import { replay } from "./replay.js";
import { inWords, note, regret, whisper } from "./say.js";
import { seats, status } from "./seats.js";
import { forget, recall, store } from "./session.js";
import { setup } from "./setup.js";
import { Souvenirs } from "./souvenirs.js";
import { Steering } from "./steering.js";
import { toolbar } from "./toolbar.js";
import { why } from "./why.js";
import { Xray } from "./xray.js";

const PREVIEW_WAIT = 250; // milliseconds after the last change of a form

export class GamePage {
  mode = "setup"; // setup, play or analysis
  before = null; // the game that was left for an analysis or for the set-up
  following = true; // does the analysis go on by itself at every position?
  hinted = null; // { ply, action }: a hint that was asked for
  editor = null; // while a position is being set up
  #life = new AbortController();
  #parts = [];
  #form = null;
  #preview = 0;
  #drawn = null; // the state whose picture is on the board

  constructor(info, wishes) {
    this.info = info;
    this.game = new Game();
    this.analyst = info.analyst;
    this.choice = wishedChoice(info, wishes);
    this.peeking = new Peek(this);
    this.souvenirs = new Souvenirs(this);
    this.steering = new Steering(() => this.open, (choice) => this.choose(choice));
    this.root = element("main", { class: "game", id: "main" });
    for (const name of ["task", "found", "connection"]) this.game.addEventListener(name, () => this.draw(name));
    this.game.addEventListener("state", () => this.#stateCame());
    this.game.addEventListener("trouble", (event) => this.#trouble(event.detail));
    this.#begin(wishes);
  }

  /** Where to begin: a game that was under way in this tab, what the address wishes, or the set-up. */
  #begin(wishes) {
    const stored = recall();
    if (stored) {
      this.choice = stored.choice;
      this.before = stored.before;
      this.mode = stored.mode;
      this.game.open(stored.opened, stored);
    } else if (wishes.view === "analysis") {
      this.mode = "analysis";
      this.game.open(this.#people(), { moves: wishes.moves });
    } else if (this.choice.chosen) {
      this.mode = "play";
      this.game.open(this.choice, { moves: wishes.moves });
    } else {
      this.game.open(this.#people());
    }
    this.build();
    this.game.connect();
  }

  /** The chosen game with people on both sides: for a look at the board, and for analysis. */
  #people() {
    return { ...structuredClone(this.choice), first: "human", second: "human", auto: false, pace: 0 };
  }

  /** The moves that a person may make now on the board. */
  get open() {
    const { game } = this;
    const here = this.mode === "analysis" || (this.mode === "play" && game.atEnd);
    return here && game.personToMove && game.online && !this.peeking.on ? game.state.choices : [];
  }

  get alive() {
    return this.#life.signal;
  }

  // Building. Everything is made anew when the language or the mode changes.

  build() {
    this.#life.abort();
    this.#life = new AbortController();
    this.#drawn = null;
    this.xray?.node.remove();
    this.xray = null;
    const { info } = this;
    const label = t("board_of", { game: inLanguage(info.title) });
    this.board = new Board({ lanes: info.columns, steering: info.steering, label });
    this.#listenToBoard();
    this.heat = heatSwitch(() => this.#heatChanged());
    this.machine = machine(this);
    this.actions = actions(this);
    const parts = { seats: seats(this), replay: replay(this), toolbar: toolbar(this) };
    const side = this.#side();
    const text = element("p", { class: "unseen", id: "board-text" });
    this.board.over.setAttribute("aria-describedby", "board-text");
    this.boardText = text;
    const setting = this.mode === "setup";
    fill(
      this.root,
      element(
        "section",
        { class: "table", "aria-label": t("the_board") },
        setting ? null : parts.seats.node,
        element("div", { class: "board-frame" }, this.board.node, text),
        setting ? null : [this.actions.node, this.machine.node, parts.replay.node],
        this.mode === "play" ? parts.toolbar.node : null,
      ),
      element("aside", { class: "side", "aria-label": t(`side_${this.mode}`) }, side.map((part) => part.node)),
    );
    this.root.dataset.mode = this.mode;
    this.root.dataset.game = info.name;
    this.#parts = [this.machine, this.actions, ...Object.values(parts), ...side].filter((part) => part.update);
    listenToKeys(this);
    this.draw("state");
  }

  /** What lies beside the board. */
  #side() {
    if (this.mode === "setup") return this.#setupSide();
    if (this.mode === "play") return [this.heat, why(this), graph(this), moveList(this)];
    this.analysis = analysis(this);
    return this.editor ? [this.editor] : [this.analysis, graph(this), moveList(this)];
  }

  #setupSide() {
    this.#form = setup(this.info, this.choice, {
      changed: () => this.#chosen(),
      play: () => this.play(),
      analyse: () => this.analyse(),
      share: () => this.souvenirs.copyLink(),
    });
    if (!this.before) return [this.#form];
    const leave = { class: "plain", "data-do": "leave", onclick: () => this.returnToGame() };
    return [{ node: element("button", leave, t("back_to_game")) }, this.#form];
  }

  #listenToBoard() {
    const { board } = this;
    board.addEventListener("choose", (event) => this.choose(event.detail));
    board.addEventListener("ask", (event) => this.actions.ask(event.detail));
    board.addEventListener("steer", (event) => this.steer(event.detail));
    board.addEventListener("touched", (event) => event.detail && whisper(t("choose_target")));
    board.addEventListener("confirm", (event) => note(t("tap_again", { move: event.detail?.move ?? "" })));
  }

  // Drawing.

  draw(what) {
    for (const part of this.#parts) part.update();
    this.#drawBoard(what);
  }

  #drawBoard(what) {
    const { state } = this.game;
    if (!state) return;
    if (this.#drawn !== state && !this.peeking.on) {
      this.board.show(state.svg, state.width, state.height, { animate: this.#drawn !== null });
      this.#drawn = state;
      this.boardText.textContent = t("position_is", { text: state.position ?? "" });
    }
    this.board.node.classList.toggle("peeking", this.peeking.on);
    if (this.editor) return this.editor.draw(this.board);
    this.board.draft([]);
    if (what !== "found" && what !== "task") {
      this.board.offer(this.open, state.seats[state.mover]?.tone);
    }
    this.#drawThoughts(state);
  }

  #drawThoughts(state) {
    const found = this.game.foundAt(state.ply);
    const hot = !this.peeking.on && heatChoice() !== "off" && this.mode !== "setup" && found?.moves.length;
    this.board.glow(hot ? heat(found, state.choices, heatChoice()) : []);
    const hinted = this.hinted?.ply === state.ply && !this.peeking.on ? this.hinted.action : null;
    this.board.hint(state.choices.find((choice) => choice.action === (this.pointed ?? hinted)) ?? null);
  }

  /** After a peek: the true position again. */
  redraw() {
    this.#drawn = null;
    this.draw("state");
  }

  // Hearing.

  #stateCame() {
    const { game } = this;
    const { state } = game;
    this.peeking.forget();
    this.pointed = null;
    if (this.hinted && this.hinted.ply !== state.ply) this.hinted = null;
    this.draw("state");
    if (this.mode === "setup") return this.#form?.complain(null);
    if (this.mode === "play") this.choice = game.choice;
    store(this);
    this.#tellMove(state);
    this.#askForHeat();
    this.steering.go();
    return undefined;
  }

  #tellMove(state) {
    const words = [];
    if (grew(state) && this.mode === "play") {
      const seat = state.seats[state.movers.at(-1)];
      if (seat) words.push(t("plays", { who: inLanguage(seat.name), move: state.moves.at(-1) }));
    }
    words.push(status(this).text);
    whisper(words.join(". "));
    const mark = state.over || (this.game.personToMove && this.game.people === 1 && this.mode === "play") ? "● " : "";
    document.title = `${mark}${status(this).text} · ${inLanguage(this.info.title)}`;
  }

  #trouble(trouble) {
    if (trouble.code === "rate") return;
    const [text, hint] = inWords(trouble);
    if (this.mode === "setup") {
      this.#form.complain(text, hint);
      return;
    }
    regret(trouble);
    if (this.game.state === null && !["offline", "busy"].includes(trouble.code)) {
      // A link that makes no sense here: begin with a set-up that does.
      forget();
      this.choice = freshChoice(this.info);
      this.#enter("setup");
      this.game.open(this.#people()).catch(regret);
      return;
    }
    this.draw("state");
  }

  // Setting up.

  #chosen() {
    clearTimeout(this.#preview);
    this.choice.chosen = true;
    this.#follow();
    const look = () => this.game.open(this.#people()).catch((trouble) => this.#trouble(trouble));
    this.#preview = setTimeout(look, PREVIEW_WAIT);
  }

  /** The address follows what was chosen, so that it can be shared. */
  #follow() {
    const view = this.mode === "analysis" ? "analysis" : null;
    history.replaceState(null, "", address.write(this.choice, { view }));
  }

  #enter(mode) {
    this.mode = mode;
    this.hinted = null;
    this.editor = null;
    this.peeking.forget();
    this.#follow();
    this.build();
    scrollTo(0, 0);
  }

  async #openAs(mode, choice, memo = {}) {
    clearTimeout(this.#preview);
    try {
      await this.game.open(choice, memo);
    } catch (trouble) {
      this.#trouble(trouble);
      return false;
    }
    this.#enter(mode);
    return true;
  }

  async play() {
    this.choice.chosen = true;
    if (!(await this.#openAs("play", this.choice))) return;
    this.before = null;
    store(this);
    if (matchMedia("(hover: hover)").matches) this.board.focus();
  }

  analyse() {
    return this.#openAs("analysis", this.#people());
  }

  change() {
    this.before = { ...this.game.memo(), choice: structuredClone(this.choice) };
    this.choice = structuredClone(this.choice);
    this.#enter("setup");
    this.game.open(this.#people()).catch(regret);
  }

  returnToGame() {
    const { before } = this;
    this.before = null;
    this.choice = before.choice;
    return this.#openAs("play", before.choice, before);
  }

  // Playing.

  choose(choice) {
    if (this.editor) return this.editor.put(choice.action);
    this.hinted = null;
    this.board.offer([]);
    return this.game.play(choice).then((answer) => answer ?? this.draw("state"));
  }

  chooseAction(action) {
    const choice = this.game.state.choices.find((one) => one.action === action);
    return choice && this.choose(choice);
  }

  steer(key) {
    this.steering.press(key);
  }

  undo() {
    if (this.game.moves.length) this.game.undo();
  }

  async hint() {
    const { game } = this;
    if (!game.state || game.state.over || game.thinkingMove) return;
    const answer = await game.hint(this.#helper());
    if (!answer || answer.ply !== game.state.ply) return;
    this.hinted = { ply: answer.ply, action: answer.found.action };
    whisper(t("hint_says", { move: answer.found.move ?? "" }));
    this.draw("found");
  }

  /** Who is asked for hints: the machine that plays here, or else the game's analyst. */
  #helper() {
    return this.info.analyst;
  }

  swap() {
    this.game.swap().then(() => this.#follow());
  }

  async resign() {
    const memo = this.game.memo();
    const action = { label: t("take_back"), act: () => this.#reopen(memo) };
    if (await this.game.resign()) note(t("resigned"), { action });
  }

  async again() {
    const memo = this.game.memo();
    const unfinished = memo.moves.length > 1 && !this.game.over;
    try {
      await this.game.open(this.choice);
    } catch (trouble) {
      this.#trouble(trouble);
      return;
    }
    const action = { label: t("back_to_old"), act: () => this.#reopen(memo) };
    if (unfinished) note(t("new_game_begun"), { action });
    this.board.focus();
  }

  #reopen({ choice, moves, resigned = null }) {
    return this.game.open(choice, { moves, resigned }).catch(regret);
  }

  returnToEnd() {
    this.game.jump(this.game.state.plies);
  }

  /** What came after the shown position is given up. */
  playFromHere() {
    const { moves, state } = this.game;
    return this.#reopen({ choice: this.choice, moves: moves.slice(0, state.ply) });
  }

  #heatChanged() {
    this.draw("found");
    this.#askForHeat();
  }

  /** Where heat is wanted and nothing is known about the position yet, ask quietly. */
  #askForHeat() {
    const { game } = this;
    if (this.mode !== "play" || heatChoice() === "off" || !game.personToMove || !game.atEnd || game.task) return;
    if (!game.foundAt(game.state.ply)?.moves.length) game.hint(this.#helper(), { quiet: true });
  }

  // Looking ahead, and into the search.

  moverAt(ply) {
    const { state } = this.game;
    const seat = ply === state.ply ? state.mover : this.game.movers[ply];
    return state.seats[seat] ? inLanguage(state.seats[seat].name) : "";
  }

  peek(ply, line, i, keep) {
    this.peeking.show(ply, line, i, keep);
  }

  unpeek() {
    this.peeking.leave();
  }

  /** Ring a move on the board while it is pointed at in a table. */
  point(action) {
    this.pointed = action;
    if (this.game.state && !this.editor) this.#drawThoughts(this.game.state); // only that: the table may be changing
  }

  openXray() {
    if (!this.info.xray.length || !this.game.state) return;
    if (this.game.over) return note(t("xray_over"));
    this.xray ??= new Xray(this);
    this.xray.open();
  }

  // Analysing.

  async analyseThis() {
    const { ply } = this.game.state;
    this.before = { ...this.game.memo(), choice: structuredClone(this.choice) };
    const choice = this.#people();
    if (await this.#openAs("analysis", choice, this.before)) this.game.jump(ply);
  }

  leaveAnalysis() {
    if (this.before) return this.returnToGame();
    forget();
    return this.#openAs("setup", this.#people());
  }

  /** Another position as text; true where the server could read it. */
  async setUp(text) {
    const choice = { ...this.#people(), start: text.trim() || "start" };
    try {
      await this.game.open(choice);
    } catch (trouble) {
      this.#trouble(trouble);
      return false;
    }
    this.choice = { ...this.choice, start: choice.start };
    this.#follow();
    return true;
  }

  /** Change the board square by square. */
  async edit() {
    this.game.stop();
    const editor = new Editor(this, {
      done: async (text) => {
        if (await this.setUp(text)) this.#leaveEditor();
      },
      cancel: () => this.#leaveEditor(),
    });
    if (!(await editor.begin())) return;
    this.editor = editor;
    this.build();
  }

  #leaveEditor() {
    this.editor = null;
    this.build();
  }
}

/** Does this state tell of new moves (and not of a jump, or of a game that was opened again)? */
function grew(state) {
  return state.moves.length > 0 && (state.since > 0 || state.plies === 1);
}
