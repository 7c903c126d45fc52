// What a person chose: a game with its options, who plays, how long they may think, where the game begins.

/** `alphabeta:depth=4,seed=1` -> { kind: "alphabeta", settings: { depth: "4", seed: "1" } } */
export function readSpec(text) {
  const colon = text.indexOf(":");
  if (colon < 0) return { kind: text.trim(), settings: {} };
  const settings = {};
  for (const part of text.slice(colon + 1).split(/,(?=\s*\w+=)/)) {
    const equals = part.indexOf("=");
    if (equals > 0) settings[part.slice(0, equals).trim()] = part.slice(equals + 1).trim();
  }
  return { kind: text.slice(0, colon).trim(), settings };
}

/** Only the kind, where there is little room. */
export function kindOf(text) {
  return text.split(":")[0].trim();
}

export function writeSpec(kind, settings) {
  const parts = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return parts.length ? `${kind}:${parts.join(",")}` : kind;
}

/** A fresh choice for a game of the catalogue. `chosen`: a person or an address has said who plays. */
export function freshChoice(game) {
  return {
    name: game.name,
    options: {},
    first: game.first,
    second: game.second,
    limit: { time: 1, depth: null, nodes: null },
    start: "start",
    auto: true,
    pace: 0,
    chosen: false,
  };
}

/** The choice that the wishes of an address make. */
export function wishedChoice(game, wishes) {
  const choice = freshChoice(game);
  choice.options = { ...wishes.options };
  choice.chosen = wishes.first !== null || wishes.second !== null || wishes.moves.length > 0;
  // Who names one side leaves the other to a person, or to the game's own machine where a person was named.
  if (wishes.first !== null) choice.first = wishes.first;
  else if (wishes.second === "human") choice.first = game.second;
  else if (wishes.second !== null) choice.first = "human";
  if (wishes.second !== null) choice.second = wishes.second;
  else if (wishes.first !== null && wishes.first !== "human") choice.second = "human";
  const limited = wishes.time !== null || wishes.depth !== null || wishes.nodes !== null;
  if (limited) choice.limit = { time: wishes.time, depth: wishes.depth, nodes: wishes.nodes };
  if (wishes.start) choice.start = wishes.start;
  if (wishes.auto !== null) choice.auto = wishes.auto;
  if (wishes.pace !== null) choice.pace = wishes.pace;
  return choice;
}

/** The message that opens a game of this choice. */
export function opening(choice, { moves = [], resigned = null } = {}) {
  const { first, second, start, auto, pace } = choice;
  const game = writeSpec(choice.name, choice.options);
  const limit = Object.fromEntries(Object.entries(choice.limit).filter(([, value]) => value !== null));
  return { type: "open", game, first, second, start, auto, pace, limit, moves, resigned };
}
