// What a player found, made ready to be shown. The server tells only what is known (see docs/web.md); a page also wants
// to know how strongly each move glows, which one is the best, and the value as a share of the score range.

/** A report about a position where `mover` (a seat) is to move; `range` is the game's score range. */
export function shown(found, mover, range) {
  const value = found.value ?? null;
  const best = found.move ?? found.line?.[0] ?? null;
  // Who does not rate every move has still rated its own.
  const own = best !== null && value !== null ? [{ move: best, value, proved: found.proved }] : [];
  const moves = found.moves?.length ? found.moves : own;
  const glow = strength(moves, mover);
  return {
    line: [],
    depth: 0,
    nodes: 0,
    seconds: 0,
    proved: false,
    ...found,
    why: typeof found.why === "string" ? { en: found.why } : found.why ?? null, // a student's player says it one way
    move: best,
    value,
    chance: value === null ? null : Math.min(Math.max(0.5 + value / (2 * range), 0), 1),
    speed: found.seconds > 1e-6 ? Math.round((found.nodes ?? 0) / found.seconds) : 0,
    moves: moves.map((move) => ({ ...unknown(move.move), ...move, share: glow(move), best: move.move === best })),
  };
}

/** A move of which nothing is known yet. */
export function unknown(move) {
  return { move, value: null, bound: "", visits: null, proved: false, share: 0, best: false };
}

/** How strongly a move glows, 0 to 1: by visits where they were counted, else by what it is worth to the mover. */
function strength(moves, mover) {
  const most = Math.max(0, ...moves.map((move) => move.visits ?? 0));
  if (most) return (move) => (move.visits ?? 0) / most;
  const worth = (move) => (mover === 1 ? -move.value : move.value);
  const known = moves.filter((move) => typeof move.value === "number").map(worth);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return (move) => {
    if (typeof move.value !== "number") return 0;
    return high === low ? 1 : (worth(move) - low) / (high - low);
  };
}

/** Newer findings over older ones: what the newer do not say stays. */
export function merged(older, newer) {
  if (!older) return newer;
  const told = ([, value]) => value !== null && value !== undefined && value !== "" && value.length !== 0;
  return { ...older, ...Object.fromEntries(Object.entries(newer).filter(told)) };
}
