// Light or dark: the system's choice until the reader makes one, which is kept.

import { kept, keep } from "./memory.js";

const dark = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  const choice = kept("theme");
  return choice ? choice === "dark" : dark.matches;
}

export function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}

export function switchTheme() {
  keep("theme", isDark() ? "light" : "dark");
  applyTheme();
}

dark.addEventListener("change", applyTheme);
