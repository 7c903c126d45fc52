// What an address asks for that makes no sense in its game is told, and left out.

import { t } from "./language.js";
import { readSpec } from "./setup.js";

/**
 * @import { Link } from "./address.js"
 * @import { GameInfo, OptionInfo } from "./catalogue.js"
 */

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
  if (strangers.length) first = second = null; // who plays is to be chosen
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
 * What is wrong with the value of an option; null: nothing that could be seen here.
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
