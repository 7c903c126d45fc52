// The sheet with the rules of a game: a sentence or two each, with small boards.

import { element, picture } from "./dom.js";
import { iconButton } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { notifyError } from "./notices.js";
import { RequestError } from "./socket.js";

/**
 * @import { Words } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 */

/** @typedef {{ text: Words, svg: string | null }} Lesson */

/** @param {GameInfo} info */
export async function rulesSheet(info) {
  const answer = await fetch(`/api/rules/${encodeURIComponent(info.name)}`).catch(() => null);
  if (!answer?.ok) {
    notifyError(new RequestError({ code: "offline" }));
    return;
  }
  const lessons = /** @type {Lesson[]} */ (await answer.json());
  /** @type {HTMLDialogElement} */
  const dialog = element(
    "dialog",
    { class: "sheet rules", "aria-label": t("rules") },
    element(
      "header",
      {},
      element("h2", {}, `${inLanguage(info.title)}: ${t("rules")}`),
      iconButton("close", "close", () => dialog.close()),
    ),
    element("ol", { class: "lessons" }, lessons.map(lessonCard)),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Lesson} lesson */
function lessonCard({ text, svg }) {
  const drawing = svg ? picture(svg) : null;
  drawing?.setAttribute("aria-hidden", "true");
  return element(
    "li",
    {},
    drawing ? element("div", { class: "lesson-picture" }, drawing) : null,
    element("p", {}, inLanguage(text)),
  );
}
