// A table of moves with what is known of each, the best first. Pointing at a row rings its move on the board.

import { element } from "./dom.js";
import { short, signed, t } from "./language.js";
import { unknown } from "./report.js";

const MOST = 60; // rows
const BOUNDS = { "<=": "≤ ", ">=": "≥ " };

export function ratedTable(page) {
  const rows = element("tbody");
  const heads = ["move", "value", "visits"].map((name) => element("th", { scope: "col", class: name }, t(name)));
  const node = element("table", { class: "rated" }, element("thead", {}, element("tr", {}, heads)), rows);

  /** Rows are kept and only their texts change, so that a button that has the focus keeps it. */
  function update(found, state) {
    const moves = found?.moves.length ? found.moves : state.choices.map(({ move }) => unknown(move));
    const sorted = ranked(moves, state.mover).slice(0, MOST);
    node.classList.toggle("counted", sorted.some((move) => move.visits !== null));
    while (rows.children.length > sorted.length) rows.lastChild.remove();
    sorted.forEach((move, i) => write(rows.children[i] ?? rows.appendChild(row()), move));
  }

  function row() {
    const act = {
      onclick: () => page.chooseMove(made.move.move),
      onfocus: () => page.point(made.move.move),
      onblur: () => page.point(null),
    };
    const made = element(
      "tr",
      { onpointerenter: () => page.point(made.move.move), onpointerleave: () => page.point(null) },
      element("td", { class: "move" }, element("button", { class: "plain", ...act })),
      element("td", { class: "value" }, element("span", { class: "bar", "aria-hidden": "true" }), element("span")),
      element("td", { class: "visits" }),
    );
    return made;
  }

  return { node, update };
}

function write(row, move) {
  const [name, value, visits] = row.children;
  row.move = move;
  row.classList.toggle("best", Boolean(move.best));
  name.firstChild.textContent = move.move;
  value.firstChild.style.width = `${Math.round(100 * move.share)}%`;
  const number = `${BOUNDS[move.bound] ?? ""}${signed(move.value)}${move.proved ? " ✓" : ""}`;
  value.lastChild.textContent = move.value === null ? "–" : number;
  visits.textContent = move.visits === null ? "" : short(move.visits);
}

/** The chosen move, then the most visited, then the most worth to the mover. */
function ranked(moves, mover) {
  const sign = mover === 1 ? -1 : 1;
  const worth = (move) => (move.value === null ? -Infinity : sign * move.value);
  const better = (a, b) => Number(b.best) - Number(a.best) || (b.visits ?? 0) - (a.visits ?? 0) || worth(b) - worth(a);
  return [...moves].sort((a, b) => better(a, b) || 0);
}
