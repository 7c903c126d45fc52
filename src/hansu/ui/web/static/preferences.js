// What the reader has chosen, kept by the browser; light or dark is the system's choice until then.

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

const dark = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  const choice = preference("theme");
  return choice ? choice === "dark" : dark.matches;
}

export function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

export function switchTheme() {
  setPreference("theme", isDark() ? "light" : "dark");
  applyTheme();
}

dark.addEventListener("change", applyTheme);
