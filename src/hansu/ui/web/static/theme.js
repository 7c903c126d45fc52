// Light or dark: the system's choice until the reader makes one, which is kept.

import { preference, setPreference } from "./preferences.js";

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
