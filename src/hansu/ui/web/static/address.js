// Deep links: reading a game from the address, and writing it.
//
//     /connect_four?first=human&second=solver:…&time=2&width=8&start=…&moves=4,4,3&view=analysis
//
// All other keys are options of the game.

import { readClock } from "./clock.js";
import { t } from "./language.js";
import { onlyMachines, readSpec } from "./setup.js";

/**
 * @import { GameInfo, OptionInfo } from "./catalogue.js"
 * @import { Setup } from "./setup.js"
 */

const OURS = [
  "first", "second", "time", "depth", "nodes", "start", "moves", "ply", "auto", "pace", "view", "xray", "step",
  "clock",
];
const LONGEST = 1800; // characters: longer games are not put into the address

/**
 * The contents of a link; null: not given.
 * @typedef {object} Link
 * @property {string} name of the game, "" for the first page
 * @property {Record<string, string>} options
 * @property {string | null} first
 * @property {string | null} second
 * @property {number | null} time
 * @property {number | null} depth
 * @property {number | null} nodes
 * @property {string | null} start
 * @property {string[]} moves
 * @property {number | null} ply the shown ply, if it is not the last
 * @property {boolean | null} auto
 * @property {number | null} pace
 * @property {string | null} view
 * @property {string | null} xray the player of the X-ray
 * @property {number | null} step of the X-ray
 * @property {string | null} clock of people
 * @property {string[]} wrong descriptions of invalid keys and values
 */

/**
 * @param {Location} location
 * @returns {Link}
 */
export function read(location) {
  const query = new URLSearchParams(location.search);
  /** @type {string[]} */
  const wrong = [];
  /**
   * @param {string} key
   * @param {number} low
   * @param {number} high
   */
  const number = (key, low, high, whole = true) => {
    const text = query.get(key);
    if (text === null || text === "") return null;
    const value = Number(text);
    if (value >= low && value <= high && (!whole || Number.isInteger(value))) return value;
    wrong.push(t("wrong_number", { key, text: text.slice(0, 30), low, high }));
    return null;
  };
  const auto = query.get("auto");
  let clock = query.get("clock")?.replace(" ", "+") ?? null; // a plus means a space in addresses
  if (clock !== null && !readClock(clock)) {
    wrong.push(t("wrong_clock", { text: clock.slice(0, 30) }));
    clock = null;
  }
  return {
    name: decodeURIComponent(location.pathname.replace(/^\/+|\/+$/g, "")),
    options: Object.fromEntries([...query].filter(([key]) => !OURS.includes(key))),
    first: query.get("first"),
    second: query.get("second"),
    time: number("time", 0.01, 60, false),
    depth: number("depth", 1, 10_000),
    nodes: number("nodes", 1, 2 ** 40),
    start: query.get("start"),
    moves: query.get("moves")?.split(",").filter(Boolean) ?? [],
    auto: auto === null ? null : auto !== "false" && auto !== "0",
    ply: number("ply", 0, 5000),
    pace: number("pace", 0, 10, false),
    view: query.get("view"),
    xray: query.get("xray"),
    step: number("step", 0, 1e6),
    clock,
    wrong,
  };
}

/**
 * @typedef {object} Place a position in a game, or an X-ray of it
 * @property {string} [start]
 * @property {string[]} [moves]
 * @property {number | null} [ply]
 * @property {string | null} [view]
 * @property {string | null} [xray]
 * @property {number | null} [step]
 */

/**
 * The address of a set-up, optionally with a place in its game. Too many moves are left out.
 * @param {Setup} setup
 * @param {Place} [place]
 */
export function write(setup, place = {}) {
  const { start = setup.start, moves = [], ply = null, view = null, xray = null, step = null } = place;
  const query = new URLSearchParams();
  if (setup.chosen) {
    query.set("first", setup.first);
    query.set("second", setup.second);
  }
  for (const [key, value] of Object.entries(setup.limit)) if (value !== null) query.set(key, String(value));
  for (const [key, value] of Object.entries(setup.options)) query.set(key, value);
  const played = moves.join(",");
  const fits = played.length <= LONGEST;
  const from = fits ? start : setup.start;
  if (from !== "start") query.set("start", from);
  if (played && fits) query.set("moves", played);
  if (ply !== null && fits) query.set("ply", String(ply));
  if (!setup.auto && onlyMachines(setup)) query.set("auto", "false");
  if (setup.pace) query.set("pace", String(setup.pace));
  if (setup.clock) query.set("clock", setup.clock);
  if (view) query.set("view", view);
  if (xray) query.set("xray", xray);
  if (xray && step !== null) query.set("step", String(step));
  // These characters are allowed in a query, and more readable.
  const text = query.toString().replace(/%(3A|2C|2F|3D|2B)/g, decodeURIComponent);
  return `/${setup.name}${text ? `?${text}` : ""}`;
}

/**
 * @param {Link} link
 * @param {GameInfo} info
 * @returns {Link}
 */
export function checked(link, info) {
  const wrong = [...link.wrong];
  /** @type {Record<string, string>} */
  const options = {};
  for (const [key, text] of Object.entries(link.options)) {
    const option = info.options.find(({ name }) => name === key);
    const complaint = option ? misfit(option, text) : t("wrong_key", { key: short(key) });
    if (complaint) wrong.push(complaint);
    else options[key] = text;
  }
  let { first, second, view, xray } = link;
  const strangers = Object.entries({ first, second }).filter(([, spec]) => spec !== null && !isPlayer(spec, info));
  for (const [key, spec] of strangers) wrong.push(t("wrong_player", { key, text: short(spec ?? "") }));
  if (strangers.length) first = second = null; // the person chooses again
  if (view && view !== "analysis") {
    wrong.push(t("wrong_choice", { key: "view", text: short(view), choices: "analysis" }));
    view = null;
  }
  if (xray && !info.xray.includes(readSpec(xray).kind)) {
    wrong.push(t("wrong_choice", { key: "xray", text: short(xray), choices: info.xray.join(", ") }));
    xray = null;
  }
  return { ...link, options, first, second, view, xray, wrong };
}

/**
 * @param {string} spec
 * @param {GameInfo} info
 */
function isPlayer(spec, { players }) {
  const { kind } = readSpec(spec);
  return kind === "human" || players.some((player) => player.kind === kind);
}

/**
 * What is wrong with the value of an option; null: nothing.
 * @param {OptionInfo} option
 * @param {string} text
 */
function misfit({ name: key, kind, low, high, choices }, text) {
  if (choices.length) {
    return choices.includes(text) ? null : t("wrong_choice", { key, text: short(text), choices: choices.join(", ") });
  }
  if ((kind !== "int" && kind !== "float") || low === null || high === null) return null;
  const number = text.trim() ? Number(text) : NaN;
  const fits = number >= low && number <= high && (kind === "float" || Number.isInteger(number));
  return fits ? null : t("wrong_number", { key, text: short(text), low, high });
}

/** @param {string} text */
function short(text) {
  return text.slice(0, 30);
}
