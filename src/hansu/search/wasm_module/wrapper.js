// {title}: rules and search as WebAssembly, made by hansu. README.md beside this file shows how to use it.

const GAME = {facts};

/** Loads the module that lies beside this file; give a URL or the bytes where it lies elsewhere. */
export async function load(source = new URL("./{name}.wasm", import.meta.url)) {
  const bytes = source instanceof URL || typeof source === "string" ? await read(source) : source;
  const module = await WebAssembly.compile(bytes);
  const memory = {};
  const provided = {
    log: Math.log, exp: Math.exp, pow: Math.pow, sin: Math.sin, cos: Math.cos,
    clock_gettime(clock, at) {
      const now = performance.now();
      const view = new DataView(memory.of.buffer);
      view.setBigInt64(at, BigInt(Math.floor(now / 1000)), true);
      view.setBigInt64(at + 8, BigInt(Math.floor((now % 1000) * 1e6)), true);
      return 0;
    },
  };
  const { exports } = await WebAssembly.instantiate(module, { env: provided });
  memory.of = exports.memory;
  return new Game(exports);
}

async function read(url) {
  if (String(url).startsWith("file:")) return (await import("node:fs/promises")).readFile(new URL(url));
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

class Game {
  #call;
  #memory;

  constructor(exports) {
    this.#call = new Proxy(exports, {
      get(all, name) {
        if (name in all) return all[name];
        throw new Error(`this module was exported without ${String(name)}: hansu export wasm lists what can be named`);
      },
    });
    this.#memory = exports.memory;
    const missing = GAME.end - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / 65536));
    for (const [at, content] of GAME.memory) {
      new Uint8Array(this.#memory.buffer, at).set(Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0)));
    }
    if (GAME.tree) {
      const scale = new Float64Array(this.#memory.buffer, GAME.tree.scale, GAME.tree.scaleLength);
      scale.forEach((_, visits) => (scale[visits] = Math.sqrt(Math.log(Math.max(visits, 1)))));
    }
  }

  /** The names of the seats: `seats[0]` is player 0. */
  get seats() {
    return GAME.seats;
  }

  /** The position the game starts from. */
  start() {
    return BigInt64Array.from(GAME.start, BigInt);
  }

  /** All legal actions, in the game's order. */
  legal(state) {
    const at = this.#put(state);
    const actions = [];
    for (let a = this.#call.next_action(at, -1); a >= 0; a = this.#call.next_action(at, a)) actions.push(a);
    return actions;
  }

  /** Is one action legal? */
  isLegal(state, action) {
    return this.#call.legal(this.#put(state), action) !== 0;
  }

  /** The position after an action; throws where it is not legal. */
  play(state, action) {
    if (this.over(state) || !this.isLegal(state, action)) throw new RangeError(`${action} is not a legal action here`);
    this.#call.play(GAME.after, this.#put(state), action);
    return new BigInt64Array(this.#memory.buffer, GAME.after, GAME.start.length).slice();
  }

  over(state) {
    return this.#call.over(this.#put(state)) !== 0;
  }

  /** The result of a finished game, from player 0's side. */
  score(state) {
    return this.#call.score(this.#put(state));
  }

  /** Who moves: 0, 1, ..., or CHANCE. */
  mover(state) {
    return this.#call.mover(this.#put(state));
  }

  /** At a chance node: the probability of an action. */
  probability(state, action) {
    return this.#call.probability(this.#put(state), action);
  }

  /** The best action by Monte-Carlo tree search, with what the search found. */
  bestMove(state, { simulations = 10000, exploration = 1.0, playoutPlies = 2000, seed = 1 } = {}) {
    if (this.over(state)) throw new RangeError("the game is over");
    const search = this.#call.search;
    const { tree, seed: seedAt, watch, watchBytes } = GAME.tree;
    new BigInt64Array(this.#memory.buffer, seedAt, 1)[0] = BigInt(seed);
    new Uint8Array(this.#memory.buffer, watch, watchBytes).fill(0);
    const at = this.#put(state);
    const action = search(at, tree, simulations, exploration, GAME.unit, playoutPlies, seedAt, watch);
    const moves = [];
    for (let i = 0; i < this.#call.child_count(tree); i++) {
      moves.push({
        action: this.#call.action_of_child(tree, i),
        visits: this.#call.visits_of_child(tree, i),
        value: this.#call.value_of_child(tree, i) * GAME.unit,
      });
    }
    return { action, moves };
  }

  #put(state) {
    if (!(state instanceof BigInt64Array) || state.length !== GAME.start.length) {
      throw new TypeError("a state comes from start() or play()");
    }
    new BigInt64Array(this.#memory.buffer, GAME.state, state.length).set(state);
    return GAME.state;
  }
}

export const CHANCE = {chance};
