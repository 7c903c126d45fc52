// Loading and saving: files, drops, the clipboard, links, pictures.

import { element } from "./dom.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { notify } from "./notices.js";
import { isDark } from "./preferences.js";

/**
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 */

/**
 * @param {string} name
 * @param {string} mime
 * @param {string | Blob} content
 */
export function save(name, mime, content) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: mime }));
  const way = element("a", { href: address, download: name });
  document.body.append(way);
  way.click();
  way.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without clipboard access (insecure origin): copy through a selection.
    const box = element("textarea", { class: "unseen", value: text, "aria-hidden": "true" });
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}

/**
 * A self-contained SVG as a PNG, `scale` times its natural size.
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function png(svg, scale = 2) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = element("canvas", { width: image.naturalWidth * scale, height: image.naturalHeight * scale });
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

const MOST = 90_000; // bytes that the server accepts

/** @typedef {{ name: string, data: string, number?: number }} GameFile bytes as base64, and the number of the game */

/**
 * @param {string[]} endings extensions of readable files
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
 * A file in the form of the `load` message; null: it is too large.
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

/** @param {Game} game */
export async function copyPosition({ state }) {
  if (!state || state.position === null) return notify(t("too_long"));
  await copy(state.position);
  return notify(t("copied_position"));
}

/** @param {string} address within this site */
export async function copyLink(address) {
  await copy(location.origin + address);
  notify(t("copied_link"));
}

/**
 * @param {Game} game
 * @param {string} format
 */
export async function saveFile(game, format) {
  const reply = await game.file(format);
  if (reply) save(reply.name, reply.mime, reply.text);
}

/**
 * In the colours of the page.
 * @param {Game} game
 * @param {"svg" | "png"} kind
 */
export async function savePicture(game, kind) {
  const reply = await game.picture(isDark());
  if (!reply) return;
  if (kind === "svg") save(reply.name, "image/svg+xml", reply.svg);
  else save(reply.name.replace(/svg$/, "png"), "image/png", await png(reply.svg));
}

/**
 * Buttons for the file formats of a game.
 * @param {GameInfo["exports"]} exports
 * @param {{ saveFile: (format: string) => unknown }} commands
 */
export function savePanel(exports, { saveFile: saved }) {
  const buttons = exports.map(({ format, name }) => {
    const press = { "data-do": `export_${format}`, onclick: () => saved(format) };
    return element("button", press, icon("download"), inLanguage(name));
  });
  const head = element("summary", {}, element("h2", {}, t("save_game")));
  return element("details", { class: "panel" }, head, element("div", { class: "row" }, buttons));
}
