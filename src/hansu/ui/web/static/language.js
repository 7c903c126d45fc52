// The page's texts in the reader's language, and numbers as people write them.

import { preference, setPreference } from "./preferences.js";

/** @import { Words } from "../messages" */

/** @type {Record<string, { name: string, page: Record<string, string> }>} */
const LANGUAGES = await (await fetch("/api/languages")).json();
const CODES = Object.keys(LANGUAGES);
let current = [preference("language") ?? "", ...preferred()].find((code) => CODES.includes(code)) ?? "en";

/** The browser's languages; `ko` follows `ko-kr`. */
function preferred() {
  return navigator.languages.map((tag) => tag.toLowerCase()).flatMap((tag) => [tag, tag.split("-")[0]]);
}

/** The language of the switch: { code, name }. */
export function nextLanguage() {
  const code = CODES[(CODES.indexOf(current) + 1) % CODES.length];
  return { code, name: LANGUAGES[code].name };
}

export function switchLanguage() {
  current = nextLanguage().code;
  setPreference("language", current);
  document.documentElement.lang = current;
}

/**
 * The text of a key; `{name}` is replaced by the value of that name.
 * @param {string} key
 * @param {Record<string, string | number>} values
 */
export function t(key, values = {}) {
  const text = LANGUAGES[current].page[key] ?? LANGUAGES.en.page[key];
  if (text === undefined) throw new Error(`no words for ${key}`);
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => String(values[name] ?? placeholder));
}

/**
 * A text of the server in the reader's language.
 * @param {Words | null | undefined} text
 */
export function inLanguage(text) {
  return text ? text[current] || text.en : "";
}

/**
 * The same with an initial capital, for labels and sentences.
 * @param {Words | null | undefined} text
 */
export function capitalized(text) {
  const words = inLanguage(text);
  return words.charAt(0).toLocaleUpperCase(current) + words.slice(1);
}

/**
 * The text for a number of things: the key with `_one` or `_many`.
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
const compact = Object.fromEntries(CODES.map((code) => [code, new Intl.NumberFormat(code, COMPACT)]));

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

const NUMBER = /[-+]?\d+(\.\d+(e[-+]\d+)?|e[-+]\d+)/g; // but g7e6 is a move
const MOST = 4;

/**
 * A function that rounds every number in a text, with at least `least` digits and enough to keep `texts` different.
 * @param {string[]} texts
 */
export function rounding(texts, least = 0) {
  const numbers = [...new Set(texts.map(Number).filter((number) => Number.isFinite(number)))];
  /** @param {number} digits */
  const different = (digits) => new Set(numbers.map((number) => number.toFixed(digits))).size;
  let digits = least;
  while (digits < MOST && different(digits) < numbers.length) digits += 1;
  /** @param {string} text */
  return (text) => text.replace(NUMBER, (number) => fixed(Number(number), digits));
}

/**
 * @param {number} number
 * @param {number} digits
 */
function fixed(number, digits) {
  const text = number.toFixed(digits);
  return Number(text) === 0 ? "0" : text;
}
