// What one can do with the game at hand: the common things as buttons, the others in a small menu.

import { element } from "./dom.js";
import { icon } from "./icons.js";
import { both, t } from "./language.js";

export function toolbar(page) {
  const { game, info } = page;
  const tool = (name, drawing, act) =>
    element("button", { class: "tool", "data-do": name, title: t(`${name}_help`), onclick: act }, icon(drawing), element("span", {}, t(name)));
  const tools = {
    undo: tool("undo", "undo", () => page.undo()),
    hint: tool("hint", "hint", () => page.hint()),
    swap: tool("swap", "swap", () => page.swap()),
    resign: tool("resign", "flag", () => page.resign()),
    again: tool("again", "again", () => page.again()),
    change: tool("change", "sliders", () => page.change()),
  };
  const entry = (name, drawing, act, words = t(name)) =>
    element("button", { role: "menuitem", "data-do": name, onclick: () => (menu.removeAttribute("open"), act()) }, icon(drawing), words);
  const menu = element(
    "details",
    { class: "menu" },
    element("summary", { class: "tool", "aria-label": t("more_help"), "data-do": "more" }, icon("more"), element("span", {}, t("more"))),
    element(
      "div",
      { class: "menu-list", role: "menu" },
      entry("analyse_this", "chart", () => page.analyseThis()),
      entry("xray", "tree", () => page.openXray()),
      entry("copy_position", "copy", () => page.copyPosition()),
      entry("copy_link", "link", () => page.copyLink()),
      info.exports.map(({ format, name }) =>
        entry(`export_${format}`, "download", () => page.exportGame(format), t("export_as", { format: both(name) })),
      ),
      entry("save_svg", "image", () => page.savePicture("svg")),
      entry("save_png", "image", () => page.savePicture("png")),
    ),
  );
  const node = element("div", { class: "toolbar", role: "toolbar", "aria-label": t("tools") }, Object.values(tools), menu);

  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", (event) => !menu.contains(event.target) && (menu.open = false), { signal: page.alive });

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
