// Numbers with no more digits than it takes to tell them apart.

const NUMBER = /[-+]?\d+(\.\d+(e[-+]\d+)?|e[-+]\d+)/g; // g7e6 is a move
const MOST = 4;

/**
 * A function that rounds every number within a text so that these stay as different as they are, to `least` digits.
 * @param {string[]} texts
 */
export function rounding(texts, least = 0) {
  const numbers = [...new Set(texts.map(Number).filter((number) => Number.isFinite(number)))];
  /** @param {number} digits */
  const different = (digits) => new Set(numbers.map((number) => number.toFixed(digits))).size;
  let digits = least;
  while (digits < MOST && different(digits) < numbers.length) digits += 1;
  /** @param {string} text */
  return (text) => text.replace(NUMBER, (found) => short(Number(found), digits));
}

/**
 * @param {number} number
 * @param {number} digits
 */
function short(number, digits) {
  const text = number.toFixed(digits);
  return Number(text) === 0 ? "0" : text;
}
