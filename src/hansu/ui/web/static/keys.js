// Keyboard shortcuts and their help sheet.

import { element } from "./dom.js";
import { iconButton } from "./icons.js";
import { t } from "./language.js";

/** @typedef {(event: KeyboardEvent) => unknown} KeyAct false: the key did nothing */

/** @type {Record<string, [string, string][]>} rows of the help sheet: [keys, key of the text] */
const SHEET = {
  keys_board: [
    ["← ↑ ↓ →", "key_cursor"], ["Enter", "key_play"], ["Esc", "key_cancel"],
    ["1 … 9", "key_digits"], ["B", "key_board"],
  ],
  keys_game: [["U", "undo"], ["H", "hint"], ["N", "again"], ["S", "key_settings"], ["W", "swap"], ["M", "key_heat"]],
  keys_time: [
    ["← →", "key_back_on"], [", .", "key_back_on"],
    ["Home End", "key_ends"], ["Space", "key_run"], ["]", "key_step"],
  ],
  keys_more: [
    ["A", "analysis"], ["R", "review"], ["X", "xray"],
    ["L", "key_language"], ["T", "key_theme"], ["?", "key_help"],
  ],
};

/** @type {[string, string][]} */
const STEERING = [["← ↑ ↓ →", "key_steer"], ["W A S D", "key_steer"]];
const STEERED = ["A", "S", "W"]; // these steer in games with steering

/** @param {Event} event */
function isTyping(event) {
  return isIn(event, "input:not([type=range], [type=checkbox]), textarea, select");
}

/**
 * Call the function of a key: { u: f, "?": g, … }. Not while a person types or a dialog is open.
 * @param {Record<string, KeyAct>} table
 * @param {AbortSignal} [signal]
 */
export function listen(table, signal) {
  addEventListener(
    "keydown",
    (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (document.querySelector("dialog[open]")) return;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (key === " " && isIn(event, "button, summary, a, input")) return;
      const act = table[key];
      if (!act || (event.repeat && key.length === 1 && key !== "," && key !== ".")) return;
      if (act(event) !== false) event.preventDefault();
    },
    { signal },
  );
}

/**
 * Whether an event comes from within such an element.
 * @param {Event} event
 * @param {string} selector
 */
export function isIn(event, selector) {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}

export function helpSheet() {
  const steered = document.querySelector("main[data-steering=true]") !== null;
  /** @param {[string, string]} row */
  const free = ([keys]) => !steered || !STEERED.includes(keys);
  /** @param {[string, string]} row */
  const row = ([keys, words]) => {
    const pressed = keys.split(" ").map((key) => element("kbd", {}, key));
    return element("div", {}, element("dt", {}, pressed), element("dd", {}, t(words)));
  };
  /** @type {HTMLDialogElement} */
  const dialog = element(
    "dialog",
    { class: "sheet", "aria-label": t("keyboard") },
    element("header", {}, element("h2", {}, t("keyboard")), iconButton("close", "close", () => dialog.close())),
    element(
      "div",
      { class: "sheet-body" },
      Object.entries(SHEET).map(([title, rows]) =>
        element("section", {}, element("h3", {}, t(title)), element("dl", {}, rows.filter(free).map(row))),
      ),
      steered ? element("section", {}, element("h3", {}, t("steer")), element("dl", {}, STEERING.map(row))) : null,
    ),
    element("p", { class: "quiet" }, t("keys_steer")),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
