// Numbers with no more digits than it takes to tell them apart.

const NUMBER = /[-+]?\d+\.\d+(e[-+]?\d+)?/g;
const MOST = 4;

/**
 * A function that rounds every number within a text so that these stay as different as they are.
 * @param {string[]} texts
 */
export function rounding(texts) {
  const numbers = [...new Set(texts.map(Number).filter((number) => Number.isFinite(number)))];
  /** @param {number} digits */
  const different = (digits) => new Set(numbers.map((number) => number.toFixed(digits))).size;
  let digits = 0;
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
