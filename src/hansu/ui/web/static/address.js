// Deep links: what the address says of a game, and the address that says it.
//
//     /connect_four?first=human&second=solver:…&time=2&width=8&start=…&moves=4,4,3&view=analysis
//
// Keys that are not ours are options of the game.

import { onlyMachines } from "./setup.js";

/** @import { Setup } from "./setup.js" */

const OURS = ["first", "second", "time", "depth", "nodes", "start", "moves", "auto", "pace", "view"];

/**
 * What a link asks for; null: it does not say.
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
 * @property {boolean | null} auto
 * @property {number | null} pace
 * @property {string | null} view
 */

/**
 * @param {Location} location
 * @returns {Link}
 */
export function read(location) {
  const query = new URLSearchParams(location.search);
  /** @param {string} key */
  const number = (key) => {
    const text = query.get(key);
    return text === null || text === "" || !Number.isFinite(Number(text)) ? null : Number(text);
  };
  const auto = query.get("auto");
  return {
    name: decodeURIComponent(location.pathname.replace(/^\/+|\/+$/g, "")),
    options: Object.fromEntries([...query].filter(([key]) => !OURS.includes(key))),
    first: query.get("first"),
    second: query.get("second"),
    time: number("time"),
    depth: number("depth"),
    nodes: number("nodes"),
    start: query.get("start"),
    moves: query.get("moves")?.split(",").filter(Boolean) ?? [],
    auto: auto === null ? null : auto !== "false" && auto !== "0",
    pace: number("pace"),
    view: query.get("view"),
  };
}

/**
 * The address of a set-up, with its moves where a game in the middle is meant.
 * @param {Setup} setup
 * @param {{ moves?: string[], view?: string | null }} [more]
 */
export function write(setup, { moves = [], view = null } = {}) {
  const query = new URLSearchParams();
  if (setup.chosen) {
    query.set("first", setup.first);
    query.set("second", setup.second);
  }
  for (const [key, value] of Object.entries(setup.limit)) if (value !== null) query.set(key, String(value));
  for (const [key, value] of Object.entries(setup.options)) query.set(key, value);
  if (setup.start !== "start") query.set("start", setup.start);
  if (moves.length) query.set("moves", moves.join(","));
  if (!setup.auto && onlyMachines(setup)) query.set("auto", "false");
  if (setup.pace) query.set("pace", String(setup.pace));
  if (view) query.set("view", view);
  // These may stand in a query as they are, and read better so.
  const text = query.toString().replace(/%(3A|2C|2F|3D)/g, decodeURIComponent);
  return `/${setup.name}${text ? `?${text}` : ""}`;
}
