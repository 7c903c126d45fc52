// The server's catalogue: games with options, players and pictures. Fetched once.

import { RequestError } from "./socket.js";

/** @import { Words } from "../messages" */

/**
 * @typedef {object} OptionInfo
 * @property {string} name
 * @property {Words} title
 * @property {"int" | "float" | "bool" | "str"} kind
 * @property {string | number | boolean | null} default null: not set
 * @property {number | null} low
 * @property {number | null} high
 * @property {string[]} choices empty: any text
 * @property {Words[]} choice_titles
 * @property {Words} help
 *
 * @typedef {{ kind: string, title: Words, about: Words, given: boolean, options: OptionInfo[] }} PlayerInfo
 *
 * @typedef {object} GameInfo
 * @property {string} name
 * @property {Words} title
 * @property {Words} about
 * @property {Words[]} seats
 * @property {OptionInfo[]} options
 * @property {PlayerInfo[]} players
 * @property {(Words | null)[]} levels how strong `level:1`, `level:2`, ... are; null: not measured
 * @property {string} first
 * @property {string} second
 * @property {string} analyst
 * @property {string[]} xray kinds of players with an X-ray
 * @property {{ format: string, name: Words }[]} exports
 * @property {string} example
 * @property {boolean} touch
 * @property {boolean} columns
 * @property {string[]} files extensions of readable files
 * @property {boolean} rules whether there is a page of rules
 * @property {boolean} barred whether a rule can forbid points
 * @property {boolean} steering
 * @property {boolean} editor
 * @property {[string, string]} tones
 * @property {number} agents
 * @property {number} score_range
 * @property {Words} unit of scores, in games with points
 * @property {string} svg
 */

/**
 * @typedef {{ game: string, start: string, words: string }} Puzzle
 * @typedef {{ name: string, title: string, puzzles: Puzzle[] }} PuzzleSet
 * @typedef {{ name: string, title: string, count: number }} PuzzleSetInfo
 * @typedef {{ version: string, games: GameInfo[], puzzles: PuzzleSetInfo[], reports: string[] }} Catalogue
 */

/** @type {Catalogue | null} */
let known = null;

export async function catalogue() {
  if (known === null) {
    const answer = await fetch("/api/catalogue").catch(() => null);
    if (!answer?.ok) throw new RequestError({ code: "offline" });
    known = /** @type {Catalogue} */ (await answer.json());
  }
  return known;
}

/** @param {string} name */
export async function gameInfo(name) {
  return (await catalogue()).games.find((game) => game.name === name) ?? null;
}

/**
 * @param {string} name
 * @returns {Promise<PuzzleSet | null>}
 */
export async function puzzleSet(name) {
  const answer = await fetch(`/api/puzzles/${encodeURIComponent(name)}`).catch(() => null);
  if (!answer) throw new RequestError({ code: "offline" });
  return answer.ok ? answer.json() : null;
}
