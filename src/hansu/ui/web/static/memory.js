// What the page remembers between visits. A browser that keeps nothing (private windows) is no reason to fail.

const PREFIX = "hansu.";
const fallback = new Map();

export function kept(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return fallback.get(name) ?? null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    fallback.set(name, value);
  }
}
