// The set-up of a game (options, players, limits, start position), and player names ("Alpha-beta · depth 4").

import { inLanguage, t } from "./language.js";

/**
 * @import { Open } from "../messages"
 * @import { Link } from "./address.js"
 * @import { GameInfo, PlayerInfo } from "./catalogue.js"
 */

/**
 * @typedef {{ time: number | null, depth: number | null, nodes: number | null }} Limit
 *
 * @typedef {object} Setup
 * @property {string} name of the game
 * @property {Record<string, string>} options
 * @property {string} first a player's spec, or "human"
 * @property {string} second
 * @property {Limit} limit
 * @property {string} start a position's text
 * @property {boolean} auto whether two machines move by themselves
 * @property {number} pace seconds between their moves
 * @property {string} [clock] of people: minutes and increment, such as "5+3"
 * @property {boolean} chosen whether a person or the address has chosen the players
 */

/**
 * `alphabeta:depth=4,seed=1` -> { kind: "alphabeta", settings: { depth: "4", seed: "1" } }; the number of `level:3` has
 * an empty name.
 * @param {string} text
 */
export function readSpec(text) {
  /** @type {Record<string, string>} */
  const settings = {};
  const colon = text.indexOf(":");
  if (colon < 0) return { kind: text.trim(), settings };
  for (const part of text.slice(colon + 1).split(/,(?=\s*\w+=)/)) {
    const equals = part.indexOf("=");
    if (equals > 0) settings[part.slice(0, equals).trim()] = part.slice(equals + 1).trim();
    else settings[""] = part.trim();
  }
  return { kind: text.slice(0, colon).trim(), settings };
}

/**
 * The kind only, to save space; a level with its number.
 * @param {string} text
 */
export function kindOf(text) {
  const { kind, settings } = readSpec(text);
  return writeSpec(kind, "" in settings ? { "": settings[""] } : {});
}

/**
 * @param {string} kind
 * @param {Record<string, string>} settings
 */
export function writeSpec(kind, settings) {
  const parts = Object.entries(settings).map(([key, value]) => (key ? `${key}=${value}` : value));
  return parts.length ? `${kind}:${parts.join(",")}` : kind;
}

/**
 * @param {GameInfo} game
 * @returns {Setup}
 */
export function freshSetup(game) {
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

/**
 * The set-up of a link.
 * @param {GameInfo} game
 * @param {Link} link
 */
export function linkedSetup(game, link) {
  const setup = freshSetup(game);
  setup.options = { ...link.options };
  setup.chosen = link.first !== null || link.second !== null || link.moves.length > 0;
  // With one named side the other one is a person, or the game's default opponent if a person was named.
  if (link.first !== null) setup.first = link.first;
  else if (link.second === "human") setup.first = game.second;
  else if (link.second !== null) setup.first = "human";
  if (link.second !== null) setup.second = link.second;
  else if (link.first !== null && link.first !== "human") setup.second = "human";
  const { time, depth, nodes } = link;
  if (time !== null || depth !== null || nodes !== null) setup.limit = { time, depth, nodes };
  if (link.start) setup.start = link.start;
  if (link.auto !== null) setup.auto = link.auto;
  if (link.pace !== null) setup.pace = link.pace;
  if (link.clock) setup.clock = link.clock;
  return setup;
}

/**
 * Whether only machines play.
 * @param {Setup} setup
 */
export function onlyMachines({ first, second }) {
  return first !== "human" && second !== "human";
}

/**
 * The message that opens this game. A person's opponent always moves by itself.
 * @param {Setup} setup
 * @param {{ start?: string, moves?: string[], resigned?: 0 | 1 | null, overtime?: boolean }} [more]
 * @returns {Open}
 */
export function opening(setup, { start = setup.start, moves = [], resigned = null, overtime = false } = {}) {
  const { first, second, pace } = setup;
  const game = writeSpec(setup.name, setup.options);
  const limit = Object.fromEntries(Object.entries(setup.limit).filter(([, value]) => value !== null));
  const auto = setup.auto || !onlyMachines(setup);
  return { type: "open", game, first, second, start, auto, pace, limit, moves, resigned, overtime };
}

/**
 * The name of a player without its settings.
 * @param {GameInfo} info
 * @param {string} spec
 */
export function playerName(info, spec) {
  const { kind, settings } = readSpec(spec);
  const player = info.players.find((one) => one.kind === kind);
  const number = settings[""] ?? settings.strength;
  if (kind === "level" && number) return t("level", { number });
  return player ? inLanguage(player.title) : kind;
}

/**
 * The name of a player with its settings.
 * @param {GameInfo} info
 * @param {string} spec
 */
export function fullName(info, spec) {
  const { kind, settings } = readSpec(spec);
  const player = info.players.find((one) => one.kind === kind);
  return [playerName(info, spec), ...settingWords(player, settings)].join(" · ");
}

/**
 * The non-default settings as texts.
 * @param {PlayerInfo | undefined} player
 * @param {Record<string, string>} settings
 */
export function settingWords(player, settings) {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!name || name === "strength") return []; // a level's number is in its name
    const option = player?.options.find((one) => one.name === name);
    if (!option) return [`${name} ${value}`];
    const title = inLanguage(option.title);
    if (option.kind === "bool") return [value === "true" ? title : t("without", { what: title })];
    const choice = option.choices.indexOf(value);
    return [`${title} ${choice < 0 ? value : inLanguage(option.choice_titles[choice])}`];
  });
}
