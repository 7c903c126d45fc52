// Games from files: chosen by a button, or dropped anywhere on the page.

import { element } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./language.js";

const MOST = 90_000; // bytes that the server takes

/** @typedef {{ name: string, data: string, number?: number }} GameFile its bytes as base64, and which of its games */

/**
 * @param {string[]} endings of files that can be read
 * @param {(file: File) => void} take
 */
export function fileButton(endings, take) {
  const chosen = () => {
    const [file] = input.files ?? [];
    if (file) take(file);
    input.value = "";
  };
  const accept = endings.map((ending) => `.${ending}`).join(",");
  /** @type {HTMLInputElement} */
  const input = element("input", { type: "file", class: "unseen", accept, tabindex: -1, onchange: chosen });
  input.setAttribute("aria-label", t("open_file"));
  const press = { type: "button", "data-do": "open-file", title: endings.join(", "), onclick: () => input.click() };
  return element("span", { class: "file-button" }, input, element("button", press, icon("folder"), t("open_file")));
}

/**
 * @param {(file: File) => void} take
 * @param {AbortSignal} signal
 */
export function listenToDrops(take, signal) {
  /** @param {boolean} on */
  const mark = (on) => document.body.classList.toggle("dropping", on);
  /** @param {DragEvent} event */
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    mark(true);
  };
  /** @param {DragEvent} event */
  const drop = (event) => {
    const [file] = event.dataTransfer?.files ?? [];
    mark(false);
    if (!file) return;
    event.preventDefault();
    take(file);
  };
  document.addEventListener("dragover", over, { signal });
  document.addEventListener("drop", drop, { signal });
  document.addEventListener("dragleave", (event) => event.relatedTarget === null && mark(false), { signal });
}

/**
 * A file as the server takes it; null: it is too large.
 * @param {File} file
 * @returns {Promise<GameFile | null>}
 */
export async function readFile(file) {
  if (file.size > MOST) return null;
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { name: file.name.slice(-200), data: btoa(text) };
}

export const MOST_KB = MOST / 1000;
