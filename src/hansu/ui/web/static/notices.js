// Short notices at the bottom of the page, and announcements for screen readers.

import { element, fill } from "./dom.js";
import { inLanguage, t } from "./language.js";

/** @import { RequestError } from "./socket.js" */

const live = element("div", { class: "unseen", role: "status", "aria-live": "polite" });
const alarm = element("div", { class: "unseen", role: "alert" });
const notices = element("div", { class: "notices", role: "region" });
const MOST = 3; // errors that are shown at once
let timer = 0;
/** @type {{ text: string, hint: string }[]} the shown notices */
let shown = [];

/** The elements of the notices; add them to the page once. */
export function noticeBoards() {
  return [live, alarm, notices];
}

/**
 * Announce a text to screen readers only.
 * @param {string} text
 */
export function announce(text) {
  live.textContent = text;
}

/**
 * Show a notice for some seconds, optionally with an action. It replaces an older one, but errors are shown together.
 * @param {string} text
 * @param {{ action?: { label: string, act: () => unknown } | null, bad?: boolean, hint?: string }} [more]
 */
export function notify(text, { action = null, bad = false, hint = "" } = {}) {
  clearTimeout(timer);
  const others = bad && notices.querySelector(".bad") ? shown.filter((other) => other.text !== text) : [];
  shown = [...others, { text, hint }].slice(-MOST);
  notices.setAttribute("aria-label", t("notices"));
  const close = () => fill(notices);
  const press = () => {
    close();
    action?.act();
  };
  const todo = action ? element("button", { class: "plain", onclick: press }, action.label) : null;
  const words = shown.map((one) => element("p", {}, one.text, one.hint ? element("small", {}, one.hint) : null));
  fill(notices, element("div", { class: bad ? "notice bad" : "notice" }, element("div", {}, words), todo));
  (bad ? alarm : live).textContent = shown.map((one) => `${one.text} ${one.hint}`.trim()).join(" ");
  timer = setTimeout(close, bad || action ? 9000 : 3500);
}

/**
 * Show an error as a notice.
 * @param {RequestError} error
 */
export function notifyError(error) {
  const [text, hint] = errorText(error);
  notify(text, { bad: true, hint });
}

/**
 * The texts of an error: what is wrong, and what to do next.
 * @param {RequestError} error
 * @returns {[string, string]}
 */
export function errorText(error) {
  if (error.code === "offline") return [t("offline_now"), t("offline_hint")];
  return [inLanguage(error.text) || t("went_wrong"), inLanguage(error.hint)];
}
