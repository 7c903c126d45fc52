// Types of {name}.js, made by hansu.

/** A position. It comes from `start` or `play`; its words are the fields of the Python state. */
export type State = BigInt64Array;

export interface SearchOptions {
  /** Simulations of the search; 10,000 if left out. */
  simulations?: number;
  /** How much rarely visited moves are tried; 1 if left out. */
  exploration?: number;
  /** A random playout that is longer is judged by the game's evaluation; 2,000 plies if left out. */
  playoutPlies?: number;
  /** The same seed gives the same search; 1 if left out. */
  seed?: number;
}

export interface SearchedMove {
  action: number;
  visits: number;
  /** The mean result, for the side that makes the move. */
  value: number;
}

export interface Game {
  readonly seats: readonly string[];
  start(): State;
  legal(state: State): number[];
  isLegal(state: State, action: number): boolean;
  play(state: State, action: number): State;
  over(state: State): boolean;
  score(state: State): number;
  mover(state: State): number;
  probability(state: State, action: number): number;
  bestMove(state: State, options?: SearchOptions): { action: number; moves: SearchedMove[] };
}

/** What `mover` gives at a chance node. */
export const CHANCE: number;

export function load(source?: URL | string | ArrayBuffer | Uint8Array): Promise<Game>;
