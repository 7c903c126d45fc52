// The game that the page holds: where it began, its moves, what the players said of them, and the shown position.
//
// The server tells the truth in `state` messages; this object keeps enough of it to open the same game again after
// the connection was lost.
//
// Events: "state", "task" (a search begins, goes on or ends), "found" (something was found out about a ply),
// "trouble" (with the Trouble), "connection".

import { opening } from "./choice.js";
import { merged, shown } from "./report.js";
import { Link } from "./socket.js";

export class Game extends EventTarget {
  choice = null;
  moves = [];
  movers = []; // the seat of each move, -1 for chance
  notes = []; // what the mover of each move thought, where it was a machine
  asked = new Map(); // ply -> what a hint or an analysis found there
  state = null; // the last `state`
  task = null; // the search at hand: { task, ply, seat, player, queued, found, compiling, quiet }
  resigned = null;
  online = false;
  waiting = 0; // milliseconds until the next attempt to connect

  #link = new Link();
  #jump = null; // a ply that was asked for while another jump was under way
  #jumping = false;
  #quiet = false;
  #raw = null; // what the search at hand has found, as the server told it

  /** `range`: the score range of the game. */
  constructor(range) {
    super();
    this.range = range;
    this.#link.addEventListener("up", () => this.#back());
    this.#link.addEventListener("down", (event) => this.#lost(event.detail));
    this.#link.addEventListener("message", (event) => this.#heard(event.detail));
  }

  connect() {
    this.#link.connect();
  }

  retry() {
    this.#link.retry();
  }

  /** Open a game. Resolves when the server has it; what was there before stays where the server refuses. */
  async open(choice, { moves = [], resigned = null } = {}) {
    const before = { choice: this.choice, resigned: this.resigned };
    this.choice = choice;
    this.resigned = resigned;
    try {
      if (!this.#link.up) {
        this.moves = moves; // `#back` will open it
        return null;
      }
      return await this.#link.ask(opening(choice, { moves, resigned }));
    } catch (trouble) {
      if (trouble.code !== "offline") Object.assign(this, before);
      throw trouble;
    }
  }

  /** What it takes to come back to this very game. */
  memo() {
    return { choice: structuredClone(this.choice), moves: [...this.moves], resigned: this.resigned };
  }

  // Asking. Each resolves with the answer; troubles are told to everybody and to who asked.

  play(choice) {
    return this.#tell({ type: "move", action: choice.action, ply: this.state.ply });
  }

  undo() {
    return this.#tell({ type: "undo" });
  }

  resign() {
    return this.#tell({ type: "resign" });
  }

  async swap() {
    const answer = await this.#tell({ type: "swap" });
    if (answer) [this.choice.first, this.choice.second] = answer.seats.map((seat) => seat.player);
    return answer;
  }

  step() {
    return this.#tell({ type: "step" });
  }

  /** What the search has by now comes as if it had ended by itself. */
  stop() {
    this.#link.send({ type: "stop" });
  }

  auto(on, pace) {
    this.choice.auto = on;
    this.choice.pace = pace;
    return this.#tell({ type: "auto", on, pace });
  }

  /** `quiet`: nobody waits for it; it must not look as if somebody did. */
  hint(player, { seconds = 1, quiet = false } = {}) {
    this.#quiet = quiet;
    return this.#tell({ type: "hint", player, limit: { time: seconds } });
  }

  analyse(player, seconds) {
    return this.#tell({ type: "analyse", player, seconds });
  }

  xray(player, most) {
    return this.#ask({ type: "xray", player, most });
  }

  line(moves) {
    return this.#tell({ type: "line", moves: moves.slice(0, 60) });
  }

  squares() {
    return this.#tell({ type: "edit" });
  }

  arrange(letters, mover) {
    return this.#tell({ type: "arrange", letters, mover });
  }

  picture(dark) {
    return this.#tell({ type: "picture", dark });
  }

  file(format) {
    return this.#tell({ type: "export", format });
  }

