// What one can do with the game at hand: the common things as buttons, the others in a small menu.

import { element } from "./dom.js";
import { icon } from "./icons.js";
import { inLanguage, t } from "./language.js";

export function toolbar(page) {
  const { game, info } = page;
  const face = (name, drawing) => [icon(drawing), element("span", {}, t(name))];
  const tool = (name, drawing, act) =>
    element("button", { class: "tool", "data-do": name, title: t(`${name}_help`), onclick: act }, face(name, drawing));
  const tools = {
    undo: tool("undo", "undo", () => page.undo()),
    hint: tool("hint", "hint", () => page.hint()),
    swap: tool("swap", "swap", () => page.swap()),
    resign: tool("resign", "flag", () => page.resign()),
    again: tool("again", "again", () => page.again()),
    change: tool("change", "sliders", () => page.change()),
  };
  const entry = (name, drawing, act, text = t(name)) =>
    element("button", { "data-do": name, onclick: () => (menu.removeAttribute("open"), act()) }, icon(drawing), text);
  const words = (name) => t("export_as", { format: inLanguage(name) });
  const menu = element(
    "details",
    { class: "menu" },
    element("summary", { class: "tool", title: t("more_help"), "data-do": "more" }, face("more", "more")),
    element(
      "div",
      { class: "menu-list" },
      entry("analyse_this", "chart", () => page.analyseThis()),
      entry("xray", "tree", () => page.openXray()),
      entry("copy_position", "copy", () => page.souvenirs.copyPosition()),
      entry("copy_link", "link", () => page.souvenirs.copyLink()),
      info.exports.map(({ format, name }) =>
        entry(`export_${format}`, "download", () => page.souvenirs.file(format), words(name)),
      ),
      entry("save_svg", "image", () => page.souvenirs.picture("svg")),
      entry("save_png", "image", () => page.souvenirs.picture("png")),
    ),
  );
  const all = [...Object.values(tools), menu];
  const node = element("div", { class: "toolbar", role: "group", "aria-label": t("tools") }, all);

  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    event.stopPropagation();
  });
  const elsewhere = (event) => !menu.contains(event.target) && (menu.open = false);
  document.addEventListener("pointerdown", elsewhere, { signal: page.alive });

  function update() {
    const { state } = game;
    const begun = game.moves.length > 0;
    tools.undo.disabled = !begun || !game.online;
    tools.hint.disabled = !state || state.over || !game.online || game.thinkingMove;
    tools.hint.classList.toggle("busy", game.task?.task === "hint");
    tools.swap.disabled = !state || !game.online;
    tools.resign.disabled = !state || state.over || game.people === 0 || !game.online;
    tools.resign.hidden = game.people === 0;
    tools.again.disabled = !state;
  }

  return { node, update };
}
