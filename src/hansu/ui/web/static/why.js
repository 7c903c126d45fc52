// The reason of a machine's move: its explanation, the size of its search, and its expected line.

import { element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { inLanguage, short, t, whole } from "./language.js";
import { holdable } from "./preview.js";
import { playerName } from "./setup.js";
import { valueWords } from "./value.js";

/**
 * @import { Seat } from "../messages"
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 * @import { ShownReport } from "./report.js"
 * @import { Judged } from "./value.js"
 */

/**
 * @typedef {object} Thought a shown report
 * @property {ShownReport} found
 * @property {number} ply
 * @property {string} player
 * @property {"thinking" | "hint" | "played"} kind
 */

/**
 * Depth, nodes and speed of a search, live.
 * @param {ShownReport} found
 */
export function meters(found) {
  if (!found.depth && !found.nodes) return null; // this player does not search
  /**
   * @param {string} name
   * @param {string} value
   */
  const meter = (name, value) =>
    element("div", { class: "meter" }, element("dt", {}, t(name)), element("dd", {}, value));
  return element(
    "dl",
    { class: "meters" },
    meter("depth", found.depth ? whole(found.depth) : "–"),
    meter("nodes", found.nodes ? short(found.nodes) : "–"),
    meter("rate", found.speed ? t("a_second", { n: short(found.speed) }) : "–"),
    meter("time", found.seconds ? t("seconds", { n: found.seconds.toFixed(found.seconds < 10 ? 2 : 0) }) : "–"),
  );
}

/**
 * The verdict on a position: a bar in the colours of both sides, and words.
 * @param {Judged & { chance: number | null }} found
 * @param {string} worth
 * @param {Seat[]} seats
 */
export function verdict(found, worth, seats) {
  if (found.value === null) return null;
  const words = [worth, ...(found.proved ? [t("proved")] : [])].join(" · ");
  const left = element("span", { class: `share tone-bg-${seats[0].tone}` });
  left.style.width = `${Math.round(100 * (found.chance ?? 0.5))}%`;
  const bar = element("span", { class: `verdict-bar tone-bg-${seats[1].tone}`, "aria-hidden": "true" }, left);
  return element("div", { class: "verdict" }, bar, element("p", { class: "number" }, words));
}

/**
 * A line as buttons: hovering or holding previews a position, pressing keeps the preview. `first`: the mover.
 * @param {string[]} line
 * @param {number} ply
 * @param {string} first
 * @param {Preview} preview
 */
export function lineWalk(line, ply, first, preview, limit = 24) {
  /**
   * Only a moving pointer counts: a list that grows under a resting one must not change the board.
   * @param {PointerEvent} event
   * @param {number} i
   */
  const pointed = (event, i) => {
    const moved = event.movementX !== 0 || event.movementY !== 0;
    if (event.pointerType === "mouse" && moved) preview.show(ply, line, i, false);
  };
  /** @param {PointerEvent} event */
  const left = (event) => {
    if (event.pointerType === "mouse") preview.leave();
  };
  return element(
    "div",
    { class: "line", role: "group", "aria-label": t("expected_line") },
    line.slice(0, limit).map((move, i) =>
      holdable(
        element(
          "button",
          {
            class: "line-move",
            "data-line": i,
            "data-walk": line.join(" "),
            "aria-pressed": "false",
            title: t("show_line"),
            onpointermove: (/** @type {PointerEvent} */ event) => pointed(event, i),
            onpointerleave: left,
            onclick: () => preview.show(ply, line, i, true),
          },
          i === 0 && first ? element("b", {}, `${first} ${move}`) : move,
        ),
        { show: () => preview.show(ply, line, i, false), leave: () => preview.leave() },
      ),
    ),
  );
}

/**
 * The latest report at or before the shown ply, or the report of the running search.
 * @param {Game} game
 * @param {Preview} preview
 * @param {{ xray: () => void, analyse: () => void }} commands
 */
export function why(game, preview, { xray, analyse }) {
  const body = element("div", { class: "why-body" });
  const node = element(
    "details",
    { class: "panel", open: true },
    element("summary", {}, element("h2", {}, t("why"))),
    body,
    element(
      "div",
      { class: "row deeper" },
      element("button", { "data-do": "look-inside", onclick: xray }, icon("tree"), t("xray")),
      element("button", { "data-do": "deeper", onclick: analyse }, icon("chart"), t("analyse")),
    ),
  );
  let shown = ""; // avoids redrawing, which would lose the focus

  function update() {
    const { state, task } = game;
    if (!state) return;
    const current = thought(game);
    const key = JSON.stringify(current);
    if (key === shown) return;
    shown = key;
    if (!current) {
      const nothing = game.people === 2 ? t("why_people") : task ? t("why_soon") : t("why_nothing");
      fill(body, element("p", { class: "quiet" }, nothing));
      return;
    }
    const { found, ply, player, kind } = current;
    const words = inLanguage(found.why);
    const move = found.move ?? game.moves[ply] ?? "";
    const title = {
      thinking: t("thinks_now", { who: player }),
      hint: t("hint_says", { move }),
      played: t("played", { who: player, move }),
    }[kind];
    fill(
      body,
      element("p", { class: "played" }, kind === "hint" ? icon("hint") : null, title),
      words ? element("blockquote", {}, words) : null,
      verdict(found, valueWords(found, state.seats, game.info), state.seats),
      meters(found),
      found.line.length > 1
        ? [
            element("h3", {}, t("expected_line")),
            lineWalk(found.line, ply, inLanguage(game.seatAt(ply)?.name), preview),
          ]
        : null,
    );
  }

  return { node, update };
}

/**
 * @param {Game} game
 * @returns {Thought | null}
 */
function thought({ state, task, asked, notes, info }) {
  if (!state) return null;
  if (task?.found && !task.quiet && task.task !== "review") {
    const kind = task.task === "hint" ? "hint" : "thinking";
    return { found: task.found, ply: task.ply, player: playerName(info, task.player), kind };
  }
  const answer = asked.get(state.ply);
  if (answer && answer.question !== "values") return { found: answer, ply: state.ply, player: "", kind: "hint" };
  for (let ply = state.ply - 1; ply >= 0; ply--) {
    const note = notes[ply];
    if (note) return { found: note.found, ply, player: playerName(info, note.player), kind: "played" };
  }
  return null;
}
