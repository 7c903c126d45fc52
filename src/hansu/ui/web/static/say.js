// Saying things: short notes at the foot of the page, and the same and more for who listens to a screen reader.

import { element, fill } from "./dom.js";
import { inLanguage, t } from "./language.js";

const live = element("div", { class: "unseen", role: "status", "aria-live": "polite" });
const alarm = element("div", { class: "unseen", role: "alert" });
const notes = element("div", { class: "notes" });
let timer = 0;

export function speakers() {
  return [live, alarm, notes];
}

/** Only for the ear. */
export function whisper(text) {
  live.textContent = text;
}

/** A note that goes by itself, with something to do about it where there is: { label, act }. */
export function note(text, { action = null, bad = false, hint = "" } = {}) {
  clearTimeout(timer);
  const close = () => fill(notes);
  const todo = action
    ? element("button", { class: "plain", onclick: () => (close(), action.act()) }, action.label)
    : null;
  const words = element("p", {}, text, hint ? element("small", {}, hint) : null);
  fill(notes, element("div", { class: bad ? "note bad" : "note" }, words, todo));
  (bad ? alarm : live).textContent = hint ? `${text} ${hint}` : text;
  timer = setTimeout(close, bad || action ? 9000 : 3500);
}

/** A Trouble from the server, or from the way there, in kind words. */
export function regret(trouble) {
  const [text, hint] = inWords(trouble);
  note(text, { bad: true, hint });
}

export function inWords(trouble) {
  if (trouble.code === "offline") return [t("offline_now"), t("offline_hint")];
  return [inLanguage(trouble.text) || t("went_wrong"), inLanguage(trouble.hint)];
}
