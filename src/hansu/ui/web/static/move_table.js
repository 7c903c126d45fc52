// A table of moves with what is known of each, the best first. Pointing at a row rings its move on the board.

import { element } from "./dom.js";
import { short, signed, t } from "./language.js";
import { unknown } from "./report.js";

/**
 * @import { State } from "../messages"
 * @import { ShownMove, ShownReport } from "./report.js"
 */

const MOST = 60; // rows
/** @type {Record<string, string>} */
const BOUNDS = { "<=": "≤ ", ">=": "≥ " };

/**
 * `choose` plays a move, `point` rings it on the board (null: no more).
 * @param {{ choose: (move: string) => void, point: (move: string | null) => void }} acts
 */
export function moveTable({ choose, point }) {
  const body = element("tbody");
  const heads = ["move", "value", "visits"].map((name) => element("th", { scope: "col", class: name }, t(name)));
  const node = element("table", { class: "move-table" }, element("thead", {}, element("tr", {}, heads)), body);
  /** @type {ReturnType<typeof row>[]} */
  const rows = [];

  /**
   * Rows are kept and only their texts change, so that a button that has the focus keeps it.
   * @param {ShownReport | null} found
   * @param {State} state
   */
  function update(found, state) {
    const moves = found?.moves.length ? found.moves : state.choices.map(({ move }) => unknown(move));
    const sorted = ranked(moves, state.mover).slice(0, MOST);
    node.classList.toggle("counted", sorted.some((move) => move.visits !== null));
    for (const left of rows.splice(sorted.length)) left.node.remove();
    sorted.forEach((move, i) => {
      rows[i] ??= row();
      rows[i].write(move);
    });
  }

  function row() {
    let shown = "";
    const act = { onclick: () => choose(shown), onfocus: () => point(shown), onblur: () => point(null) };
    const name = element("button", { class: "plain", ...act });
    const bar = element("span", { class: "bar", "aria-hidden": "true" });
    const value = element("span");
    const visits = element("td", { class: "visits" });
    const made = element(
      "tr",
      { onpointerenter: () => point(shown), onpointerleave: () => point(null) },
      element("td", { class: "move" }, name),
      element("td", { class: "value" }, bar, value),
      visits,
    );
    body.append(made);

    /** @param {ShownMove} move */
    function write(move) {
      shown = move.move;
      made.classList.toggle("best", move.best);
      name.textContent = move.move;
      bar.style.width = `${Math.round(100 * move.share)}%`;
      const number = `${BOUNDS[move.bound] ?? ""}${signed(move.value)}${move.proved ? " ✓" : ""}`;
      value.textContent = move.value === null ? "–" : number;
      visits.textContent = move.visits === null ? "" : short(move.visits);
    }

    return { node: made, write };
  }

  return { node, update };
}

/**
 * The chosen move, then the most visited, then the most worth to the mover.
 * @param {ShownMove[]} moves
 * @param {number} mover
 */
function ranked(moves, mover) {
  const sign = mover === 1 ? -1 : 1;
  /** @param {ShownMove} move */
  const worth = (move) => (move.value === null ? -Infinity : sign * move.value);
  return moves.toSorted(
    (a, b) => Number(b.best) - Number(a.best) || (b.visits ?? 0) - (a.visits ?? 0) || worth(b) - worth(a) || 0,
  );
}
