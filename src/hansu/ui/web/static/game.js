// The page's game: its start, its moves with their reports, and the shown position.
//
// `state` messages of the server are authoritative; this object keeps enough of them to reopen the game after a lost
// connection.

import { keepVariation } from "./moves.js";
import { merged, shown } from "./report.js";
import { opening } from "./setup.js";
import { Link, RequestError } from "./socket.js";
import { isWon } from "./value.js";

/**
 * @import { AnalysisReply, ClientMessage, Compiling, Ending, ErrorMessage, File, HintReply, LineReply, LoadReply,
 *   PictureReply, Progress, Report, ReviewReply, ServerMessage, State, Thinking, XrayReply } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 * @import { GameFile } from "./files.js"
 * @import { Variation } from "./moves.js"
 * @import { ShownReport } from "./report.js"
 * @import { Setup } from "./setup.js"
 * @import { Judged } from "./value.js"
 */

/**
 * @typedef {{ start: string, moves: string[], resigned: 0 | 1 | null, overtime?: boolean }} Course
 * @typedef {{ setup: Setup } & Course} Memo everything needed to return to a game
 * @typedef {{ found: ShownReport | null, compiling: Compiling | null, quiet: boolean }} TaskProgress
 * @typedef {Thinking & TaskProgress} Task a running search
 * @typedef {"hint" | "values" | "analysis"} Question `values`: a quick analysis for the overlay
 * @typedef {ShownReport & { question: Question }} Answered
 * @typedef {"state" | "task" | "found" | "connection"} Change
 */

const LONGEST_LINE = 60; // moves of a previewed line
const SEARCHES = new Set(["hint", "analyse", "review", "xray"]);
const OWN_DOING = new Set(["replaced", "stopped"]); // errors that the page has caused itself

export class Game {
  /** @type {Setup | null} */
  setup = null;
  start = "start"; // the position before the first move, as text
  /** @type {string[]} */
  moves = [];
  /** @type {number[]} the seat of each move, -1 for chance */
  movers = [];
  /** @type {({ player: string, found: ShownReport } | null)[]} the report behind each move of a machine */
  notes = [];
  /** @type {Map<number, Answered>} ply -> the report of a hint or an analysis */
  asked = new Map();
  /** @type {Map<number, ShownReport>} ply -> the report of a review */
  reviewed = new Map();
  /** @type {Variation[]} earlier lines of the game */
  variations = [];
  branching = false; // whether replaced lines are kept as variations
  /** @type {State | null} the latest */
  state = null;
  /** @type {Task | null} the current search */
  task = null;
  /** @type {0 | 1 | null} the seat that resigned */
  resigned = null;
  overtime = false; // by the clock
  /** @type {Ending | null} of the whole game, even if an earlier ply is shown */
  result = null;
  online = false;
  full = false; // the server is full
  waiting = 0; // milliseconds until the next attempt to connect

  #link;
  /** @type {number | null} the next ply to show, while another jump is running */
  #jump = null;
  #jumping = false;
  /** @type {Question} the latest */
  #question = "hint";
  #asking = 0; // the id of a search that the server has not started yet
  /** @type {Report | null} the merged reports of the current search */
  #found = null;

