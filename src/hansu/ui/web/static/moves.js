// The list of moves, and the list of variations.

import { element, fill } from "./dom.js";
import { iconButton } from "./icons.js";
import { t } from "./language.js";
import { holdable } from "./preview.js";
import { GRADES } from "./report.js";
import { reviewOf } from "./review.js";

/**
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 */

const SIGNS = ["", "", "?!", "?", "??"]; // as in chess notation

/**
 * @param {Game} game
 * @param {Preview} preview
 */
export function moveList(game, preview) {
  const list = element("ol", { class: "moves" });
  const empty = element("p", { class: "quiet" }, t("no_moves"));
  const node = element(
    "details",
    { class: "panel", open: true },
    element("summary", {}, element("h2", {}, t("moves"))),
    empty,
    list,
  );
  /** @type {ReturnType<typeof entry>[]} */
  const entries = [];
  let frame = 0;
  /** @type {HTMLElement | null} the entry to scroll to */
  let current = null;

  function update() {
    const { moves, movers, state } = game;
    if (!state) return;
    empty.hidden = moves.length > 0;
    const judged = new Map(reviewOf(game).moves.map((one) => [one.ply, one]));
    for (const left of entries.splice(moves.length)) left.item.remove();
    moves.forEach((move, i) => {
      entries[i] ??= entry(i);
      const { item, button, spot, text, mark } = entries[i];
      const grade = judged.get(i)?.grade ?? 0;
      const sign = SIGNS[grade] + (judged.get(i)?.turned ? "⇄" : "");
      if (mark.textContent !== sign) {
        mark.textContent = sign;
        mark.setAttribute("class", `move-mark mark-${grade}`);
        mark.setAttribute("aria-label", grade > 1 ? t(`grade_${GRADES[grade]}`) : "");
      }
      if (text.textContent !== move) text.textContent = move;
      const tone = `dot dot-${state.seats[movers[i]]?.tone ?? "chance"}`;
      if (spot.className !== tone) spot.className = tone;
      const here = state.ply === i + 1;
      if (here === button.hasAttribute("aria-current")) return;
      if (here) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      if (here) current = item;
    });
    // Once a frame: fast machines move more often, and reading positions forces a layout.
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      if (current && node.open) list.scrollTo({ top: current.offsetTop - list.clientHeight / 2 });
      current = null;
    });
  }

  /** @param {number} i */
  function entry(i) {
    const [spot, text] = [element("span", { "aria-hidden": "true" }), element("span")];
    const mark = element("span", { class: "move-mark", role: "img" });
    const button = element("button", { class: "ply-button", onclick: () => game.jump(i + 1) }, spot, text, mark);
    holdable(button, { show: () => preview.glance(i + 1), leave: () => preview.leave(true) });
    const item = element("li", {}, button);
    list.append(item);
    return { item, button, spot, text, mark };
  }

  return { node, update };
}

/** @typedef {{ name: string, moves: string[] }} Variation */

const MOST = 30;
const SHOWN = 6; // moves shown in a button

/**
 * The variations after a change from one line to another: the replaced line is kept. A line that has grown replaces its
 * shorter version and keeps the name.
 * @param {Variation[]} kept
 * @param {string[]} old
 * @param {string[]} now
 */
export function keepVariation(kept, old, now) {
  const known = kept.some(({ moves }) => common(old, moves) === old.length);
  if (common(old, now) === old.length || known) return kept;
  const grown = kept.find(({ moves }) => common(moves, old) === moves.length);
  return [...kept.filter((one) => one !== grown), { name: grown?.name ?? "", moves: old }].slice(-MOST);
}

/**
 * Open another line of the current game; the current line is kept as a variation.
 * @param {Game} game
 * @param {() => Promise<unknown>} open
 */
export async function branch(game, open) {
  const before = game.branching;
  game.branching = true;
  try {
    await open();
  } finally {
    game.branching = before;
  }
}

/**
 * The length of the common prefix of two lines.
 * @param {string[]} one
 * @param {string[]} other
 */
function common(one, other) {
  const differs = one.findIndex((move, i) => move !== other[i]);
  return differs < 0 ? one.length : differs;
}

/**
 * `open` opens a line at a ply.
 * @param {Game} game
 * @param {(moves: string[], ply: number) => void} open
 */
export function variationList(game, open) {
  const list = element("ul", { class: "variations" });
  const head = element("summary", {}, element("h2", {}, t("variations")));
  const node = element("details", { class: "panel", open: true, hidden: true }, head, list);
  let drawn = "";

  /** @param {Variation} variation */
  function row(variation) {
    const { moves } = variation;
    const from = common(moves, game.moves);
    const tail = moves.slice(from, from + SHOWN).join(" ") + (moves.length > from + SHOWN ? " …" : "");
    const words = t("variation_from", { ply: from + 1, moves: tail });
    /** @type {HTMLInputElement} */
    const name = element("input", {
      type: "text",
      value: variation.name,
      maxlength: 40,
      placeholder: t("variation_name"),
      "aria-label": t("variation_name"),
      onchange: () => Object.assign(variation, { name: name.value.trim() }),
    });
    const remove = () => {
      game.variations = game.variations.filter((one) => one !== variation);
      update();
    };
    return element(
      "li",
      {},
      element("button", { class: "plain", "data-do": "variation", onclick: () => open(moves, from + 1) }, words),
      name,
      iconButton("variation_delete", "close", remove),
    );
  }

  function update() {
    const key = JSON.stringify([game.variations, game.moves]);
    if (key === drawn) return; // do not redraw while a name is typed
    drawn = key;
    const others = game.variations.filter(({ moves }) => common(moves, game.moves) < moves.length);
    node.hidden = others.length === 0;
    fill(list, others.map(row));
  }

  return { node, update };
}
