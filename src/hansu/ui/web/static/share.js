// What a person takes along: the position, a link, the game as a file, the picture.

import { element } from "./dom.js";
import { copy, png, save } from "./files.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";
import { notify } from "./notices.js";
import { isDark } from "./theme.js";

/**
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 */

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
  const told = await game.file(format);
  if (told) save(told.name, told.mime, told.text);
}

/**
 * In the colours of the page.
 * @param {Game} game
 * @param {"svg" | "png"} kind
 */
export async function savePicture(game, kind) {
  const told = await game.picture(isDark());
  if (!told) return;
  if (kind === "svg") save(told.name, "image/svg+xml", told.svg);
  else save(told.name.replace(/svg$/, "png"), "image/png", await png(told.svg));
}

/**
 * The formats of a game's file as buttons, for an analysis.
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
