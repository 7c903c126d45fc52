// The game that the page holds: where it began, its moves, what the players said of them, and the shown position.
//
// The server tells the truth in `state` messages; this object keeps enough of it to open the same game again after
// the connection was lost.

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
 * @typedef {{ setup: Setup } & Course} Memo what it takes to come back to a game
 * @typedef {{ found: ShownReport | null, compiling: Compiling | null, quiet: boolean }} Known of a search that runs
 * @typedef {Thinking & Known} Task a search that runs
 * @typedef {"hint" | "values" | "analysis"} Question `values`: a quick look at all moves, to be shown on the board
 * @typedef {ShownReport & { question: Question }} Answered
 * @typedef {"state" | "task" | "found" | "connection"} Change
 */

const LONGEST_LINE = 60; // moves of a line that the server draws
const SEARCHES = new Set(["hint", "analyse", "review", "xray"]);
const OWN_DOING = new Set(["replaced", "stopped"]); // what became of a question by this page's own wish

export class Game {
  /** @type {Setup | null} */
  setup = null;
  start = "start"; // where the moves begin, as a position's text
  /** @type {string[]} */
  moves = [];
  /** @type {number[]} the seat of each move, -1 for chance */
  movers = [];
  /** @type {({ player: string, found: ShownReport } | null)[]} what the mover of each move thought, if a machine */
  notes = [];
  /** @type {Map<number, Answered>} ply -> what a hint or an analysis found there */
  asked = new Map();
  /** @type {Map<number, ShownReport>} ply -> what a review of the whole game found there */
  reviewed = new Map();
  /** @type {Variation[]} lines that were given up for others */
  variations = [];
  branching = false; // is every line that is given up kept?
  /** @type {State | null} the last that came */
  state = null;
  /** @type {Task | null} the search at hand */
  task = null;
  /** @type {0 | 1 | null} the seat that gave up */
  resigned = null;
  overtime = false; // by the clock, not by choice
  /** @type {Ending | null} of the whole game, though an earlier ply may be shown */
  result = null;
  online = false;
  full = false; // the server has no room
  waiting = 0; // milliseconds until the next attempt to connect

  #link;
  /** @type {number | null} a ply that was asked for while another jump was under way */
  #jump = null;
  #jumping = false;
  /** @type {Question} what was asked last */
  #question = "hint";
  #asking = 0; // the number of a search that was asked for and that the server has not begun yet
  /** @type {Report | null} what the search at hand has found, as the server told it */
  #found = null;

