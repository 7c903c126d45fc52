// Korean or English: the browser's language until the reader chooses, which is kept.

import { preference, setPreference } from "./preferences.js";
import en from "./words_en.js";
import ko from "./words_ko.js";

/** @import { Words } from "../messages" */

/** @typedef {"en" | "ko"} Language */

/** @type {Record<Language, Record<string, string>>} */
const WORDS = { en, ko };
const preferred = preference("language") ?? navigator.language.toLowerCase();
/** @type {Language} */
let current = preferred.startsWith("ko") ? "ko" : "en";

export function switchLanguage() {
  current = current === "en" ? "ko" : "en";
  setPreference("language", current);
  document.documentElement.lang = current;
}

/**
 * The words for a key, with {name} replaced by the value of that name.
 * @param {string} key
 * @param {Record<string, string | number>} values
 * @returns {string}
 */
export function t(key, values = {}) {
  const text = WORDS[current][key] ?? WORDS.en[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return text.replace(/\{(\w+)\}/g, (given, name) => String(values[name] ?? given));
}

/**
 * A text that the server gave in both languages.
 * @param {Words | null | undefined} text
 */
export function both(text) {
  return text ? text[current] || text.en : "";
}

/**
 * Words for a number of things: those of the key with `_one` or `_many` behind it.
 * @param {string} key
 * @param {number} number
 */
export function count(key, number) {
  return t(number === 1 ? `${key}_one` : `${key}_many`, { n: whole(number) });
}

/** @param {number} number */
export function whole(number) {
  return Math.round(number).toLocaleString(current);
}

/** @type {Intl.NumberFormatOptions} */
const COMPACT = { notation: "compact", maximumFractionDigits: 1 };
const compact = { en: new Intl.NumberFormat("en", COMPACT), ko: new Intl.NumberFormat("ko", COMPACT) };

/**
 * 1234567 as 1.2M: numbers that change ten times a second must stay short.
 * @param {number} number
 */
export function short(number) {
  return compact[current].format(number);
}

/**
 * A value as people write it: a sign where it matters, no more digits than it deserves.
 * @param {number | null} value
 */
export function signed(value) {
  if (value === null) return "";
  const size = Math.abs(value);
  const digits = size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  const text = size.toFixed(digits);
  if (Number(text) === 0) return "0";
  return (value < 0 ? "−" : "+") + text;
}

document.documentElement.lang = current;
