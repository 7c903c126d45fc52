// The moves so far, numbered; pressing one shows the position after it.

import { element } from "./dom.js";
import { t } from "./language.js";

export function moveList({ game }) {
  const list = element("ol", { class: "moves" });
  const empty = element("p", { class: "quiet" }, t("no_moves"));
  const node = element(
    "details",
    { class: "panel", open: true },
    element("summary", {}, element("h2", {}, t("moves"))),
    empty,
    list,
  );

  function update() {
    const { moves, movers, state } = game;
    if (!state) return;
    empty.hidden = moves.length > 0;
    while (list.children.length > moves.length) list.lastChild.remove();
    moves.forEach((move, i) => {
      const item = list.children[i] ?? list.appendChild(entry(i));
      const button = item.firstChild;
      const name = `${i + 1}. ${move}`;
      if (button.dataset.name !== name) {
        button.dataset.name = name;
        button.lastChild.textContent = move;
      }
      const tone = state.seats[movers[i]]?.tone ?? "chance";
      button.firstChild.setAttribute("class", `dot dot-${tone}`);
      const here = state.ply === i + 1;
      if (here !== (button.getAttribute("aria-current") === "step")) {
        if (here) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
        if (here && node.open) list.scrollTo({ top: item.offsetTop - list.clientHeight / 2 });
      }
    });
  }

  function entry(i) {
    const spot = element("span", { "aria-hidden": "true" });
    const button = element("button", { class: "ply-button", onclick: () => game.jump(i + 1) }, spot, element("span"));
    return element("li", {}, button);
  }

  return { node, update };
}