  /**
   * `changed` is called for a new state, for a search that starts, progresses or ends, for new reports, and for the
   * connection; `error` for errors.
   * @param {GameInfo} info
   * @param {{ changed: (what: Change) => void, error: (error: RequestError) => void }} listener
   */
  constructor(info, listener) {
    this.info = info;
    this.listener = listener;
    this.#link = new Link({
      up: () => this.#back(),
      down: (loss) => this.#lost(loss),
      message: (message) => this.#receive(message),
    });
  }

  get range() {
    return this.info.score_range;
  }

  connect() {
    this.#link.connect();
  }

  retry() {
    this.#link.retry();
  }

  /**
   * Open a game. Resolves when the server has opened it; if the server rejects it, the previous game stays.
   * @param {Setup} setup
   * @param {Partial<Course>} [course]
   * @returns {Promise<State | null>}
   */
  async open(setup, { start = setup.start, moves = [], resigned = null, overtime = false } = {}) {
    const before = { setup: this.setup, resigned: this.resigned, overtime: this.overtime, start: this.start };
    this.setup = setup;
    Object.assign(this, { resigned, overtime });
    this.start = start;
    try {
      if (!this.#link.up) {
        this.moves = moves; // `#back` will open it
        return null;
      }
      return await this.#link.ask(opening(setup, { start, moves, resigned, overtime }));
    } catch (error) {
      if (error instanceof RequestError && error.code !== "offline") Object.assign(this, before);
      throw error;
    }
  }

  /** @returns {Course} */
  course() {
    return { start: this.start, moves: [...this.moves], resigned: this.resigned, overtime: this.overtime };
  }

  // Requests. Each resolves with the reply, or with null after an error, which was passed to the listener.

  /**
   * @param {{ action: number }} choice
   * @returns {Promise<State | null>}
   */
  play({ action }) {
    return this.ask({ type: "move", action, ply: this.state?.ply });
  }

  /** @returns {Promise<State | null>} */
  undo() {
    return this.ask({ type: "undo" });
  }

  /**
   * @param {0 | 1 | null} seat null: the person to move
   * @param {boolean} overtime
   * @returns {Promise<State | null>}
   */
  resign(seat = null, overtime = false) {
    return this.ask({ type: "resign", seat, overtime });
  }

  /** @returns {Promise<State | null>} */
  async swap() {
    const answer = /** @type {State | null} */ (await this.ask({ type: "swap" }));
    if (answer && this.setup) [this.setup.first, this.setup.second] = answer.seats.map((seat) => seat.player);
    return answer;
  }

  /** @returns {Promise<State | null>} */
  step() {
    return this.ask({ type: "step" });
  }

  /** End the current search with its result so far. */
  stop() {
    this.#link.send({ type: "stop" });
  }

  /**
   * @param {boolean} on
   * @param {number} pace
   * @returns {Promise<State | null>}
   */
  auto(on, pace) {
    if (this.setup) Object.assign(this.setup, { auto: on, pace });
    return this.ask({ type: "auto", on, pace });
  }

  /**
   * @param {string} player
   * @returns {Promise<HintReply | null>}
   */
  hint(player, seconds = 1) {
    this.#question = "hint";
    return this.ask({ type: "hint", player, limit: { time: seconds } });
  }

  /**
   * @param {string} player
   * @param {number} seconds
   * @returns {Promise<AnalysisReply | null>}
   */
  analyse(player, seconds) {
    this.#question = "analysis";
    return this.ask({ type: "analyse", player, seconds });
  }

  /**
   * A quick analysis for the overlay. Nobody waits for it, so the status line does not mention it.
   * @param {string} player
   * @returns {Promise<AnalysisReply | null>}
   */
  values(player, seconds = 2) {
    this.#question = "values";
    return this.ask({ type: "analyse", player, seconds });
  }

  /**
   * Evaluate every position of the game, or those from a ply on.
   * @param {string} player
   * @param {number} seconds
   * @param {number} since
   * @returns {Promise<ReviewReply | null>}
   */
  review(player, seconds, since = 0) {
    this.reviewed.clear();
    return this.ask({ type: "review", player, seconds, since });
  }

  /**
   * Rejects on errors: the caller shows them.
   * @param {string} player
   * @param {number} most
   * @returns {Promise<XrayReply>}
   */
  xray(player, most) {
    return this.#send({ type: "xray", player, most });
  }

  /**
   * Pictures along a line from the shown position, or from the position at a ply.
   * @param {string[]} moves
   * @param {number | null} ply
   * @returns {Promise<LineReply | null>}
   */
  line(moves, ply = null) {
    return this.ask({ type: "line", moves: moves.slice(0, LONGEST_LINE), ply });
  }

  /**
   * The contents of a file.
   * @param {GameFile} file
   * @returns {Promise<LoadReply | null>}
   */
  load(file) {
    return this.ask({ type: "load", ...file });
  }

  /**
   * @param {boolean} dark
   * @returns {Promise<PictureReply | null>}
   */
  picture(dark) {
    return this.ask({ type: "picture", dark });
  }

  /**
   * With its variations, if the format supports them.
   * @param {string} format
   * @returns {Promise<File | null>}
   */
  file(format) {
    return this.ask({ type: "export", format, variations: this.variations });
  }

  /**
   * Show another ply. While a jump is running only the newest request is kept, so a slider may call this often.
   * @param {number} ply
   */
  async jump(ply) {
    this.#jump = Math.max(0, Math.min(ply, this.moves.length));
    if (this.#jumping) return;
    this.#jumping = true;
    try {
      while (this.#jump !== null) {
        const wish = this.#jump;
        this.#jump = null;
        if (wish !== this.state?.ply) await this.ask({ type: "jump", ply: wish });
      }
    } finally {
      this.#jumping = false;
    }
  }

  // State.

  get over() {
    return this.state?.over ?? false;
  }

  /** Whether a search is running or about to start. Another one would end it. */
  get busy() {
    return this.#asking > 0 || this.task !== null;
  }

  /** Whether the last position is shown. */
  get atEnd() {
    return this.state !== null && this.state.ply === this.state.plies;
  }

  /** Whether a person may move at the shown position. */
  get personToMove() {
    const { state } = this;
    return Boolean(state && !state.over && state.mover >= 0 && state.seats[state.mover].human && !this.thinkingMove);
  }

  get thinkingMove() {
    return this.task?.task === "move" || Boolean(this.state?.searching && !this.task);
  }

  get people() {
    return this.state ? this.state.seats.filter((seat) => seat.human).length : 0;
  }

  /**
   * The seat to move at a ply; null if there is none.
   * @param {number} ply
   */
  seatAt(ply) {
    const seat = ply === this.state?.ply ? this.state.mover : this.movers[ply];
    return this.state?.seats[seat] ?? null;
  }

  /**
   * The best known report on the position at a ply: of a running search, a hint, an analysis, a review, or the mover.
   * @param {number} ply
   */
  foundAt(ply) {
    if (this.task?.found && this.task.ply === ply) return this.task.found;
    return this.asked.get(ply) ?? this.reviewed.get(ply) ?? this.notes[ply]?.found ?? null;
  }

  /**
   * The value of the position at a ply: from a review if there is one, and from the result at the end.
   * @param {number} ply
   * @returns {Judged | null}
   */
  worthAt(ply) {
    const result = ply === this.moves.length ? this.result : null;
    if (result) {
      const { score, winner } = result;
      const value = !isWon(this.range) && score !== null ? score : winner === null ? 0 : winner === 0 ? 1 : -1;
      return { value, proved: true, plies: 0 };
    }
    const found = this.reviewed.get(ply) ?? this.foundAt(ply);
    return found && found.value !== null ? found : null;
  }

  // Messages.

  /**
   * Send any request.
   * @param {ClientMessage} message
   * @returns {Promise<any>}
   */
  async ask(message) {
    try {
      return await this.#send(message);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!OWN_DOING.has(error.code)) this.listener.error(error);
      return null;
    }
  }

  /** @param {ClientMessage} message @returns {Promise<any>} */
  #send(message) {
    const answer = this.#link.ask(message);
    if (this.online && SEARCHES.has(message.type)) this.#asking = this.#link.newest;
    return answer;
  }

  /** @param {ServerMessage} message */
  #receive(message) {
    if (message.re !== null && message.re >= this.#asking) this.#asking = 0; // replies come in order
    switch (message.type) {
      case "state":
        return this.#stateCame(message);
      case "thinking":
        this.#found = null;
        this.task = { ...message, found: null, compiling: null, quiet: false };
        this.task.quiet = message.task === "analysis" && this.#question === "values";
        return this.listener.changed("task");
      case "compiling":
        if (this.task) this.task.compiling = message;
        return this.listener.changed("task");
      case "progress":
        return this.#progressCame(message);
      case "hint":
      case "analysis": {
        const question = message.type === "hint" ? "hint" : this.#question;
        this.asked.set(message.ply, { ...this.#merge(message), question });
        this.task = null;
        return this.listener.changed("found");
      }
      case "review":
      case "xray":
        this.task = null;
        return this.listener.changed("task");
      case "error":
        return this.#errorCame(message);
      default:
        return undefined;
    }
  }

  /** @param {Progress} message */
  #progressCame(message) {
    if (this.task) Object.assign(this.task, { compiling: null, queued: 0 }); // it has started
    if (message.task === "review") this.reviewed.set(message.ply, this.#shown(message.found, message.ply));
    else if (this.task) this.task.found = this.#merge(message);
    else return;
    this.listener.changed("found");
  }

  /**
   * Merge a report into those of the current search.
   * @param {{ found: Report, ply: number }} message
   */
  #merge({ found, ply }) {
    this.#found = merged(this.#found, found);
    return this.#shown(this.#found, ply);
  }

  /**
   * @param {Report} found
   * @param {number} ply
   */
  #shown(found, ply) {
    return shown(found, this.movers[ply] ?? this.state?.mover ?? 0, this.range);
  }

  /** @param {ErrorMessage} message */
  #errorCame(message) {
    if (message.re === null) this.listener.error(new RequestError(message));
    if (message.code === "replaced" && (this.#asking || this.task?.re !== message.re)) return; // another one follows
    if (this.task && this.task.task !== "move") {
      this.task = null;
      this.listener.changed("task");
    }
  }

  /** @param {State} state */
  #stateCame(state) {
    const old = this.moves;
    this.moves = [...old.slice(0, state.since), ...state.moves];
    this.movers = [...this.movers.slice(0, state.since), ...state.movers];
    const sameGame = this.state?.game === state.game && this.state?.start === state.start;
    const differs = this.moves.findIndex((move, ply) => move !== old[ply]);
    const same = sameGame ? (differs < 0 ? this.moves.length : differs) : 0; // unchanged plies
    this.notes = this.moves.map((_, ply) => {
      const note = ply >= state.since ? state.notes[ply - state.since] : null;
      if (note) return { player: note.player, found: this.#shown(note.found, ply) };
      return (ply < same ? this.notes[ply] : null) ?? null;
    });
    for (const known of [this.asked, this.reviewed]) {
      for (const ply of [...known.keys()]) if (!sameGame || ply > same) known.delete(ply);
    }
    if (differs >= 0 || this.moves.length !== old.length || !sameGame) this.result = null;
    if (!sameGame) this.variations = [];
    else if (this.branching) this.variations = keepVariation(this.variations, old, this.moves);
    this.state = state;
    this.start = state.start;
    if (this.task?.task !== "review" || !this.#jumping) this.task = null; // a review continues during jumps
    if (state.ply === state.plies) this.result = state.result;
    this.overtime = this.result?.how === "time";
    this.resigned = this.overtime || this.result?.how === "resigned" ? (this.result?.winner === 0 ? 1 : 0) : null;
    this.listener.changed("state");
  }

  async #back() {
    this.online = true;
    this.waiting = 0;
    this.listener.changed("connection");
    if (this.setup === null) return;
    try {
      await this.#link.ask(opening(this.setup, this.course()));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.code !== "offline") this.listener.error(error);
    }
  }

  /** @param {{ wait: number, code: number }} loss */
  #lost({ wait, code }) {
    this.online = false;
    this.waiting = wait;
    this.full = code === 1013;
    const { task } = this; // its report is kept
    if (task?.found && task.task !== "move") this.asked.set(task.ply, { ...task.found, question: this.#question });
    this.task = null;
    this.#asking = 0;
    this.listener.changed("connection");
  }
}
