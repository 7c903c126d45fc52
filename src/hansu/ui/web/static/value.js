// Values in words, in the unit of the game: "Red wins in 15 plies" or a winning chance ("Red 58 %"), or points ("Red +2
// triangles"). The players' explanations use the same words (`search/players/explanations.py`).

import { inLanguage, signed, t } from "./language.js";

/**
 * @import { Seat, Words } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 */

/**
 * @typedef {object} Judged
 * @property {number | null} value from the first seat's side
 * @property {boolean} proved
 * @property {number | null} [plies] until the game ends, if known
 * @property {"" | "<=" | ">="} [bound]
 */

/** @type {Record<string, string>} */
const BOUNDS = { "<=": "≤", ">=": "≥" };
/** @type {Record<string, string>} */
const OPPOSITE = { "≤": "≥", "≥": "≤", "": "" };

/**
 * Whether a game has only wins, losses and draws.
 * @param {number} range of its scores
 */
export function isWon(range) {
  return range <= 1;
}

const FAR = 0.2; // of the score range: a lead that nearly fills the bar

/**
 * The first seat's share of the bar, 0 to 1: its winning chance, or its lead in points on a non-linear scale.
 * @param {Judged} judged
 * @param {number} range
 */
export function chanceOf({ value, proved }, range) {
  if (value === null) return 0.5;
  if (proved && isWon(range)) return value > 0 ? 1 : value < 0 ? 0 : 0.5;
  if (!isWon(range)) return 0.5 + 0.5 * Math.tanh(value / (FAR * range));
  return Math.min(Math.max(0.5 + value / 2, 0), 1);
}

/**
 * In percent, never exactly 0 or 100: unproved values are not certain.
 * @param {number} chance
 */
function percent(chance, digits = 0) {
  const least = 10 ** -digits;
  return Math.min(Math.max(100 * chance, least), 100 - least).toFixed(digits);
}

/**
 * @param {Judged} judged
 * @param {Pick<Seat, "name">[]} seats
 * @param {Pick<GameInfo, "score_range" | "unit">} info
 */
export function valueWords(judged, seats, { score_range: range, unit }) {
  const { value, proved, plies = null } = judged;
  if (value === null) return "";
  const who = inLanguage(seats[value < 0 ? 1 : 0].name);
  if (!isWon(range)) {
    if (signed(value) !== "0") return lead(who, value, unit);
    return proved ? t("worth_ends_level") : t("worth_level");
  }
  if (proved) {
    if (value === 0) return t("worth_draw");
    if (plies === 0 || plies === null) return t("worth_win", { who });
    return plies === 1 ? t("worth_now", { who }) : t("worth_win_in", { who, n: plies });
  }
  const share = Number(percent(chanceOf(judged, range)));
  if (share === 50) return t("worth_even");
  return t("worth_chance", { who, n: Math.max(share, 100 - share) });
}

/**
 * The same next to a list of moves: unproved values from the view of the side to move, as in the list.
 * @param {Judged} judged
 * @param {number} mover -1: nobody
 * @param {Pick<Seat, "name">[]} seats
 * @param {Pick<GameInfo, "score_range" | "unit">} info
 */
export function ownWords(judged, mover, seats, info) {
  const { value, proved } = judged;
  const range = info.score_range;
  if (value === null || proved || mover < 0 || (!isWon(range) && signed(value) === "0")) {
    return valueWords(judged, seats, info);
  }
  const worth = valueSigns(judged, mover, range);
  const unit = isWon(range) ? "" : ` ${inLanguage(info.unit)}`;
  return t("worth_own", { who: inLanguage(seats[mover].name), worth: worth + unit });
}

/**
 * @param {string} who
 * @param {number} value
 * @param {Words} unit
 */
function lead(who, value, unit) {
  return t("worth_points", { who, n: signed(value).replace(/^[+−]/, ""), unit: inLanguage(unit) });
}

/**
 * The same in a few signs, from the view of the side to move: ✓15 wins in 15, ✗8 loses in 8, = draws, 58.3%, +2.
 * @param {Judged} judged
 * @param {number} mover
 * @param {number} range
 */
export function valueSigns(judged, mover, range) {
  const { value, proved, plies = null, bound = "" } = judged;
  if (value === null) return "";
  const own = mover === 1 ? 0 - value : value;
  const sign = BOUNDS[bound] ?? "";
  const edge = mover === 1 ? OPPOSITE[sign] : sign;
  if (!isWon(range)) return edge + signed(own);
  if (proved) return own === 0 ? "=" : `${own > 0 ? "✓" : "✗"}${plies ?? ""}`;
  const chance = chanceOf(judged, range);
  return `${edge}${percent(mover === 1 ? 1 - chance : chance, 1)}%`;
}