  /** Show another ply. While one jump is under way only the newest wish is kept, so a slider may ask as it likes. */
  async jump(ply) {
    this.#jump = Math.max(0, Math.min(ply, this.moves.length));
    if (this.#jumping) return;
    this.#jumping = true;
    try {
      while (this.#jump !== null) {
        const wish = this.#jump;
        this.#jump = null;
        if (wish !== this.state.ply) await this.#tell({ type: "jump", ply: wish });
      }
    } finally {
      this.#jumping = false;
    }
  }

  // Reading.

  get over() {
    return this.state?.over ?? false;
  }

  get atEnd() {
    return this.state !== null && this.state.ply === this.state.plies;
  }

  /** May a person move on the shown position? */
  get personToMove() {
    const state = this.state;
    return Boolean(state && !state.over && state.mover >= 0 && state.seats[state.mover].human && !this.thinkingMove);
  }

  get thinkingMove() {
    return this.task?.task === "move" || Boolean(this.state?.searching && !this.task);
  }

  get people() {
    return this.state ? this.state.seats.filter((seat) => seat.human).length : 0;
  }

  /** What is known about the position at a ply: a search that goes on, an answer, or what the mover thought. */
  foundAt(ply) {
    if (this.task?.found && this.task.ply === ply) return this.task.found;
    return this.asked.get(ply) ?? this.notes[ply]?.found ?? null;
  }

  // Hearing.

  async #tell(message) {
    try {
      return await this.#ask(message);
    } catch (trouble) {
      this.#event("trouble", trouble);
      return null;
    }
  }

  #ask(message) {
    return this.#link.ask(message);
  }

  #heard(message) {
    switch (message.type) {
      case "state":
        return this.#stateCame(message);
      case "thinking":
        this.#raw = null;
        this.task = { ...message, found: null, compiling: null, quiet: message.task === "hint" && this.#quiet };
        return this.#event("task");
      case "compiling":
        if (this.task) this.task.compiling = message.what;
        return this.#event("task");
      case "progress":
        if (this.task === null) return undefined;
        this.#raw = merged(this.#raw, message.found);
        this.task.found = this.#shown(this.#raw, message.ply);
        this.task.compiling = null;
        return this.#event("found", message.ply);
      case "hint":
      case "analysis":
        this.asked.set(message.ply, {
          ...this.#shown(merged(this.#raw, message.found), message.ply),
          quiet: this.task?.quiet ?? false,
        });
        this.task = null;
        return this.#event("found", message.ply);
      case "xray":
        this.task = null;
        return this.#event("task");
      case "error":
        if (message.re === undefined || message.re === null) this.#event("trouble", message);
        if (this.task && this.task.task !== "move") {
          this.task = null;
          this.#event("task");
        }
        return undefined;
      default:
        return undefined;
    }
  }

  #shown(found, ply) {
    return shown(found, this.movers[ply] ?? this.state.mover, this.range);
  }

  #stateCame(state) {
    const old = this.moves;
    this.moves = [...old.slice(0, state.since), ...state.moves];
    this.movers = [...this.movers.slice(0, state.since), ...state.movers];
    const sameGame = this.state?.game === state.game && this.state?.start === state.start;
    const differs = this.moves.findIndex((move, ply) => move !== old[ply]);
    const same = sameGame ? (differs < 0 ? this.moves.length : differs) : 0; // plies that are as they were
    this.notes = this.moves.map((_, ply) => {
      const note = ply >= state.since ? state.notes[ply - state.since] : null;
      const told = note && { ...note, found: this.#shown(note.found, ply) };
      return told ?? (ply < same ? this.notes[ply] : null) ?? null;
    });
    for (const ply of [...this.asked.keys()]) if (!sameGame || ply > same) this.asked.delete(ply);
    this.state = state;
    this.task = null;
    this.resigned = state.result?.how === "resigned" ? 1 - state.result.winner : null;
    this.#event("state");
  }

  async #back() {
    this.online = true;
    this.waiting = 0;
    this.#event("connection");
    if (this.choice === null) return;
    try {
      await this.#ask(opening(this.choice, { moves: this.moves, resigned: this.resigned }));
    } catch (trouble) {
      if (trouble.code !== "offline") this.#event("trouble", trouble);
    }
  }

  #lost({ wait, code }) {
    this.online = false;
    this.waiting = wait;
    this.full = code === 1013;
    this.task = null;
    this.#event("connection");
  }

  #event(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
