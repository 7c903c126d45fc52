// Looking ahead: the positions of an expected line on the board, without playing them.

export class Peek {
  on = false; // does the board show a position of a line?
  kept = false; // until something else happens, or only while the pointer is there?
  at = -1;
  #frames = new Map(); // line -> promise of its frames
  #turn = 0;

  constructor(page) {
    this.page = page;
  }

  /** Show the position after move `i` of a line that begins at `ply`. */
  async show(ply, line, i, keep) {
    const { game } = this.page;
    if (!keep && (this.kept || this.at === i)) return undefined;
    if (keep && this.kept && this.at === i) return this.leave(true);
    const turn = ++this.#turn;
    this.at = i;
    const done = game.state.ply - ply; // so many moves of the line are on the board already
    const follows = done >= 0 && line.slice(0, done).every((move, k) => move === game.moves[ply + k]);
    if (!follows || i < done) {
      if (!keep) return undefined;
      await game.jump(follows ? ply + i + 1 : ply);
      return follows ? undefined : this.show(ply, line, i, keep);
    }
    const told = await this.#framesOf(line.slice(done));
    const frame = told?.frames[i - done];
    if (!frame || turn !== this.#turn) return undefined;
    this.on = true;
    this.kept = keep;
    this.page.board.offer([]);
    this.page.board.show(frame.svg, game.state.width, game.state.height);
    this.page.draw("found");
    this.#press(i, keep);
    return undefined;
  }

  /** The pointer went away, or (for good) the line was given up. */
  leave(forGood = false) {
    if (this.kept && !forGood) return;
    this.#turn++;
    this.at = -1;
    if (!this.on) return;
    this.#clear();
    this.page.redraw();
  }

  /** The game went on. */
  forget() {
    this.#turn++;
    this.#frames.clear();
    this.#clear();
  }

  #clear() {
    this.on = this.kept = false;
    this.at = -1;
    this.#press(-1, false);
  }

  #press(i, keep) {
    for (const button of this.page.root.querySelectorAll("[data-line]")) {
      button.setAttribute("aria-pressed", String(keep && Number(button.dataset.line) === i));
    }
  }

  #framesOf(line) {
    const key = line.join(" ");
    if (!this.#frames.has(key)) this.#frames.set(key, this.page.game.line(line));
    return this.#frames.get(key);
  }
}
