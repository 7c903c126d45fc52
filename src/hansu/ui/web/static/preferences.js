// What a reader prefers, kept between visits. A browser that keeps nothing (private windows) is no reason to fail.

const PREFIX = "hansu.";
/** @type {Map<string, string>} */
const fallback = new Map();

/** @param {string} name */
export function preference(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return fallback.get(name) ?? null;
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function setPreference(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    fallback.set(name, value);
  }
}
