// Short notices at the foot of the page, and the same and more for who listens to a screen reader.

import { element, fill } from "./dom.js";
import { inLanguage, t } from "./language.js";

/** @import { RequestError } from "./socket.js" */

const live = element("div", { class: "unseen", role: "status", "aria-live": "polite" });
const alarm = element("div", { class: "unseen", role: "alert" });
const notices = element("div", { class: "notices", role: "region" });
const MOST = 3; // troubles on the screen at once
let timer = 0;
/** @type {{ text: string, hint: string }[]} what is on the screen */
let told = [];

/** Where they appear: once in every page. */
export function noticeBoards() {
  return [live, alarm, notices];
}

/**
 * Only for the ear.
 * @param {string} text
 */
export function announce(text) {
  live.textContent = text;
}

/**
 * A notice that goes by itself, with something to do about it where there is. It takes the place of an older one; but
 * troubles are told together.
 * @param {string} text
 * @param {{ action?: { label: string, act: () => unknown } | null, bad?: boolean, hint?: string }} [more]
 */
export function notify(text, { action = null, bad = false, hint = "" } = {}) {
  clearTimeout(timer);
  const others = bad && notices.querySelector(".bad") ? told.filter((other) => other.text !== text) : [];
  told = [...others, { text, hint }].slice(-MOST);
  notices.setAttribute("aria-label", t("notices"));
  const close = () => fill(notices);
  const press = () => {
    close();
    action?.act();
  };
  const todo = action ? element("button", { class: "plain", onclick: press }, action.label) : null;
  const words = told.map((one) => element("p", {}, one.text, one.hint ? element("small", {}, one.hint) : null));
  fill(notices, element("div", { class: bad ? "notice bad" : "notice" }, element("div", {}, words), todo));
  (bad ? alarm : live).textContent = told.map((one) => `${one.text} ${one.hint}`.trim()).join(" ");
  timer = setTimeout(close, bad || action ? 9000 : 3500);
}

/**
 * What went wrong, told as a notice.
 * @param {RequestError} trouble
 */
export function notifyTrouble(trouble) {
  const [text, hint] = troubleText(trouble);
  notify(text, { bad: true, hint });
}

/**
 * A trouble from the server, or from the way there, in kind words: what it is, and what to do.
 * @param {RequestError} trouble
 * @returns {[string, string]}
 */
export function troubleText(trouble) {
  if (trouble.code === "offline") return [t("offline_now"), t("offline_hint")];
  return [inLanguage(trouble.text) || t("went_wrong"), inLanguage(trouble.hint)];
}
