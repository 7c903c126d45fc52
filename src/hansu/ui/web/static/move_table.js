// A table of moves with what is known of each, the best first. Pointing at a row rings its move on the board.

import { element } from "./dom.js";
import { inLanguage, short, t } from "./language.js";
import { unknown } from "./report.js";
import { valueSigns } from "./value.js";

/**
 * @import { State } from "../messages"
 * @import { ShownMove, ShownReport } from "./report.js"
 */

const MOST = 60; // rows

/**
 * `choose` plays a move, `point` rings it on the board (null: no more).
 * @param {{ choose: (move: string) => void, point: (move: string | null) => void }} acts
 * @param {number} range of the game's scores
 */
export function moveTable({ choose, point }, range) {
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
    const who = inLanguage(state.seats[state.mover]?.name);
    heads[1].textContent = who ? t("value_for", { who }) : t("value");
    const moves = found?.moves.length ? found.moves : state.choices.map(({ move }) => unknown(move));
    const sorted = ranked(moves).slice(0, MOST);
    node.classList.toggle("counted", sorted.some((move) => move.visits !== null));
    for (const left of rows.splice(sorted.length)) left.node.remove();
    sorted.forEach((move, i) => {
      rows[i] ??= row();
      rows[i].write(move, state.mover);
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

    /**
     * @param {ShownMove} move
     * @param {number} mover
     */
    function write(move, mover) {
      shown = move.move;
      made.classList.toggle("best", move.best);
      name.textContent = move.move;
      bar.setAttribute("class", `bar grade-bg-${move.grade}`);
      value.textContent = valueSigns(move, mover, range) || "–";
      visits.textContent = move.visits === null ? "" : short(move.visits);
    }

    return { node: made, write };
  }

  return { node, update };
}

/**
 * The chosen move, then the most visited, then what loses least.
 * @param {ShownMove[]} moves
 */
export function ranked(moves) {
  /** @param {ShownMove} move */
  const loss = (move) => (move.value === null ? 2 : move.loss);
  return moves.toSorted(
    (a, b) => Number(b.best) - Number(a.best) || (b.visits ?? 0) - (a.visits ?? 0) || loss(a) - loss(b),
  );
}
