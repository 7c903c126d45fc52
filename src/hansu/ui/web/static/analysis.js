// Analysis: any position, any player, the value of every move as it becomes known.

import { element, fill } from "./dom.js";
import { fileButton } from "./files.js";
import { picker } from "./form.js";
import { icon } from "./icons.js";
import { inLanguage, short, t } from "./language.js";
import { unknown } from "./report.js";
import { ownWords, valueSigns } from "./value.js";
import { lineWalk, meters, verdict } from "./why.js";

/**
 * @import { State } from "../messages"
 * @import { GameInfo } from "./catalogue.js"
 * @import { Game } from "./game.js"
 * @import { Preview } from "./preview.js"
 * @import { ShownMove, ShownReport } from "./report.js"
 */

/**
 * @typedef {object} AnalysisActs
 * @property {string} back label of the button that leaves
 * @property {Element} heat the switch of the overlay
 * @property {() => void} leave
 * @property {() => void} xray
 * @property {(move: string) => void} choose
 * @property {(move: string | null) => void} point highlights a move on the board
 * @property {(text: string) => unknown} setUp another position
 * @property {() => void} edit the board, square by square
 * @property {(file: File) => void} load a game from a file
 * @property {() => void} copyPosition
 */

const SECONDS = 120;
const LINES = 3;
const LONGEST = 12; // shown moves of a line

/**
 * `chosen`: the engine, and whether every new position is analysed.
 * @param {Game} game
 * @param {GameInfo} info
 * @param {{ player: string, following: boolean }} chosen
 * @param {Preview} preview
 * @param {AnalysisActs} acts
 */
export function analysis(game, info, chosen, preview, acts) {
  const running = () => (game.task ? game.task.task === "analysis" : game.busy); // or about to start
  const go = () => {
    if (!game.state || game.state.over || !node.isConnected) return;
    game.analyse(who.spec, SECONDS);
    update();
  };
  const toggle = () => (running() ? game.stop() : go());

  const who = picker(info, chosen.player, {
    label: t("analyst"),
    brief: true,
    onchange: (spec) => {
      chosen.player = spec;
      if (running() || chosen.following) go();
    },
  });
  const start = element("button", { class: "primary", "data-do": "analyse-start", onclick: toggle });
  const body = element("div", { class: "analysis-body" });
  const thoughts = element("div", { class: "analysis-thoughts" });
  const line = element("div", { class: "analysis-line" });
  const table = moveTable(acts, game.range);
  const position = element("textarea", { id: "position", rows: 2, spellcheck: "false" });
  let shownAt = "";
  let drawnLine = "";

  const node = element(
    "section",
    { class: "analysis" },
    element(
      "header",
      { class: "side-head" },
      element("h1", {}, t("analysis")),
      start,
      element("button", { class: "plain", "data-do": "leave", onclick: acts.leave }, acts.back),
    ),
    body,
    line,
    thoughts,
    who.node,
    element(
      "div",
      { class: "analysis-run" },
      element("button", { "data-do": "look-inside", onclick: acts.xray }, icon("tree"), t("xray")),
      followBox(chosen, () => running() || go()),
    ),
    acts.heat,
    table.node,
    setUpPanel(info, position, acts),
  );

  function update() {
    const { state } = game;
    if (!state) return;
    fill(start, icon(running() ? "stop" : "play"), running() ? t("stop") : t("analyse"));
    start.disabled = state.over || !game.online;
    const here = `${state.game} ${state.position} ${state.ply}`;
    if (here !== shownAt) arrive(here, state);
    const found = game.foundAt(state.ply);
    const nothing = element("p", { class: "quiet" }, state.over ? t("over") : t("analysis_empty"));
    fill(body, found ? verdict(found, ownWords(found, state.mover, state.seats, info), state.seats) : nothing);
    const words = found && inLanguage(found.why);
    fill(thoughts, words ? element("blockquote", {}, words) : null, found && meters(found));
    table.update(found, state);
    const walks = lines(found);
    const key = JSON.stringify([walks, state.ply]);
    if (key === drawnLine) return; // a line must not be redrawn under the pointer
    drawnLine = key;
    const first = inLanguage(game.seatAt(state.ply)?.name);
    /** @param {ShownMove} move */
    const row = (move) =>
      element(
        "div",
        { class: "line-row" },
        element("strong", {}, valueSigns(move, state.mover, game.range)),
        lineWalk(move.line, state.ply, first, preview, LONGEST),
      );
    fill(line, walks.length ? [element("h2", { class: "line-head" }, t("best_moves")), ...walks.map(row)] : null);
  }

  /**
   * A new position is shown: update its text, and analyse it if that is on.
   * @param {string} here
   * @param {State} state
   */
  function arrive(here, state) {
    shownAt = here;
    if (document.activeElement !== position) position.value = state.position ?? "";
    const known = game.asked.get(state.ply)?.question === "analysis"; // a hint or a quick analysis does not count
    const wanted = chosen.following && !state.over && !state.searching && !known && game.task?.task !== "review";
    if (wanted) setTimeout(() => running() || go());
  }

  return { node, update, toggle };
}