  /**
   * `changed` hears of a new state, of a search that begins, goes on or ends, of something that was found out, of the
   * connection; `trouble` of what went wrong.
   * @param {GameInfo} info
   * @param {{ changed: (what: Change) => void, trouble: (trouble: RequestError) => void }} listener
   */
  constructor(info, listener) {
    this.info = info;
    this.listener = listener;
    this.#link = new Link({
      up: () => this.#back(),
      down: (loss) => this.#lost(loss),
      message: (message) => this.#heard(message),
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
   * Open a game. Resolves when the server has it; what was there before stays where the server refuses.
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
    } catch (trouble) {
      if (trouble instanceof RequestError && trouble.code !== "offline") Object.assign(this, before);
      throw trouble;
    }
  }

  /** @returns {Course} */
  course() {
    return { start: this.start, moves: [...this.moves], resigned: this.resigned, overtime: this.overtime };
  }

  // Asking. Each resolves with the answer, or with null where there was trouble, which the listener has heard of.

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

  /** What the search has by now comes as if it had ended by itself. */
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
   * A quick look at all moves. Nobody waits for it; it must not look as if somebody did.
   * @param {string} player
   * @returns {Promise<AnalysisReply | null>}
   */
  values(player, seconds = 2) {
    this.#question = "values";
    return this.ask({ type: "analyse", player, seconds });
  }

  /**
   * Judge every position of the game, or those from a ply on.
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
   * Rejects where there is trouble: who asks tells it.
   * @param {string} player
   * @param {number} most
   * @returns {Promise<XrayReply>}
   */
  xray(player, most) {
    return this.#send({ type: "xray", player, most });
  }

  /**
   * Pictures along a line, from the shown position or from that of a ply.
   * @param {string[]} moves
   * @param {number | null} ply
   * @returns {Promise<LineReply | null>}
   */
  line(moves, ply = null) {
    return this.ask({ type: "line", moves: moves.slice(0, LONGEST_LINE), ply });
  }

  /**
   * What a file holds.
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
   * With its variations, where the format can hold them.
   * @param {string} format
   * @returns {Promise<File | null>}
   */
  file(format) {
    return this.ask({ type: "export", format, variations: this.variations });
  }

  /**
   * Show another ply. While one jump is under way only the newest wish is kept, so a slider may ask as it likes.
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

  // Reading.

  get over() {
    return this.state?.over ?? false;
  }

  /** Does a search go on, or is one about to begin? Another would end it. */
  get busy() {
    return this.#asking > 0 || this.task !== null;
  }

  /** Is the last position the shown one? */
  get atEnd() {
    return this.state !== null && this.state.ply === this.state.plies;
  }

  /** May a person move on the shown position? */
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
   * The seat that moves at a ply, null where nobody does.
   * @param {number} ply
   */
  seatAt(ply) {
    const seat = ply === this.state?.ply ? this.state.mover : this.movers[ply];
    return this.state?.seats[seat] ?? null;
  }

  /**
   * What is known about the position at a ply: a search that goes on, an answer, or what the mover thought.
   * @param {number} ply
   */
  foundAt(ply) {
    if (this.task?.found && this.task.ply === ply) return this.task.found;
    return this.asked.get(ply) ?? this.reviewed.get(ply) ?? this.notes[ply]?.found ?? null;
  }

  /**
   * What the position at a ply is worth: by one judge where the game was reviewed, and as it ended at its end.
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

  // Hearing.

  /**
   * Anything else that the server knows.
   * @param {ClientMessage} message
   * @returns {Promise<any>}
   */
  async ask(message) {
    try {
      return await this.#send(message);
    } catch (trouble) {
      if (!(trouble instanceof RequestError)) throw trouble;
      if (!OWN_DOING.has(trouble.code)) this.listener.trouble(trouble);
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
  #heard(message) {
    if (message.re !== null && message.re >= this.#asking) this.#asking = 0; // messages are answered in order
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
        this.asked.set(message.ply, { ...this.#learn(message), question });
        this.task = null;
        return this.listener.changed("found");
      }
      case "review":
      case "xray":
        this.task = null;
        return this.listener.changed("task");
      case "error":
        return this.#troubleCame(message);
      default:
        return undefined;
    }
  }

  /** @param {Progress} message */
  #progressCame(message) {
    if (this.task) Object.assign(this.task, { compiling: null, queued: 0 }); // it has begun
    if (message.task === "review") this.reviewed.set(message.ply, this.#shown(message.found, message.ply));
    else if (this.task) this.task.found = this.#learn(message);
    else return;
    this.listener.changed("found");
  }

  /**
   * What a search has found, with what was known of it before.
   * @param {{ found: Report, ply: number }} message
   */
  #learn({ found, ply }) {
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
  #troubleCame(message) {
    if (message.re === null) this.listener.trouble(new RequestError(message));
    if (message.code === "replaced" && (this.#asking || this.task?.re !== message.re)) return; // the next one is near
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
    const same = sameGame ? (differs < 0 ? this.moves.length : differs) : 0; // plies that are as they were
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
    if (this.task?.task !== "review" || !this.#jumping) this.task = null; // a review goes on while one looks around
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
    } catch (trouble) {
      if (!(trouble instanceof RequestError)) throw trouble;
      if (trouble.code !== "offline") this.listener.trouble(trouble);
    }
  }

  /** @param {{ wait: number, code: number }} loss */
  #lost({ wait, code }) {
    this.online = false;
    this.waiting = wait;
    this.full = code === 1013;
    const { task } = this; // what it found stays
    if (task?.found && task.task !== "move") this.asked.set(task.ply, { ...task.found, question: this.#question });
    this.task = null;
    this.#asking = 0;
    this.listener.changed("connection");
  }
}
