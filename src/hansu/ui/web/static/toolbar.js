// The commands of a game: the common ones as buttons, the others in a menu.

import { element, fill } from "./dom.js";
import { sounding, switchSound } from "./effects.js";
import { fileButton } from "./files.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";

/**
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { Commands } from "./page.js"
 */

/**
 * @param {Game} game
 * @param {GameInfo} info
 * @param {Commands} commands
 * @param {AbortSignal} alive
 */
export function toolbar(game, { exports, files: endings, rules }, commands, alive) {
  /**
   * @param {string} name
   * @param {string} drawing
   */
  const face = (name, drawing) => [icon(drawing), element("span", {}, t(name))];
  /**
   * @param {string} name
   * @param {string} drawing
   * @param {() => unknown} act
   */
  const tool = (name, drawing, act) =>
    element("button", { class: "tool", "data-do": name, title: t(`${name}_help`), onclick: act }, face(name, drawing));
  const tools = {
    undo: tool("undo", "undo", commands.undo),
    hint: tool("hint", "hint", commands.hint),
    swap: tool("swap", "swap", commands.swap),
    resign: tool("resign", "flag", commands.resign),
    again: tool("again", "again", commands.again),
    change: tool("change", "sliders", commands.change),
  };
  /**
   * @param {string} name
   * @param {string} drawing
   * @param {() => unknown} act
   */
  const entry = (name, drawing, act, text = t(name)) => {
    const press = () => {
      menu.open = false;
      act();
    };
    return element("button", { "data-do": name, onclick: press }, icon(drawing), text);
  };
  const files = exports.map(({ format, name }) => {
    const words = t("export_as", { format: inLanguage(name) });
    return entry(`export_${format}`, "download", () => commands.saveFile(format), words);
  });
  const soundWords = () => t(sounding() ? "sound_off" : "sound_on");
  const sound = element("button", { "data-do": "sound", onclick: turnSound }, icon("sound"), soundWords());
  function turnSound() {
    switchSound();
    fill(sound, icon("sound"), soundWords());
  }
  /** @type {HTMLDetailsElement} */
  const menu = element(
    "details",
    { class: "menu" },
    element("summary", { class: "tool", title: t("more_help"), "data-do": "more" }, face("more", "more")),
    element(
      "div",
      { class: "menu-list" },
      entry("analyse_this", "chart", commands.analyse),
      entry("review_game", "flag", commands.review),
      entry("xray", "tree", commands.xray),
      rules ? entry("rules", "help", commands.rules) : null,
      entry("copy_position", "copy", commands.copyPosition),
      entry("copy_link", "link", commands.copyLink),
      fileButton(endings, (file) => {
        menu.open = false;
        commands.load(file);
      }),
      files,
      entry("save_svg", "image", () => commands.savePicture("svg")),
      entry("save_png", "image", () => commands.savePicture("png")),
      sound,
    ),
  );
  const all = [...Object.values(tools), menu];
  const node = element("div", { class: "toolbar", role: "group", "aria-label": t("tools") }, all);

  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
    event.stopPropagation();
  });
  /** @param {PointerEvent} event */
  const elsewhere = (event) => {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  };
  document.addEventListener("pointerdown", elsewhere, { signal: alive });

  function update() {
    const { state } = game;
    tools.undo.disabled = !game.moves.length || !game.online;
    tools.hint.disabled = !state || state.over || !game.online || game.thinkingMove;
    tools.hint.classList.toggle("busy", game.task?.task === "hint");
    tools.swap.disabled = !state || !game.online;
    tools.resign.disabled = !state || state.over || game.people === 0 || !game.online;
    tools.resign.hidden = game.people === 0;
    tools.again.disabled = !state;
  }

  return { node, update };
}