/**
 * The best moves with their expected lines, as far as known.
 * @param {ShownReport | null} found
 * @returns {ShownMove[]}
 */
function lines(found) {
  if (!found) return [];
  const rated = ranked(found.moves.filter((move) => move.value !== null)).slice(0, LINES);
  return rated.map((move) => {
    const line = move.best && found.line.length > move.line.length ? found.line : move.line;
    return { ...move, line: line.length ? line : [move.move] };
  });
}

/**
 * The box that turns analysis of every new position on or off.
 * @param {{ following: boolean }} chosen
 * @param {() => void} go
 */
function followBox(chosen, go) {
  const change = () => {
    chosen.following = box.checked;
    if (box.checked) go();
  };
  /** @type {HTMLInputElement} */
  const box = element("input", { type: "checkbox", id: "follow", checked: chosen.following, onchange: change });
  return element("div", { class: "field tick" }, box, element("label", { for: "follow" }, t("follow")));
}

/**
 * @param {GameInfo} info
 * @param {HTMLTextAreaElement} position
 * @param {AnalysisActs} acts
 */
function setUpPanel(info, position, { setUp, edit, copyPosition, load }) {
  /**
   * @param {string} name
   * @param {() => void} act
   * @param {...(Element | string)} face
   */
  const button = (name, act, ...face) => element("button", { "data-do": name, onclick: act }, face);
  position.setAttribute("aria-describedby", "positionhelp");
  return element(
    "details",
    { class: "panel" },
    element("summary", {}, element("h2", {}, t("set_up"))),
    element(
      "div",
      { class: "field" },
      element("label", { for: "position" }, t("position_text")),
      position,
      element("small", { id: "positionhelp" }, t("for_example", { text: info.example })),
    ),
    element(
      "div",
      { class: "row" },
      button("load", () => setUp(position.value), t("load")),
      info.editor ? button("edit", edit, icon("pencil"), t("edit_board")) : null,
      button("copy_position", copyPosition, icon("copy"), t("copy_position")),
      button("from_start", () => setUp("start"), t("from_start")),
      fileButton(info.files, load),
    ),
  );
}

const MOST = 60; // rows

/**
 * `choose` plays a move, `point` highlights it on the board (null: none).
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
   * Rows are reused, so that a focused button keeps the focus.
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
 * The best move first, then by visits, then by loss.
 * @param {ShownMove[]} moves
 */
export function ranked(moves) {
  /** @param {ShownMove} move */
  const loss = (move) => (move.value === null ? 2 : move.loss);
  return moves.toSorted(
    (a, b) => Number(b.best) - Number(a.best) || (b.visits ?? 0) - (a.visits ?? 0) || loss(a) - loss(b),
  );
}
